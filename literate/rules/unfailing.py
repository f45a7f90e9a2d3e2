"""Checks of a page that check nothing, since they cannot fail."""

import ast
import builtins
import re
from collections.abc import Collection, Iterator

from literate.pages.page import Page
from literate.pages.prose import Check
from literate.pages.syntax import parse, what_runs
from literate.pages.tables import Cell
from literate.rules.assertions import loose
from literate.rules.certain import all_of, certain, equal, leaves, same
from literate.rules.compare import same_number

LOOKING = {"__import__", "dir", "eval", "globals", "locals", "open", "vars"}  # at the page
LITERAL = re.compile(r"\d+(\.\d*)?(e[+-]?\d+)?")


def unfailing(page: Page) -> Iterator[tuple[int, str]]:
    """Where they stand, and their expressions.

    One comes to the same whatever its names are; both sides of a comparison are the same, or may be
    far apart; it is true if either of two is; it names nothing of the page, and computes nothing;
    or the number that the page shows is typed in it.
    """
    imported = {name for block in page.blocks for name in imports(what_runs(block))}
    for check in page.checks:
        tree = whole = parse(check.expression, "eval").body
        while isinstance(tree, ast.UnaryOp):
            tree = tree.operand
        parts = [*leaves(whole)]
        alike = any(map(same, leaves(tree))) or any(map(equal, parts)) or any(map(loose, parts))
        vain = any(map(certain, all_of(tree))) or alike or either(tree)
        if vain or idle(check, tree) or repeats(check, tree, imported):
            yield check.line, check.expression
    for table in page.tables:
        tree = parse(table.expression, "eval").body
        cells = [cell for row in table.rows for cell in row if cell]
        typed = any(repeats(cell, tree, imported) for cell in cells)
        if typed or not of_the_page(tree, LOOKING):
            yield table.line, table.expression


def imports(tree: ast.AST) -> Iterator[str]:
    """The names that its imports bind: they compute nothing by themselves."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield (alias.asname or alias.name).partition(".")[0]


def either(tree: ast.expr) -> bool:
    return isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or)


def of_the_page(tree: ast.expr, looking: set[str], apart: Collection[str] = ()) -> bool:
    """Whether it names something of the page, or a function that may look at it."""
    read: set[str] = set()
    bound: set[str] = set()  # by a comprehension or a lambda: names of its own
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return bool(read - bound - {*vars(builtins)} - {*apart} | read & looking)


def idle(check: Check, tree: ast.expr) -> bool:
    """Whether it is a claim, and nothing is computed for it."""
    computes = any(isinstance(node, ast.BinOp) for node in ast.walk(tree))
    return not (check.printed or computes or of_the_page(tree, LOOKING))


def repeats(shown: Check | Cell, tree: ast.expr, imported: set[str]) -> bool:
    """Whether the number that is shown is typed in it, or one that is rounded to it.

    Beside what is of the page, a whole number may be typed: it is a size, perhaps.
    """
    digits = re.sub(r"\D", "", shown.printed).strip("0")
    typed = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    again = any(digits == re.sub(r"\D", "", one).strip("0") for one in typed)
    if len(digits) < 2:
        return False
    if of_the_page(tree, {"__import__"}, imported):
        decimals = [float(one) for one in typed if LITERAL.fullmatch(one) and "." in one]
        size = shown.printed.lstrip("+-−")
        return "." in size and any(same_number(size, shown.unit, one) for one in decimals)
    numbers = [float(one) for one in typed if LITERAL.fullmatch(one)]
    alone = [number for number in numbers if number not in (0, 1)]  # which change nothing
    return again or (len(alone) == 1 and same_number(shown.printed, shown.unit, alone[0]))
