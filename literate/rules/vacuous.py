"""A claim about each of no things is true of them, and says nothing: it is an error on a page.

`(sizes[2000:] < 1).all()` holds where there are fewer sizes, and so does `all(… for x in [])`.
"""

import ast
from collections.abc import Iterable
from types import CodeType
from typing import TypeVar

from literate.pages.syntax import name_of, parse

HOLDS_OF_NOTHING = {"all", "allclose", "any", "equal"}  # any: behind a `not`
T = TypeVar("T")


class Vacuous(Exception):
    """Something is asked of nothing."""

    def __init__(self) -> None:
        super().__init__("there is nothing that this could be false of")


def filled(value: T) -> T:
    """A tensor or an array that has elements; anything else passes."""
    if 0 in getattr(value, "shape", ()):
        raise Vacuous
    return value


def all(values: Iterable[object]) -> bool:
    return not any(not value for value in values)


def any(values: Iterable[object]) -> bool:
    nothing = True
    for value in values:
        if value:
            return True
        nothing = False
    if nothing:
        raise Vacuous
    return False


class Filled(ast.NodeTransformer):
    """`x.all()` as `filled(x).all()`, `equal(x, y)` as `equal(filled(x), filled(y))`."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if name_of(node) in HOLDS_OF_NOTHING:
            node.args = [self.filled(one) for one in node.args]
            if isinstance(node.func, ast.Attribute):
                node.func.value = self.filled(node.func.value)
        return node

    def filled(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Starred):
            return node
        return ast.Call(ast.Name(FILLED, ast.Load()), [node], [])


def compiled(expression: str, path: str) -> CodeType:
    """An expression in which nothing is asked of nothing; it is run with `NAMES`."""
    tree = Filled().visit(parse(expression, "eval"))
    return compile(ast.fix_missing_locations(tree), path, "eval", dont_inherit=True)


FILLED = "__filled__"  # no name that a page would have
NAMES = {"all": all, "any": any, FILLED: filled}
