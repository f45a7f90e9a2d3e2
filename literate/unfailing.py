"""Checks of a page that check nothing, since they cannot fail."""

import ast
import builtins
import re
from collections.abc import Iterator
from itertools import pairwise

from literate.page import Page
from literate.prose import Check
from literate.syntax import parse


def unfailing(page: Page) -> Iterator[tuple[int, str]]:
    """Where they stand, and their expressions.

    One is a number, a text or a truth value; both sides of a comparison are the same; it is true if
    either of two is; or it names nothing of the page, and has the very digits that the page shows.
    """
    for check in page.checks:
        tree = parse(check.expression, "eval").body
        while isinstance(tree, ast.UnaryOp):
            tree = tree.operand
        if isinstance(tree, ast.Constant) or same(tree) or either(tree) or repeats(check, tree):
            yield check.line, check.expression


def same(tree: ast.expr) -> bool:
    """Whether something is compared with itself."""
    parts = [tree.left, *tree.comparators] if isinstance(tree, ast.Compare) else []
    return any(ast.dump(one) == ast.dump(other) for one, other in pairwise(parts))


def either(tree: ast.expr) -> bool:
    return isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or)


def repeats(check: Check, tree: ast.expr) -> bool:
    """Whether it only has numbers, and among them the one that is shown."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if names - {*vars(builtins)} | names & {"__import__"}:
        return False
    shown = re.sub(r"\D", "", check.printed).strip("0")
    typed = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return len(shown) > 1 and shown in {re.sub(r"\D", "", one).strip("0") for one in typed}
