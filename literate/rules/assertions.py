"""Assertions in the blocks of a page that assert nothing, since they cannot fail."""

import ast
import math
import re
from collections.abc import Iterator

from literate.pages.block import Block
from literate.pages.page import Page
from literate.pages.syntax import inside, name_of, root, what_runs
from literate.rules.certain import all_of, certain, equal, leaves, same
from literate.rules.worked import worked

# Called for nothing but their answer, as functions or as methods.
ASKS = {"all", "allclose", "any", "bool", "callable", "endswith", "eq", "equal", "ge", "gt"}
ASKS |= {"hasattr", "isclose", "isfinite", "isinf", "isinstance", "isnan", "le", "lt", "ne"}
ASKS |= {"startswith"}
# Called to read what was asked.
READS = {"all", "any", "bool", "count_nonzero", "float", "int", "item", "logical_not", "max"}
READS |= {"mean", "min", "sum", "tolist"}
CLOSE = {"allclose", "assert_allclose", "assert_close", "isclose"}
TOLERANCES = {"abs_tol", "atol", "rel_tol", "rtol"}
MODULES = {"cmath", "math", "np", "numpy", "torch"}
INFINITE = re.compile(r"\binf\b")
SLACK = 0.05  # beyond it, what is asserted to be close is not


def toothless(page: Page) -> Iterator[tuple[int, str]]:
    """Where they stand, and what is wrong with them."""
    for block in page.blocks:
        nodes = [*parts(block)]
        statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            found = [*faults(node, "raises" in block.kinds)]
            if asserts(node) and id(node) not in statements:
                found.append("is no statement of its own, so nobody sees whether it ran")
            for fault in found:
                yield block.line + node.lineno - 1, f"{ast.unparse(node)} {fault}"


def parts(block: Block) -> Iterator[ast.expr | ast.stmt]:
    for node in ast.walk(what_runs(block)):
        if isinstance(node, ast.expr | ast.stmt):
            yield node


def asserts(node: ast.AST) -> bool:
    """Whether it calls a function that raises if something is not so."""
    return isinstance(node, ast.Call) and name_of(node).startswith("assert_")


def faults(node: ast.expr | ast.stmt, raises: bool) -> Iterator[str]:
    match node:
        case ast.Expr(value=value) | ast.Assign(targets=[ast.Name(id="_")], value=value) if (
            asks(value) and not raises
        ):
            yield "asserts nothing: write assert before it"
        case ast.Assert(test=test):
            if any(certain(part) or not inside(part) for part in all_of(test)):
                yield "cannot fail, or always fails"
            for part in leaves(test):
                if isinstance(part, ast.Attribute) and part.attr in ASKS:
                    yield "asserts that there is a method: call it"
                if same(part) or equal(part):
                    yield "compares something with itself"
        case ast.Call() if name_of(node) == "assert_close" and equal(node):
            yield "compares something with itself"
        case ast.Call() if loose(node):
            yield f"would pass nearly anything: a tolerance is at most {SLACK}"
        case _:
            pass


def asks(node: ast.AST) -> bool:
    """Whether it only asks something, so that its answer is lost if it stands alone."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
            return asks(inner)
        case ast.BoolOp(values=[*_, last]):  # those before it may be conditions
            return asks(last)
        case ast.BinOp(left=one, right=other) | ast.IfExp(body=one, orelse=other):
            return asks(one) or asks(other)
        case ast.Tuple(elts=[*_, one]) | ast.ListComp(elt=one) | ast.GeneratorExp(elt=one):
            return asks(one)
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in READS and asks(inner):
            return True
        case ast.Call():
            return name_of(node) in ASKS
        case _:
            return False


def loose(node: ast.expr) -> bool:
    """Whether it takes for close what may be far apart."""
    far = isinstance(node, ast.Call) and name_of(node) in CLOSE and max(slacks(node), default=0)
    return far > SLACK


def slacks(call: ast.Call) -> Iterator[float]:
    """The tolerances that are written out, by their names or behind the two sides."""
    named = [word.value for word in call.keywords if word.arg in TOLERANCES]
    method = isinstance(call.func, ast.Attribute) and root(call.func) not in MODULES
    method = method and not name_of(call).startswith("assert_")
    for value in [*call.args[1 if method else 2 :], *named]:
        slack = math.inf if INFINITE.search(ast.unparse(value)) else worked(value)
        if slack is not None:
            yield slack
