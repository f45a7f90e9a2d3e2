"""Exercises: a stub, a check, mistakes that people make, and a solution.

The check must refuse the stub, refuse each mistake with a message of its own, and accept the
solution. What it says of a mistake stands in the output block below the mistake; what it says of
the stub may stand in the one below the check.
"""

from collections import Counter
from dataclasses import dataclass, field

from literate.pages.block import Block
from literate.pages.page import Page
from literate.running.module import Module

REFUSAL = "AssertionError: "


@dataclass
class Exercise:
    stub: Block
    check: Block | None = None
    mistakes: list[Block] = field(default_factory=list)
    solution: Block | None = None

    @property
    def lines(self) -> list[int]:
        """Where its attempts stand: the stub, the mistakes, the solution."""
        return [block.line for block in (self.stub, *self.mistakes, self.solution) if block]


def exercises(page: Page) -> list[Exercise]:
    """The exercises of a page, or the `PageError` that says what one of them lacks."""
    found: list[Exercise] = []
    for block in page.blocks:
        if "exercise" in block.kinds:
            found.append(Exercise(block))
        for part in block.kinds & {"check", "mistake", "solution"}:
            if not found:
                raise page.error(block.line, f"a .{part} needs an .exercise above it")
            if part == "mistake":
                found[-1].mistakes.append(block)
            elif getattr(found[-1], part):
                raise page.error(block.line, f"this exercise has a .{part} already")
            else:
                setattr(found[-1], part, block)
    for exercise in found:
        line = exercise.stub.line
        if not exercise.check or not exercise.solution:
            lacks = "solution" if exercise.check else "check"
            raise page.error(line, f"this exercise has no .{lacks}")
        for block in exercise.mistakes:
            if not block.output:
                raise page.error(
                    block.line, "a .mistake needs an output: what the check says of it"
                )
        said = Counter(block.output.text for block in exercise.mistakes if block.output)
        if any(count > 1 for text, count in said.items() if text.strip()):
            raise page.error(line, "two mistakes of this exercise get the same message")
    return found


@dataclass(frozen=True)
class Verdict:
    """What the check said of one attempt: `fault` is what is wrong with the exercise itself."""

    said: str
    shown: Block | None = None  # the block whose output should hold what was said
    fault: str = ""


def verdict(module: Module, exercise: Exercise, attempt: Block) -> Verdict:
    """Run one attempt at an exercise, and its check."""
    assert exercise.check is not None
    said = module.attempt(attempt, exercise.check)
    if "solution" in attempt.kinds:
        return Verdict(said, fault=said and f"the check refuses the solution: {said}")
    kind = "stub" if "exercise" in attempt.kinds else "mistake"
    if not said:
        return Verdict(said, fault=f"the check passes on the {kind}: it must fail")
    if not said.startswith(REFUSAL) or not said.removeprefix(REFUSAL).strip():
        return Verdict(said, fault=f"the check has no message for the {kind}: it raises {said}")
    shown = exercise.check if kind == "stub" else attempt
    return Verdict(said, shown=shown if shown.output else None)
