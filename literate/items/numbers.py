"""The tests of the numbers of a page: in sentences, and in tables; and of its claims."""

import re
from typing import Any

from literate.items.base import UPDATE, Item, Mismatch
from literate.pages.edits import Edit
from literate.pages.prose import COMMENT, Check
from literate.pages.syntax import parse
from literate.pages.tables import Cell, Table
from literate.rules.compare import same_number, spell
from literate.rules.sides import beyond, unsided
from literate.rules.unfailing import of_the_page
from literate.rules.values import as_number, truth

# What marks words up, and belongs to none.
NOT = r"(?<!\bnot )(?<!\bno )(?<!\bnever )"
MARKS = re.compile(r"[*_`]|\]\([^()\s]*\)|\[")


class CheckItem(Item[Check]):
    """A number in prose is the value of its expression; a claim is true, or says its words."""

    def check(self) -> None:
        step, value = self.step, self.run.module.value(self.step)
        if not step.printed:
            if isinstance(value, str):
                self.words(value)
            elif not truth(value):
                raise Mismatch(step.line, f"the claim {step.expression} is {value}: expected True")
            return
        number = as_number(value)
        if number is None:
            came = f"{value}"[:200]
            raise Mismatch(step.line, f"{step.expression} is {came}: expected a finite number")
        self.run.values[step.start] = number
        if same_number(step.printed, step.unit, number):
            self.side(number)
            return
        spelled = spell(step.printed, step.unit, number)
        if self.updating and spelled != step.printed:
            self.run.edits.append(Edit(step.start, step.start + len(step.printed), spelled))
            return
        came = f"{step.expression} is {spelled}{step.unit} (in full {number!r}; {UPDATE})"
        raise Mismatch(step.line, f"the page says {step.printed}{step.unit}, but {came}")

    def words(self, value: str) -> None:
        """The last words before a claim are the text that its expression finds, in the page."""
        expression = self.step.expression
        if not of_the_page(parse(expression, "eval").body, {"__import__"}):
            raise Mismatch(self.step.line, f"{expression} types its text: let the page find it")
        before = COMMENT.sub("", self.run.page.prose[: self.step.start].rpartition("\n\n")[2])
        said, meant = (" ".join(MARKS.sub("", text).split()) for text in (before, value))
        found = rf"(?<![\w-])(?i:{re.escape(meant[:1])}){re.escape(meant[1:])}$"
        if not meant or not re.search(NOT + found, said):
            last = " ".join(said.split()[-max(1, len(meant.split())) :])
            message = f"the page says {last!r}, but {expression} is {value!r}"
            raise Mismatch(self.step.line, message)

    def side(self, number: float) -> None:
        """The value lies where the words before the number say: above it, or below."""
        step, before = self.step, self.run.page.prose[: self.step.start]
        came = f"{step.expression} is {number!r}"
        words = beyond(before, step.printed, step.unit, number)
        if not words:
            words = unsided(before, step.printed, step.unit, number, step.expression)
            came += f": let it ask for {words} in a claim, words<!--= x > 3 -->"
        if words:
            message = f"the page says {words} {step.printed}{step.unit}, but {came}"
            raise Mismatch(step.line, message)


class TableItem(Item[Table]):
    """A tensor fills the body of a table."""

    def check(self) -> None:
        step = self.step
        value: Any = self.run.module.value(step)
        rows = value.tolist() if hasattr(value, "tolist") else value
        if not isinstance(rows, list | tuple):
            raise Mismatch(step.line, f"{step.expression} is {rows}: expected a tensor or lists")
        if rows and not isinstance(rows[0], list | tuple):
            rows = [rows] if len(step.rows) == 1 else [[number] for number in rows]
        numbers = [[as_number(number) for number in row] for row in rows]
        shown, came = [len(row) for row in step.rows], [len(row) for row in numbers]
        if shown != came:
            message = f"the table has rows of {shown} cells, but {step.expression} has {came}"
            raise Mismatch(step.line, message)
        for printed, row in zip(step.rows, numbers, strict=True):
            for cell, number in zip(printed, row, strict=True):
                self.cell(cell, number)

    def cell(self, cell: Cell | None, number: float | None) -> None:
        step = self.step
        if cell is None or number is None:
            raise Mismatch(step.line, f"a cell of the table of {step.expression} is no number")
        if same_number(cell.printed, cell.unit, number):
            return
        spelled = spell(cell.printed, cell.unit, number)
        if not self.updating or spelled == cell.printed:
            came = f"{step.expression} has {spelled}{cell.unit} there ({UPDATE})"
            raise Mismatch(cell.line, f"the table says {cell.printed}{cell.unit}, but {came}")
        self.run.edits.append(Edit(cell.start, cell.start + len(cell.printed), spelled))
