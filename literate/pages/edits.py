"""Rewriting pages: replacements by position, all at once, only in the text that was read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from literate.pages.block import Block
from literate.pages.page import Page


@dataclass(frozen=True)
class Edit:
    """Put `text` where the page has the characters from `start` to `end`."""

    start: int
    end: int
    text: str


def output_edit(page: Page, block: Block, printed: str) -> Edit:
    """Write what a block printed into its output, or make it one."""
    if re.search(r"^\s*(```|~~~)", printed, re.M):
        raise page.error(block.line, "the block prints a fence, which would end its own output")
    indent = block.output.indent if block.output else block.indent
    body = indented(printed, indent)
    if block.output:
        return Edit(block.output.start, block.output.end, body)
    fence = f"\n{indent}```text {{.output}}\n{body}{indent}```\n"
    return Edit(block.after, block.after, fence)


def indented(text: str, indent: str) -> str:
    """The lines of a text as they stand in a page, without spaces at their ends."""
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in text.splitlines())


def apply(path: Path, page: Page, edits: list[Edit]) -> int:
    """Rewrite the file of a page; how many places changed."""
    if path.read_bytes() != page.text.encode("utf-8"):
        raise page.error(1, "changed while it ran: nothing was rewritten, run again")
    text = page.text
    for edit in sorted(set(edits), key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    if text != page.text:
        write(path, text)
    return len(set(edits))


def numbers(page: Page, edits: list[Edit]) -> Iterator[str]:
    """Which numbers become others: a wrong expression makes a wrong number of a right one."""
    for edit in sorted(set(edits), key=lambda edit: edit.start):
        old = page.text[edit.start : edit.end]
        if old and "\n" not in old:
            line = page.text.count("\n", 0, edit.start) + 1
            yield f"{page.path}:{line}: {old} → {edit.text}"


def write(path: Path, text: str) -> None:
    """Replace a file at once: whole or not at all."""
    new = path.with_suffix(".new")
    new.write_text(text, "utf-8")
    new.replace(path)
