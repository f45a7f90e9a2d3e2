"""The check of a formula: that it holds, and that none that is nearly the same would do as well."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from literate.formulas.arithmetic import CALLED
from literate.formulas.cursor import Unread
from literate.formulas.indices import Given, named_by, ranges
from literate.formulas.nodes import Node
from literate.formulas.tokens import Sign, signs
from literate.formulas.tree import Reader
from literate.formulas.values import COLUMNS, holds, values
from literate.rules.values import truth

OTHER = {"+": "-", "-": "+", "<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le"}
OTHER |= {r"\sin": r"\cos", r"\cos": r"\sin", r"\max": r"\min", r"\min": r"\max"}
LEFT_OUT = {"^", r"\exp", r"\ln", r"\tanh", r"\sqrt", r"\sum"}


def held(latex: str, ask: Callable[[Callable], Any]) -> Any:
    """What a check says of the formula before it; it must not say yes to a neighbour too.

    Args:
        latex: The formula.
        ask: The check, as a function of what it calls `formula`.
    """
    said = signs(latex)
    answer = ask(partial(formula, said))
    if truth(answer):
        for near, change in neighbours(said):
            if says_yes(partial(formula, near), ask):
                raise Unread(f"with {change} it would be so too: give other values")
    return answer


def says_yes(near: Callable, ask: Callable[[Callable], Any]) -> bool:
    try:
        return truth(ask(near)) is True
    except Exception:  # of a shape that does not fit, say, or a name without a value
        return False


def formula(
    said: list[Sign],
    *cases: dict[str, object],
    where: Callable | None = None,
    columns: bool = False,
    **given: object,
) -> Any:
    """Whether a formula holds for these values; of one without a relation, its value in each case.

    Args:
        said: The signs of the formula.
        cases: Values of names for which it must hold, one case after another.
        where: For which indices it must hold, by their names; for all if not given.
        columns: Whether its vectors are columns.
        given: The values of its names in every case.
    """
    given = {"e": math.e} | given | ({COLUMNS: True} if columns else {})
    with np.errstate(all="ignore"):
        try:
            found = [outcome(said, given | case, where) for case in cases or ({},)]
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise Unread(f"it is not read: {error!r}") from error
    if all(isinstance(one, bool) for case in found for one in case):
        return all(one for case in found for one in case)
    came = [one if len(one) > 1 else one[0] for one in found]
    return came if cases else came[0]


def outcome(said: list[Sign], given: Given, where: Callable | None) -> list[bool | object]:
    """Of each relation whether it holds, of anything else its values, an axis for each index."""
    own = {name for name, one in given.items() if callable(one)}
    trees = Reader(said, own | ({*CALLED} - {*given})).all()
    if where is not None and not any(asks(where, tree, given) for tree in trees):
        raise Unread("where= names what is no index")
    return [
        holds(tree, given, where) if tree[0] in ("related", "same") else values(tree, given)
        for tree in trees
    ]


def asks(where: Callable, tree: Node, given: Given) -> bool:
    """Whether all that a condition names is an index of a formula."""
    return {*named_by(where)} <= {*ranges(tree, given, set())}


def neighbours(said: list[Sign]) -> Iterator[tuple[list[Sign], str]]:
    """The formula with one sign changed or left out, or two swapped, and what was done."""
    for place, one in enumerate(said):
        behind = said[place + 1 :]
        for other in others(one, said):
            yield [*said[:place], *other, *behind], told(one, other)
        if one.text == "^" and behind[:1] and behind[0].text == r"\top":
            yield [*said[:place], *behind[1:]], r"\top left out"
        swaps = bool(behind) and one.below and behind[0].below and one.text != behind[0].text
        if swaps and one.kind == behind[0].kind == "name":
            swapped = [*said[:place], behind[0], one, *behind[1:]]
            yield swapped, f"{behind[0].text}{one.text} for {one.text}{behind[0].text}"


def told(one: Sign, other: list[Sign]) -> str:
    return f"{other[0].text} for {one.text}" if other else f"{one.text} left out"


def others(one: Sign, said: list[Sign]) -> Iterator[list[Sign]]:
    """What is put in the place of one sign."""
    if one.text in OTHER:
        yield [one._replace(text=OTHER[one.text])]
    if one.text in LEFT_OUT:
        yield []
    if one.kind == "number":
        number = int(float(one.text))
        yield [one._replace(text=str(number + max(1, number // 10)))]
    if one.kind == "name" and one.text != "becomes":
        alike = {x.text: x for x in said if x.kind == "name" and x.below == one.below}
        for text in sorted({*alike} - {one.text, "becomes"}):
            yield [alike[text]]
