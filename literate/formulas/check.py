"""The check of one formula: that it holds, and that none that is nearly the same does."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from literate.formulas.arithmetic import close
from literate.formulas.indices import Given, number
from literate.formulas.tokens import RELATIONS, Sign, signs
from literate.formulas.tree import Reader, Unread
from literate.formulas.values import COLUMNS, holds, values

OTHER = {"+": "-", "-": "+", "<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
OTHER |= {r"\sin": r"\cos", r"\cos": r"\sin", r"\max": r"\min", r"\min": r"\max"}
LEFT_OUT = {r"\exp", r"\ln", r"\tanh", r"\sqrt", r"\sum"}


Outcome = list[bool | object]


def formula(
    latex: str,
    *cases: dict[str, object],
    where: Callable | None = None,
    columns: bool = False,
    **given: object,
) -> bool | object:
    """Whether a formula holds for these values; of one without a relation, its value in each case.

    Args:
        latex: The formula.
        cases: Values of names for which it must hold, one case after another.
        where: For which indices it must hold, by their names; for all if not given.
        columns: Whether its vectors are columns.
        given: The values of its names in every case.
    """
    said = signs(latex)
    given = {"e": math.e} | given | ({COLUMNS: True} if columns else {})
    every = [given | case for case in cases or ({},)]
    with np.errstate(all="ignore"):
        found = [outcome(said, case, where) for case in every]
        if not any(one is False for case in found for one in case):
            for near, change in neighbours(said):
                if all(map(alike, [near] * len(every), found, every, [where] * len(every))):
                    raise Unread(f"it would be so with {change} too: give other values")
    if all(isinstance(one, bool) for case in found for one in case):
        return all(one for case in found for one in case)
    told = [one if len(one) > 1 else one[0] for one in found]
    return told if cases else told[0]


def outcome(said: list[Sign], given: Given, where: Callable | None) -> Outcome:
    """Of each relation whether it holds, of anything else its values, an axis for each index."""
    called = {name for name, one in given.items() if callable(one)}
    return [
        holds(tree, given, where) if tree[0] in ("related", "same") else values(tree, given)
        for tree in Reader(said, called).all()
    ]


def alike(near: list[Sign], found: Outcome, given: Given, where: Callable | None) -> bool:
    """Whether a changed formula comes to the same."""
    try:
        other = outcome(near, given, where)
    except Exception:  # of a shape that does not fit, say, or a name without a value
        return False
    return len(other) == len(found) and all(
        one is two if isinstance(one, bool) else close(number(one), number(two))
        for one, two in zip(found, other, strict=True)
    )


def neighbours(said: list[Sign]) -> Iterator[tuple[list[Sign], str]]:
    """The formula with one sign changed or left out, and what was changed."""
    for place, one in enumerate(said):
        for other in others(one, said):
            yield [*said[:place], *other, *said[place + 1 :]], told(one, other)
        if one.text == "^" and [x.text for x in said[place + 1 : place + 2]] == [r"\top"]:
            yield [*said[:place], *said[place + 2 :]], r"\top left out"


def told(one: Sign, other: list[Sign]) -> str:
    return f"{other[0].text} for {one.text}" if other else f"{one.text} left out"


def others(one: Sign, said: list[Sign]) -> Iterator[list[Sign]]:
    if one.text in OTHER:
        yield [one._replace(text=OTHER[one.text])]
    if one.text in LEFT_OUT:
        yield []
    if one.kind == "number":
        number = int(float(one.text))
        yield [one._replace(text=str(number + max(1, number // 10)))]
    if one.kind == "name" and one.text not in ("becomes", *RELATIONS):
        for text in sorted({x.text for x in said if x.kind == "name" and x.below == one.below}):
            if text != one.text:
                yield [one._replace(text=text)]
