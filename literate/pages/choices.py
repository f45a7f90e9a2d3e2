"""The predictions of a page: which choice is right, and what shows that it is.

The right choice has a check in its words, before the colon behind which its answer stands. It is
asked behind the block that follows, which most often computes the answer. What was measured
elsewhere has a source, there or in the answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from literate.pages.block import Block
from literate.pages.prose import CODE, COMMENT, FORMULA, Check, hidden

MARK = re.compile(r"\((?P<mark>x| )\)\s+")
COLON = re.compile(r":(?=\s|$)")  # a ratio, 1:3, is none
ITEM = re.compile(rf"^[ \t>]*[-*+] +{MARK.pattern}(?P<words>.*)$", re.M)
SOURCE = "<!-- source: "


@dataclass(frozen=True)
class Choice:
    """One of the choices of a prediction: its words, then its answer."""

    right: bool
    line: int
    start: int
    colon: int  # where its words end
    end: int

    def says(self, check: Check) -> bool:
        """Whether a check stands in its words."""
        return self.start <= check.start and check.end <= self.colon


def predictions(prose: str) -> Iterator[list[Choice]]:
    """The choices of each prediction of a text whose fences are blank."""
    seen = prose
    for pattern in (CODE, COMMENT, FORMULA):
        seen = pattern.sub(hidden, seen)
    before: list[Choice] = []
    for item in ITEM.finditer(prose):
        start, end = item.span("words")
        colon = COLON.search(seen, start, end)
        line = prose.count("\n", 0, start) + 1
        choice = Choice(item["mark"] == "x", line, start, colon.start() if colon else end, end)
        if before and choice.line > before[-1].line + 1:
            yield before
            before = []
        before.append(choice)
    if before:
        yield before


def asked(check: Check, found: Sequence[Sequence[Choice]], blocks: Sequence[Block]) -> int:
    """The line from which a check is asked: its own, or that below the block that answers."""
    if any(choice.right and choice.says(check) for one in found for choice in one):
        for block in blocks:
            if block.line > check.line and block.stays:
                return block.line + block.code.count("\n")
    return check.line


def undecided(
    prose: str, found: Sequence[Sequence[Choice]], checks: Sequence[Check]
) -> Iterator[tuple[int, str]]:
    """Where nothing tells the right choice from the others, with the line."""
    for one in found:
        other = [
            check for choice in one if not choice.right for check in checks if choice.says(check)
        ]
        for check in other:
            if not check.printed:
                yield check.line, f"{check.expression} stands in the words of a wrong choice"
        for choice in (choice for choice in one if choice.right):
            shown = [check for check in checks if choice.says(check)]
            if not shown and SOURCE not in prose[choice.start : choice.end]:
                message = (
                    "nothing shows that this choice is right: put <!--= … --> before its colon"
                )
                yield choice.line, message
            elif other and all(check.printed for check in shown) and shown:
                message = "another choice has a number too: say of this one what no other is"
                yield choice.line, f"{message}, words<!--= … -->"
