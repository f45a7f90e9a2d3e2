"""Numbers that a block types into the words that it prints: then its output checks nothing."""

import ast
import re
from collections.abc import Iterator

from literate.pages.page import Page
from literate.pages.syntax import calls, name_of, root, what_runs

# A decimal, or a whole number from 10 on.
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+|(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d{2,})(?![\w.]|,\d)")


def typed(page: Page) -> Iterator[tuple[int, str]]:
    """Those that the code of the block has nowhere as numbers, with their lines."""
    for block in page.blocks:
        tree = what_runs(block)
        known = constants(tree)
        for text in (
            text for call in calls(tree) if name_of(call) == "print" for text in said(call)
        ):
            for number in NUMBER.findall(str(text.value)):
                if float(number.replace(",", "")) not in known:
                    yield block.line + text.lineno - 1, number


def constants(tree: ast.AST) -> set[float]:
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {float(value) for value in values if isinstance(value, int | float)}


def said(node: ast.AST) -> Iterator[ast.Constant]:
    """The texts in it, but for the patterns that something is looked for with, and formats."""
    match node:
        case ast.Constant(value=str()):
            yield node
        case ast.FormattedValue(value=value):
            yield from said(value)
        case ast.Call(func=function) if root(function) == "re":
            return
        case _:
            for part in ast.iter_child_nodes(node):
                yield from said(part)
