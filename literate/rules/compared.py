"""The numbers that an expression compares something with.

An index, an exponent and what a function is given are none: `(x == arange(6)).sum() == 5` asks for
five. Sides without names are worked out: `share < 1 / (10 * 1000)`. Where both have names, a factor
counts, `x > 2 * y`, and the length of a list, `best == [0, 3]`.
"""

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from literate.pages.syntax import name_of
from literate.rules.worked import within, worked

EQUAL = {"equal", "allclose", "isclose", "eq"}
COMPREHENSION = ast.ListComp | ast.SetComp | ast.GeneratorExp
Sides = tuple[ast.expr, ast.expr, type[ast.cmpop]]


@dataclass(frozen=True)
class Known:
    """The numbers of a comparison: as they stand in it, and as it might have been written too."""

    typed: frozenset[float]
    turned: frozenset[float]  # `5 * x < 1` is `x < 1 / 5`

    def has(self, number: float) -> bool:
        return any(math.isclose(number, one, rel_tol=1e-12) for one in self.typed | self.turned)

    def __or__(self, other: "Known") -> "Known":
        return Known(self.typed | other.typed, self.turned | other.turned)


NOTHING = Known(frozenset(), frozenset())


def compared(tree: ast.AST) -> Known:
    """The numbers of all comparisons that are not part of another."""
    known = NOTHING
    for sides in outer(tree):
        known |= numbers(*sides)
    return known


def outer(tree: ast.AST) -> Iterator[Sides]:
    if isinstance(tree, ast.Compare):
        yield from links(tree)
    elif isinstance(tree, ast.Call) and name_of(tree) in EQUAL and (both := two(tree)):
        yield (*both, ast.Eq)
    else:
        for part in ast.iter_child_nodes(tree):
            yield from outer(part)


def links(tree: ast.Compare) -> Iterator[Sides]:
    """Each comparison, one by one in a chain."""
    pairs = pairwise([tree.left, *tree.comparators])
    for (left, right), how in zip(pairs, tree.ops, strict=True):
        yield left, right, type(how)


def two(call: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """What a function compares, be it one of torch or a method."""
    if len(call.args) > 1:
        return call.args[0], call.args[1]
    if call.args and isinstance(call.func, ast.Attribute):
        return call.func.value, call.args[0]
    return None


def numbers(left: ast.expr, right: ast.expr, how: type[ast.cmpop]) -> Known:
    if how in (ast.Gt, ast.GtE):
        left, right = right, left
    less = how in (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    one, other = worked(left), worked(right)
    if less and other is not None and (sides := difference(left)):
        near = numbers(*sides, ast.Eq)  # abs(x - 0.5) < 0.01 compares x with 0.5
        if near.typed:
            return near
    if one is None and other is None:
        typed = frozenset(abs(number) for number in (*factors(left), *factors(right)))
        return Known(typed, frozenset())
    typed = frozenset(abs(number) for number in (one, other) if number is not None)
    turned = {*turn(left, other)} if one is None else {*turn(right, one)} if other is None else ()
    return Known(typed, frozenset(map(abs, turned)))


def difference(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two that a distance lies between."""
    inner = within(node)
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    if "abs" in map(name_of, calls) and isinstance(inner, ast.BinOp):
        return (inner.left, inner.right) if isinstance(inner.op, ast.Sub) else None
    return None


def turn(node: ast.expr, number: float | None) -> Iterator[float]:
    """What a part of a side is compared with, if the whole is compared with a number."""
    node = within(node)
    if not number or not isinstance(node, ast.BinOp):
        return
    left, right = worked(node.left), worked(node.right)
    if isinstance(node.op, ast.Mult) and (left or right):
        found, rest = number / (left or right or 1), node.right if left else node.left
    elif isinstance(node.op, ast.Div) and right:
        found, rest = number * right, node.left
    elif isinstance(node.op, ast.Div):
        found, rest = (left / number, node.right) if left else (number, node.left)
    else:
        return
    yield found
    yield from turn(rest, found)


def factors(node: ast.expr) -> Iterator[float]:
    """The factors and summands of a side with names; the lengths of its lists.

    A divisor is a part: `x == y / 2` is half, and `x == 2 * y` twice.
    """
    node = within(node)
    number = worked(node)
    if number is not None:
        yield number
    elif isinstance(node, ast.BinOp):
        yield from factors(node.left)
        if isinstance(node.op, ast.Div):
            yield from (1 / number for number in factors(node.right) if number)
        elif not isinstance(node.op, ast.Pow):
            yield from factors(node.right)
    elif isinstance(node, ast.UnaryOp):
        yield from factors(node.operand)
    elif isinstance(node, ast.Tuple):
        for part in node.elts:
            yield from factors(part)
    elif isinstance(node, ast.List | ast.Set):
        if len(node.elts) > 1 and not any(isinstance(part, ast.Starred) for part in node.elts):
            yield len(node.elts)
    elif isinstance(node, COMPREHENSION):
        yield from factors(node.elt)
