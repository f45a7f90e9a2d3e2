"""Checks of a page that check nothing, since they cannot fail."""

import ast
import builtins
import re
from collections.abc import Iterator
from itertools import pairwise

from literate.pages.page import Page
from literate.pages.prose import Check
from literate.pages.syntax import parse
from literate.rules.compare import same_number

EQUAL = {"equal", "allclose", "isclose", "eq", "ge", "le", "assert_close"}
SIDES = {"input", "other", "actual", "expected"}
LOOKING = {"__import__", "dir", "eval", "globals", "locals", "open", "vars"}  # at the page
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
        alike = same(bare(tree)) or equal(bare(whole))
        vain = isinstance(tree, ast.Constant) or alike or either(tree)
        if vain or idle(check, tree) or repeats(check, tree):
            yield check.line, check.expression


def same(tree: ast.expr) -> bool:
    """Whether something is compared with itself."""
    parts = [tree.left, *tree.comparators] if isinstance(tree, ast.Compare) else []
    return any(ast.dump(one) == ast.dump(other) for one, other in pairwise(parts))


def equal(tree: ast.expr) -> bool:
    """Whether a function compares something with itself."""
    if not isinstance(tree, ast.Call) or ast.unparse(tree.func).split(".")[-1] not in EQUAL:
        return False
    sides = [*tree.args, *(word.value for word in tree.keywords if word.arg in SIDES)]
    if len(sides) < 2 and isinstance(tree.func, ast.Attribute):
        sides = [tree.func.value, *sides]
    return len(sides) > 1 and ast.dump(sides[0]) == ast.dump(sides[1])


def bare(tree: ast.expr) -> ast.expr:
    """What `.all()`, `.item()`, `all` or `bool` is asked about."""
    while isinstance(tree, ast.Call) and not tree.keywords:
        function, given = tree.func, tree.args
        if isinstance(function, ast.Attribute) and function.attr in ("all", "item") and not given:
            tree = function.value
        elif ast.unparse(function) in ("all", "bool", "torch.all") and len(given) == 1:
            tree = given[0]
        else:
            break
    return tree


def either(tree: ast.expr) -> bool:
    return isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or)


def of_the_page(tree: ast.expr, looking: set[str]) -> bool:
    """Whether it names something of the page, or a function that may look at it."""
    read: set[str] = set()
    bound: set[str] = set()  # by a comprehension or a lambda: names of its own
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return bool(read - bound - {*vars(builtins)} | read & looking)


def idle(check: Check, tree: ast.expr) -> bool:
    """Whether it is a claim, and nothing is computed for it."""
    computes = any(isinstance(node, ast.BinOp) for node in ast.walk(tree))
    return not (check.printed or computes or of_the_page(tree, LOOKING))


def repeats(check: Check, tree: ast.expr) -> bool:
    """Whether the number that is shown is typed in it, or one that is rounded to it."""
    if of_the_page(tree, {"__import__"}):
        return False
    shown = re.sub(r"\D", "", check.printed).strip("0")
    typed = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    numbers = [float(one) for one in typed if LITERAL.fullmatch(one)]
    alone = [number for number in numbers if number not in (0, 1)]  # which change nothing
    return len(shown) > 1 and (
        any(shown == re.sub(r"\D", "", one).strip("0") for one in typed)
        or (len(alone) == 1 and same_number(check.printed, check.unit, alone[0]))
    )
