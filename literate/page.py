"""A Markdown page as blocks, their outputs, and the numbers of its prose: the one parser.

Everything that reads a page asks here. A page whose notation is broken raises `PageError`, which
names the page, the line, and what was probably meant.
"""

import ast
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

KINDS = {"fresh", "raises", "gpu", "notest", "exercise", "check", "solution", "mistake"}
ALIASES = {"py", "python3", "pycon", "{.python", "{.py", "{python"}
TITLE = re.compile(r"""title=(["'])(.*?)\1""")
# A number, perhaps with a unit, or the end of some words; then the comment that checks it.
CHECK = re.compile(
    r"(?P<printed>[-+−]?(?<![\w.,])\d[\d,\u202f]*(?:\.\d+)?)?(?P<unit>[ \u202f]?%|×)?"
    r"<!--=(?P<expression>.*?)-->",
    re.S,
)
INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:.(?!\n\s*\n))+?(?<!`)\1(?!`)", re.S)


class PageError(Exception):
    """Broken notation, in one sentence that begins with the page and the line."""


@dataclass(frozen=True)
class Output:
    """What a page says that a block prints."""

    line: int  # of its first line of text; lines count from 1
    text: str
    start: int  # where the text stands in the page, as offsets
    end: int
    indent: str  # what stands before each of its lines


@dataclass(frozen=True)
class Block:
    """A block of Python."""

    line: int  # of its first line of code
    code: str
    kinds: frozenset[str]
    title: str
    after: int  # the offset at which its fence ends
    indent: str
    output: Output | None = None


@dataclass(frozen=True)
class Check:
    """A number or a claim in prose, with the expression that it must agree with."""

    line: int
    printed: str  # empty for a claim
    unit: str
    expression: str
    start: int  # of what is printed
    end: int


@dataclass
class Page:
    """A page, parsed. `path` is only for messages; `text` is what is read."""

    path: Path
    text: str
    blocks: list[Block] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> "Page":
        return cls(path, path.read_text("utf-8"))

    def __post_init__(self) -> None:
        ends = [match.end() for match in re.finditer("\n", self.text)]
        self.offsets = [0, *ends, len(self.text)]  # where each line starts
        for fence in self.fences:
            self._add(fence)
        self.checks = list(self._find_checks())

    @cached_property
    def fences(self) -> list[Token]:
        # Without indented code blocks, a fence inside an admonition or a tab is a fence.
        parser = MarkdownIt("commonmark").disable("code")
        return [token for token in parser.parse(self.text) if token.type == "fence" and token.map]

    @property
    def steps(self) -> list[Block | Check]:
        """Blocks and checks in the order of the page."""
        return sorted([*self.blocks, *self.checks], key=lambda step: step.line)

    def error(self, line: int, message: str) -> PageError:
        return PageError(f"{self.path}:{line}: {message}")

    def _add(self, fence: Token) -> None:
        first, last = fence.map or (0, 0)
        closing = self.text[self.offsets[last - 1] : self.offsets[last]].lstrip(" \t>").strip()
        if last - 1 == first or not closing.startswith(fence.markup):
            raise self.error(first + 1, "this fence is never closed")
        language, kinds = self._kinds(first + 1, fence.info)
        indent = re.match(r"[ \t>]*", self.text[self.offsets[first] :])
        indent = indent[0] if indent else ""
        start, end = self.offsets[first + 1], self.offsets[last - 1]
        if "output" in kinds:
            if language != "text":
                raise self.error(
                    first + 1, f"an output block is ```text {{.output}}, not {language!r}"
                )
            self._attach(Output(first + 2, fence.content, start, end, indent))
        elif language == "python":
            title = TITLE.search(fence.info)
            after = self.offsets[last]
            self.blocks.append(
                Block(first + 2, fence.content, kinds, title[2] if title else "", after, indent)
            )

    def _kinds(self, line: int, info: str) -> tuple[str, frozenset[str]]:
        language = info.split(maxsplit=1)[0] if info.split() else ""
        if language.lower() in ALIASES or language.lower() == "python" != language:
            raise self.error(line, f"{language!r} would be shown and never run: write ```python")
        braces = re.search(r"\{(.*)\}", info)
        kinds = frozenset(re.findall(r"(?<!\S)\.([\w-]+)", braces[1])) if braces else frozenset()
        known = KINDS if language == "python" else {"output"}
        for kind in sorted(kinds - known) if language in ("python", "text") else ():
            close = get_close_matches(kind, known, 1)
            meant = (
                f"did you mean .{close[0]}?" if close else f"expected {', '.join(sorted(known))}"
            )
            raise self.error(line, f"a {language} block cannot be .{kind}: {meant}")
        return language, kinds

    def _attach(self, output: Output) -> None:
        line = output.line - 1
        if not self.blocks:
            raise self.error(line, "an output block stands before any python block")
        block = self.blocks[-1]
        if block.output:
            raise self.error(line, f"the block of line {block.line} has an output already")
        if "notest" in block.kinds:
            raise self.error(line, f"the block of line {block.line} is .notest and prints nothing")
        self.blocks[-1] = Block(
            block.line, block.code, block.kinds, block.title, block.after, block.indent, output
        )

    def _find_checks(self):
        prose = self._prose()
        for match in CHECK.finditer(prose):
            line = prose.count("\n", 0, match.start("expression")) + 1
            expression = match["expression"].strip()
            printed, unit = match["printed"] or "", match["unit"] or ""
            if unit and not printed:
                raise self.error(
                    line, f"no number stands before {unit.strip()}<!--= {expression} -->"
                )
            try:
                ast.parse(expression, mode="eval")
            except SyntaxError:
                raise self.error(
                    line, f"{expression!r} is not an expression: write 0.5<!--= expression -->"
                ) from None
            end = match.end("unit") if unit else match.end("printed") if printed else match.start()
            start = match.start("printed") if printed else match.start()
            yield Check(line, printed, unit, expression, start, end)
        whole = {match.end("expression") for match in CHECK.finditer(prose)}
        for match in re.finditer("<!--=", prose):
            if not any(match.end() <= end for end in whole):
                line = prose.count("\n", 0, match.start()) + 1
                raise self.error(line, "the comment of a checked number has no -->")

    def _prose(self) -> str:
        """The page with its code blanked out, each character in its place."""
        text = self.text
        for fence in self.fences:
            first, last = fence.map or (0, 0)
            text = blank(text, self.offsets[first], self.offsets[last])
        for match in INLINE_CODE.finditer(text):
            text = blank(text, *match.span())
        return text


def blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
