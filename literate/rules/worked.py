"""The number of an expression without names, and what leaves a number as it is."""

import ast
import operator
from collections.abc import Callable

from literate.pages.syntax import name_of

WORKED: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
# What may stand around a number, and leaves it that number.
AROUND = {"abs", "amax", "amin", "bool", "float", "int", "item", "max", "mean", "min", "round"}
AROUND |= {"std", "sum", "tensor", "tolist"}


def worked(node: ast.expr) -> float | None:
    """The number of a side without names."""
    if isinstance(node, ast.Constant):
        truth = isinstance(node.value, bool)
        return node.value if isinstance(node.value, int | float) and not truth else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = worked(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Call) and name_of(node) == "tensor" and len(node.args) == 1:
        return worked(node.args[0])
    if not isinstance(node, ast.BinOp):
        return None
    left, right = worked(node.left), worked(node.right)
    if left is None or right is None:
        return None
    try:
        if isinstance(node.op, ast.Pow):
            return abs(float(left)) ** right
        return WORKED[type(node.op)](left, right)
    except (ArithmeticError, KeyError):
        return None


def within(node: ast.expr) -> ast.expr:
    """What stands in `round(…)`, `(…).max()` and the like."""
    while isinstance(node, ast.Call) and name_of(node) in AROUND:
        function = node.func
        if isinstance(function, ast.Attribute) and not is_torch(function.value):
            node = function.value
        elif node.args:
            node = node.args[0]
        else:
            break
    return node.value if isinstance(node, ast.NamedExpr) else node


def is_torch(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "math")
