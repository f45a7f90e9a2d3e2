"""Checks of a page that check nothing, since they cannot fail."""

import ast
import builtins
import re
from collections.abc import Iterator
from itertools import pairwise

from literate.compare import same_number
from literate.page import Page
from literate.prose import Check
from literate.syntax import parse

EQUAL = {"equal", "allclose", "isclose", "eq", "ge", "le", "assert_close"}
LITERAL = re.compile(r"\d+(\.\d*)?(e[+-]?\d+)?")


def unfailing(page: Page) -> Iterator[tuple[int, str]]:
    """Where they stand, and their expressions.

    One is a number, a text or a truth value; both sides of a comparison are the same; it is true if
    either of two is; or it names nothing of the page, and computes nothing, or has the very number
    that the page shows.
    """
    for check in page.checks:
        tree = whole = parse(check.expression, "eval").body
        while isinstance(tree, ast.UnaryOp):
            tree = tree.operand
        vain = isinstance(tree, ast.Constant) or same(tree) or equal(whole) or either(tree)
        if vain or (not_of_the_page(tree) and (idle(check, tree) or repeats(check, tree))):
            yield check.line, check.expression


def same(tree: ast.expr) -> bool:
    """Whether something is compared with itself."""
    parts = [tree.left, *tree.comparators] if isinstance(tree, ast.Compare) else []
    return any(ast.dump(one) == ast.dump(other) for one, other in pairwise(parts))


def equal(tree: ast.expr) -> bool:
    """Whether a function compares something with itself."""
    if not isinstance(tree, ast.Call) or ast.unparse(tree.func).split(".")[-1] not in EQUAL:
        return False
    asked = [tree.func.value] if isinstance(tree.func, ast.Attribute) else []
    one, other = [*asked, *tree.args][-2:] if len(tree.args) < 2 else tree.args[:2]
    return ast.dump(one) == ast.dump(other)


def either(tree: ast.expr) -> bool:
    return isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or)


def not_of_the_page(tree: ast.expr) -> bool:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return not (names - {*vars(builtins)} | names & {"__import__", "globals"})


def idle(check: Check, tree: ast.expr) -> bool:
    """Whether it is a claim, and nothing is computed for it."""
    return not check.printed and not any(isinstance(node, ast.BinOp) for node in ast.walk(tree))


def repeats(check: Check, tree: ast.expr) -> bool:
    """Whether the number that is shown is typed in it, or one that is rounded to it."""
    shown = re.sub(r"\D", "", check.printed).strip("0")
    typed = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return len(shown) > 1 and any(
        shown == re.sub(r"\D", "", one).strip("0")
        or (LITERAL.fullmatch(one) and same_number(check.printed, check.unit, float(one)))
        for one in typed
    )
