"""The tests of a page: a block, a checked number or claim, an attempt at an exercise."""

import math
import traceback
from typing import Any

from literate import figures
from literate.compare import same_error, same_number, same_output, spell
from literate.edits import Edit
from literate.exercises import verdict
from literate.item import UPDATE, Item, Mismatch
from literate.page import Block
from literate.prose import Check


class BlockItem(Item[Block]):
    """A block runs, prints what its output says, and saves the figures that the page shows."""

    def check(self) -> None:
        step = self.step
        printed = self.module.run(step)
        for name, data in self.module.saved().items():
            self.figure(name, data)
        want, error = step.output.text if step.output else "", ""
        if printed.error:  # below what was printed stands the error
            lines = want.splitlines(keepends=True)
            above = len(printed.text.splitlines())
            want, error = "".join(lines[:above]), "".join(lines[above:])
        same = same_output(want, printed.text)
        if printed.error:
            kind, ours = type(printed.error).__name__, raised_by_package(printed.error)
            same = same and same_error(error, kind, str(printed.error), ours)
        if not same:
            self.differs(step, printed.whole)

    def figure(self, name: str, data: bytes) -> None:
        line, target = self.step.line, figures.committed(self.path, name)
        if "/" in name or not name.endswith(".svg"):
            raise Mismatch(line, f"the block saves {name}: a figure is an .svg, in no folder")
        svg = figures.tidy(data.decode("utf-8"))
        shown = f"figures/{self.path.stem}/{name}"
        if shown not in self.module.page.text:
            raise Mismatch(line, f"the block saves {name}, but the page does not show {shown}")
        if target.exists() and figures.same_figure(target.read_text("utf-8"), svg):
            return
        if not self.updating:
            state = "is not the one in" if target.exists() else "has no file"
            raise Mismatch(line, f"the figure that the block saves {state} {shown} ({UPDATE})")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(svg, "utf-8")


class CheckItem(Item[Check]):
    """A number in prose is the value of its expression; a claim is true."""

    def check(self) -> None:
        step, value = self.step, self.module.value(self.step)
        if not step.printed:
            if not truth(value):
                raise Mismatch(step.line, f"the claim {step.expression} is {value}: expected True")
            return
        try:
            if truth(value) is not None or isinstance(value, str):
                raise TypeError
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, RuntimeError, OverflowError):
            raise Mismatch(step.line, f"{step.expression} is {value}: expected a number") from None
        if same_number(step.printed, step.unit, number):
            return
        if not math.isfinite(number):
            raise Mismatch(step.line, f"{step.expression} is {number}: expected a finite number")
        spelled = spell(step.printed, step.unit, number)
        if self.updating and spelled != step.printed:
            self.edits.append(Edit(step.start, step.start + len(step.printed), spelled))
            return
        came = f"{step.expression} is {spelled}{step.unit} (in full {number!r}; {UPDATE})"
        raise Mismatch(step.line, f"the page says {step.printed}{step.unit}, but {came}")


class ExerciseItem(Item[Block]):
    """A check refuses the stub and the mistakes, in its own words, and accepts the solution."""

    def check(self) -> None:
        assert self.task
        result = verdict(self.module, self.task, self.step)
        if result.fault:
            raise Mismatch(self.step.line, result.fault)
        shown = result.shown
        if shown and shown.output and not same_output(shown.output.text, result.said):
            self.differs(shown, result.said + "\n")


def truth(value: Any) -> bool | None:
    """A truth value as a bool, of Python, torch or numpy; None for anything else."""
    if isinstance(value, bool):
        return value
    if str(getattr(value, "dtype", "")).endswith("bool") and math.prod(value.shape) == 1:
        return bool(value)
    return None


def raised_by_package(error: BaseException) -> bool:
    """Whether the package itself refused: its messages are compared whole."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").partition(".")[0] == "attention"
