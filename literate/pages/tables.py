"""Checked tables: a Markdown table, then `<!--= weights -->` on a line of its own.

The tensor fills the body of the table, to the digits shown. A first column of words names the rows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

TABLE = re.compile(
    r"^(?P<indent>[ \t>]*)\|.*\n(?P=indent)\|[ :|-]+\|[ \t]*\n(?P<body>(?:(?P=indent)\|.*\n)+)"
    r"[ \t>]*\n?(?P=indent)(?P<comment><!--=(?P<expression>.*?)-->)[ \t]*$",
    re.M,
)
CELL = re.compile(r"(?<=\|)[^|\n]*(?=\|)")
NUMBER = re.compile(r"[-+−]?\d+(?:[,\u202f]\d{3})*(?:\.\d+)?%?")


@dataclass(frozen=True)
class Cell:
    """A number in the body of a table."""

    line: int
    printed: str
    unit: str
    start: int


@dataclass(frozen=True)
class Table:
    """A checked table: its rows of numbers, and the expression that fills them."""

    line: int  # of the comment
    expression: str
    rows: list[list[Cell | None]]  # None where a cell is no number
    comment: tuple[int, int]
    formula: ClassVar[str] = ""  # only a check in a sentence asks about one

    @property
    def title(self) -> str:
        return self.expression


def tables(prose: str) -> Iterator[Table]:
    """The checked tables of a text whose fences are blank."""
    for match in TABLE.finditer(prose):
        start = match.start("body")
        rows: list[list[Cell | None]] = []
        for row in match["body"].splitlines(keepends=True):
            line = prose.count("\n", 0, start) + 1
            rows.append([cell(line, start, part) for part in CELL.finditer(row)])
            start += len(row)
        if rows and all(row and row[0] is None for row in rows):
            rows = [row[1:] for row in rows]
        line = prose.count("\n", 0, match.start("comment")) + 1
        yield Table(line, match["expression"].strip(), rows, match.span("comment"))


def cell(line: int, start: int, part: re.Match[str]) -> Cell | None:
    text = part[0].strip()
    if not NUMBER.fullmatch(text):
        return None
    unit = "%" if text.endswith("%") else ""
    at = start + part.start() + part[0].index(text)
    return Cell(line, text.removesuffix("%"), unit, at)
