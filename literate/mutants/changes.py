"""What is changed in one node of a syntax tree, so that a test should fail."""

import ast
import copy
from collections.abc import Iterator

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Div,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
# What torch and Python call the opposite of one another.
OPPOSITES = ("min max", "amin amax", "any all", "zeros ones", "zeros_like ones_like", "sin cos")
CALLED = {a: b for pair in OPPOSITES for a, b in (pair.split(), pair.split()[::-1])}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may stand in the place of this one."""
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)):
            yield ast.Constant(f"XX{value}XX")
        case ast.Compare():
            for n, operator in enumerate(node.ops):
                changed = copy.deepcopy(node)
                changed.ops[n] = COMPARED[type(operator)]()
                yield changed
        case ast.BoolOp(op=operator, values=values):
            other = ast.And() if isinstance(operator, ast.Or) else ast.Or()
            yield ast.BoolOp(other, values)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.BinOp(op=operator) if type(operator) in COMPUTED:
            yield ast.BinOp(node.left, COMPUTED[type(operator)](), node.right)
        case ast.AugAssign(op=operator) if type(operator) in COMPUTED:
            yield ast.AugAssign(node.target, COMPUTED[type(operator)](), node.value)
        case ast.Name(id=name, ctx=ctx) if name in CALLED:
            yield ast.Name(CALLED[name], ctx)
        case ast.Attribute(value=value, attr=name, ctx=ctx) if name in CALLED:
            yield ast.Attribute(value, CALLED[name], ctx)
        case ast.Call(keywords=keywords):
            for n, keyword in enumerate(keywords):
                if keyword.arg != "strict":  # of zip: it asserts what always holds
                    yield ast.Call(node.func, node.args, keywords[:n] + keywords[n + 1 :])
        case ast.Slice(lower=lower, upper=upper, step=step):
            if lower:
                yield ast.Slice(None, upper, step)
            if upper:
                yield ast.Slice(lower, None, step)
        case ast.If() | ast.While() | ast.IfExp() if plain(node.test):
            changed = copy.copy(node)
            changed.test = ast.UnaryOp(ast.Not(), node.test)
            yield changed
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def plain(test: ast.expr) -> bool:
    """Whether a condition has no operator of its own that would be changed."""
    return not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)
