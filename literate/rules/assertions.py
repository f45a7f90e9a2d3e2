"""Assertions in the blocks of a page that assert nothing, since they cannot fail."""

import ast
from collections.abc import Iterator

from literate.pages.block import Block
from literate.pages.page import Page
from literate.pages.syntax import name_of, what_runs
from literate.rules.unfailing import bare, equal, same

ASKS = {"all", "allclose", "any", "equal", "isclose"}
METHODS = ASKS | {"isfinite", "isnan"}
SLACK = 0.05  # beyond it, what is asserted to be close is not


def toothless(page: Page) -> Iterator[tuple[int, str]]:
    """Where they stand, and what is wrong with them."""
    for block in page.blocks:
        for node in parts(block):
            for fault in faults(node, "raises" in block.kinds):
                yield block.line + node.lineno - 1, f"{ast.unparse(node)} {fault}"


def parts(block: Block) -> Iterator[ast.expr | ast.stmt]:
    for node in ast.walk(what_runs(block)):
        if isinstance(node, ast.expr | ast.stmt):
            yield node


def faults(node: ast.expr | ast.stmt, raises: bool) -> Iterator[str]:
    match node:
        case ast.Expr(value=ast.Call() as call) if name_of(call) in ASKS and not raises:
            yield "asserts nothing: write assert before it"
        case ast.Expr(value=ast.Compare() | ast.UnaryOp(op=ast.Not())) if not raises:
            yield "asserts nothing: write assert before it"
        case ast.Assert(test=test):
            for part in all_of(test):
                if any(isinstance(one, ast.Constant) for one in any_of(part)):
                    yield "cannot fail, or always fails"
                if isinstance(part, ast.Attribute) and part.attr in METHODS:
                    yield "asserts that there is a method: call it"
                if same(bare(part)) or equal(bare(part)):
                    yield "compares something with itself"
        case ast.Call() if name_of(node) == "assert_close" and equal(node):
            yield "compares something with itself"
        case ast.Call() if name_of(node) in {"assert_close", "allclose", "isclose"}:
            if any(slack > SLACK for slack in slacks(node)):
                yield f"would pass nearly anything: a tolerance is at most {SLACK}"
        case _:
            pass


def all_of(test: ast.expr) -> Iterator[ast.expr]:
    """What must hold, each by itself: the parts that `and` joins."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for part in test.values:
            yield from all_of(part)
    else:
        yield test


def any_of(test: ast.expr) -> list[ast.expr]:
    """What would do, each by itself: the parts that `or` joins."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]


def slacks(call: ast.Call) -> Iterator[float]:
    """The tolerances that are written out, by their names or behind the two sides."""
    named = [word.value for word in call.keywords if word.arg in ("atol", "rtol")]
    for value in [*call.args[2:], *named]:
        match value:
            case ast.Constant(value=float() | int() as slack) if not isinstance(slack, bool):
                yield slack
            case _:
                pass
