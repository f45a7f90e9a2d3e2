"""A Markdown page as blocks, their outputs, and the numbers of its prose: the one parser.

Everything that reads a page asks here. A page whose notation is broken raises `PageError`, which
names the page, the line, and what was probably meant.
"""

import re
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from literate.pages.block import EXERCISE, KINDS, Block, Output
from literate.pages.choices import Choice, asked, predictions
from literate.pages.prose import Check, Fault, blank, checks
from literate.pages.tables import Table, tables

# What MkDocs is told of the page.
FRONT = re.compile(r"\A---\n(?:(?:[\w-]+:|[ \t]+\S|- ).*\n)+---\n")
FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:`{3,}[^`\n]*|~{3,}.*)")
ATTRIBUTES = re.compile(r"""(?:\s*(?:\.[\w-]+|[\w-]+=(?:"[^"]*"|'[^']*'|[\w-]+))(?=\s|$))*\s*""")
VALUE = r"""{}=(["'])(.*?)\1"""


class PageError(Exception):
    """Broken notation, in one sentence that begins with the page and the line."""


@dataclass
class Page:
    """A page, parsed. `path` is only for messages; `text` is what is read."""

    path: Path
    text: str
    blocks: list[Block] = field(default_factory=list, init=False)
    checks: list[Check] = field(default_factory=list, init=False)
    tables: list[Table] = field(default_factory=list, init=False)

    @classmethod
    def read(cls, path: Path, shown: Path | None = None) -> "Page":
        """The page in a file; `shown` is how messages name it."""
        try:
            return cls(shown or path, path.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            raise PageError(f"{shown or path}:1: the file is not UTF-8") from None

    def __post_init__(self) -> None:
        for mark, name in (
            ("\r", "a carriage return: save it with LF"),
            ("\ufeff", "a BOM"),
            ("\0", "a null character, which is another one to Markdown"),
        ):
            if mark in self.text:
                line = self.text.count("\n", 0, self.text.index(mark)) + 1
                raise self.error(line, f"the file has {name}")
        ends = [match.end() for match in re.finditer("\n", self.text)]
        self.offsets = [0, *ends, len(self.text)]  # where each line starts
        self._refuse_hidden_fences()
        for fence in self.fences:
            self._add(fence)
        try:
            self.tables = list(tables(self.prose))
            found = list(checks(self.prose, [table.comment for table in self.tables]))
        except Fault as fault:
            raise self.error(fault.line, str(fault)) from None
        later = [asked(check, self.predictions, self.blocks) for check in found]
        self.checks = [replace(check, asked=line) for check, line in zip(found, later, strict=True)]

    @cached_property
    def predictions(self) -> list[list[Choice]]:
        return list(predictions(self.prose))

    @cached_property
    def fences(self) -> list[Token]:
        # Without indented code blocks, a fence inside an admonition is a fence.
        parser = MarkdownIt("commonmark").disable("code")
        return [token for token in parser.parse(self.text) if token.type == "fence" and token.map]

    @property
    def steps(self) -> list[Block | Check | Table]:
        """Blocks, checks and tables in the order in which they run."""
        return sorted([*self.blocks, *self.checks, *self.tables], key=place)

    def error(self, line: int, message: str) -> PageError:
        return PageError(f"{self.path}:{line}: {message}")

    def line(self, number: int) -> str:
        """A line of the page, counted from 0, without its end."""
        return self.text[self.offsets[number] : self.offsets[number + 1]].rstrip("\n")

    def _refuse_hidden_fences(self) -> None:
        """A fence that the site may show but that no block comes from."""
        seen = {line for fence in self.fences for line in range(*span(fence))}
        for number in range(len(self.offsets) - 1):
            if number not in seen and FENCE.fullmatch(self.line(number)):
                raise self.error(number + 1, "this fence is not seen: put a blank line above it")

    def _add(self, fence: Token) -> None:
        first, last = span(fence)
        language, kinds = self._kinds(first + 1, fence.info)
        closing = self.line(last - 1)
        bare = closing.strip(" \t>")  # what opens another fence closes none
        if last - 1 == first or not bare.startswith(fence.markup) or len({*bare}) > 1:
            raise self.error(first + 1, "this fence is never closed")
        # In a list the first line begins with a marker, so the last one has the indent.
        indent = closing[: -len(closing.lstrip(" \t>"))]
        if self.line(first).index(fence.markup) != len(indent):
            raise self.error(last, "this fence is closed at another indent than it is opened")
        if "output" in kinds:
            start, end = self.offsets[first + 1], self.offsets[last - 1]
            self._attach(Output(first + 2, fence.content, start, end, indent))
        elif language == "python":
            title, of = (
                match[2] if (match := re.search(VALUE.format(name), fence.info)) else ""
                for name in ("title", "of")
            )
            if ("source" in kinds) != bool(of):
                raise self.error(first + 1, 'a .source block is {.source of="package.module.name"}')
            start, end, after = (self.offsets[n] for n in (first + 1, last - 1, last))
            self.blocks.append(
                Block(first + 2, fence.content, kinds, title, of, start, end, after, indent)
            )

    def _kinds(self, line: int, info: str) -> tuple[str, frozenset[str]]:
        language = info.split()[0] if info.split() else ""
        if language != "python" and re.match(r"\W*i?py", info, re.I) or info.startswith("{"):
            raise self.error(
                line, f"{info.strip()!r} would be shown and never run: write ```python"
            )
        braces = re.search(r"\{(.*)\}", info)
        if braces and not ATTRIBUTES.fullmatch(braces[1]):
            raise self.error(line, f"{braces[0]} is not a list of .kind and key='value'")
        if not braces and (loose := re.search(r"\s(\.[\w-]+)", info)):
            raise self.error(line, f"{loose[1]} stands without braces: write {{{loose[1]}}}")
        kinds = frozenset(re.findall(r"(?<!\S)\.([\w-]+)", braces[1])) if braces else frozenset()
        known = KINDS if language == "python" else {"output"} if language == "text" else set()
        for kind in sorted(kinds - known):
            close = get_close_matches(kind, known or KINDS | {"output"}, 1)
            meant = (
                f"did you mean .{close[0]}?" if close else f"expected {', '.join(sorted(known))}"
            )
            raise self.error(line, f"a {language} block cannot be .{kind}: {meant}")
        if kinds & EXERCISE and len(kinds) > 1:
            raise self.error(line, f"a .{min(kinds & EXERCISE)} cannot be anything else")
        return language, kinds

    def _attach(self, output: Output) -> None:
        line = output.line - 1
        if not self.blocks:
            raise self.error(line, "an output block stands before any python block")
        block = self.blocks[-1]
        if block.output:
            raise self.error(line, f"the block of line {block.line} has an output already")
        for kind in ("notest", "source", "exercise", "solution"):
            if kind in block.kinds:
                raise self.error(line, f"the output of a .{kind} block would not be compared")
        self.blocks[-1] = replace(block, output=output)

    @property
    def head(self) -> str:
        return match[0] if (match := FRONT.match(self.text)) else ""

    @cached_property
    def prose(self) -> str:
        """The page with its fences and its head blanked out, each character in its place."""
        text = blank(self.text, 0, len(self.head))
        for fence in self.fences:
            text = blank(text, *(self.offsets[line] for line in span(fence)))
        return text


def place(step: Block | Check | Table) -> int:
    """The line at which a step runs: its own, but for a check that waits for an answer."""
    return step.asked if isinstance(step, Check) else step.line


def span(fence: Token) -> tuple[int, int]:
    """The first line of a fence and the one below its last, counted from 0."""
    assert fence.map
    first, last = fence.map
    return first, last
