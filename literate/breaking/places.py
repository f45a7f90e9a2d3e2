"""Which digits of a page are shown as results, and what each is changed to."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from literate.pages.block import Block
from literate.pages.page import Page
from literate.pages.pictures import committed
from literate.rules.results import in_words
from literate.running.exercises import exercises

Figures = dict[str, tuple[str, Block]]  # the text of each, and the block that saves it
Owner = tuple[int, int]  # the step whose own test must notice: its line, and where it starts
NUMBER = re.compile(r"\d[\d.,_\u202f]*")
ROUNDED = re.compile(r"\d+\.\d{3,}")  # to ±1 in the last: see literate/rules/compare.py
DECIMAL = re.compile(r"[\d,\u202f]+\.\d+")  # a checked one may lie between two
LABEL = re.compile(r">([^<]*)<")
# Code that draws, and remarks: nobody reads them.
UNSEEN = re.compile(r"<(style|metadata)\b.*?</\1>|<!--.*?-->|<\?.*?\?>|<![^>]*>", re.S)


@dataclass(frozen=True)
class Place:
    """One digit that is shown, and the other that is put in its place."""

    file: str  # the page or one of its figures
    at: int
    old: str
    new: str
    kind: str
    line: int
    words: str  # what stands around it, for the report
    owner: Owner | None = None  # none: anything that checks the page may notice


def places(page: Page, file: str, figures: Figures) -> Iterator[Place]:
    """The digits of a page and of its figures."""
    return chain(printed(page, file), checked(page, file), worded(page, file), drawn(figures))


def printed(page: Page, file: str) -> Iterator[Place]:
    stubs = {task.check.line: task.stub for task in exercises(page) if task.check}
    for block in page.blocks:
        if block.output and "gpu" not in block.kinds:
            step = stubs.get(block.line, block)  # what a check prints is of the stub
            start, end = block.output.start, block.output.end
            owner = (step.line, step.start)
            yield from digits(file, page.text, start, end, "output", ROUNDED, owner)


def checked(page: Page, file: str) -> Iterator[Place]:
    for check in page.checks:
        owner = (check.line, check.start)
        yield from digits(file, page.text, check.start, check.end, "number", DECIMAL, owner)
    for table in page.tables:
        for cell in filter(None, chain(*table.rows)):
            end = cell.start + len(cell.printed)
            owner = (table.line, 0)
            yield from digits(file, page.text, cell.start, end, "table", DECIMAL, owner)


def worded(page: Page, file: str) -> Iterator[Place]:
    for start, end, kind in in_words(page):
        yield from digits(file, page.text, start, end, kind, DECIMAL, None)


def drawn(figures: Figures) -> Iterator[Place]:
    for file, (text, block) in figures.items():
        seen = UNSEEN.sub(lambda match: " " * len(match[0]), text)
        rounded = ROUNDED if file.endswith(".html") else re.compile(r"(?!)")
        for label in LABEL.finditer(seen):
            named = re.sub(r"&#?\w+;", lambda match: "x" * len(match[0]), label[1])  # &#x27;
            owner = (block.line, block.start)
            for place in digits(file, named, 0, len(named), "figure", rounded, owner):
                yield replace(place, at=label.start(1) + place.at, line=block.line)


def digits(
    file: str, text: str, start: int, end: int, kind: str, rounded: re.Pattern, owner: Owner | None
) -> Iterator[Place]:
    """Each digit of a stretch; the last that may round changes by 2, any other by 1."""
    for number in NUMBER.finditer(text, start, end):
        shown = number[0].rstrip(".,_")
        last = number.start() + len(shown) - 1
        for match in re.finditer(r"\d", shown):
            at, old = number.start() + match.start(), int(match[0])
            far = 2 if at == last and rounded.fullmatch(shown) else 1
            new = old + far if old + far <= 9 else old - far
            line = text.count("\n", 0, at) + 1
            around = text[max(0, at - 30) : at + 30].replace("\n", "⏎")
            yield Place(file, at, match[0], str(new), kind, line, around, owner)


def changed(text: str, found: list[Place]) -> str:
    """The text of a file with other digits in these places."""
    letters = list(text)
    for place in found:
        assert letters[place.at] == place.old, place
        letters[place.at] = place.new
    return "".join(letters)


def figures_of(path: Path, saved: dict[str, Block]) -> Figures:
    """The committed figures of the page at a path."""
    files = {name: committed(path, name) for name in saved}
    return {
        name: (file.read_text("utf-8"), saved[name])
        for name, file in files.items()
        if file.exists()
    }
