"""What is so whatever its names are: then nothing is asked by it."""

import ast
from collections.abc import Iterator
from itertools import pairwise

EQUAL = {"equal", "allclose", "isclose", "eq", "ge", "le", "assert_close"}
SIDES = {"input", "other", "actual", "expected"}


def same(tree: ast.expr) -> bool:
    """Whether something is compared with itself, or looked for in what is made of it."""
    parts = [tree.left, *tree.comparators] if isinstance(tree, ast.Compare) else []
    return any(
        ast.dump(one) in map(ast.dump, [other, *getattr(other, "elts", ())])
        for one, other in pairwise(parts)
    )


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


def all_of(tree: ast.expr) -> Iterator[ast.expr]:
    """What must hold, each by itself: the parts that `and` joins."""
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        for part in tree.values:
            yield from all_of(part)
    else:
        yield tree


def leaves(tree: ast.expr) -> Iterator[ast.expr]:
    """The parts that `and`, `or`, `if` and lists join, however deep: what each is about."""
    match inner := bare(tree):
        case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            parts = [left, right]
        case ast.IfExp(test=test, body=body, orelse=other):
            parts = [test, body, other]
        case ast.Call(func=ast.Name(id="any"), args=[ast.List(elts=parts) | ast.Tuple(elts=parts)]):
            pass
        case _:
            yield inner
            return
    for part in parts:
        yield from leaves(part)


def certain(tree: ast.expr) -> bool:
    """Whether it comes to the same whatever its names are."""
    return len(outcomes(tree)) == 1


def outcomes(tree: ast.expr) -> set[object]:
    """What it may come to: both truth values, where that depends on a name."""
    match tree:
        case ast.Constant(value=value):
            return {value}
        case ast.NamedExpr(value=inner):
            return outcomes(inner)
        case ast.Call(func=ast.Name(id="bool"), args=[inner]):
            return {bool(one) for one in outcomes(inner)}
        case ast.Call(func=ast.Name(id="all" | "any" as how), args=[ast.List(elts=parts)]):
            return joined(parts, how == "any")
        case ast.Subscript(value=ast.List(elts=parts), slice=ast.Constant(value=int() as at)):
            known = -len(parts) <= at < len(parts) and not spread(parts)
            return outcomes(parts[at]) if known else {True, False}
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return {not one for one in outcomes(inner)}
        case ast.BoolOp(op=how, values=parts):
            return joined(parts, isinstance(how, ast.Or))
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() as how, left=left, right=right):
            return joined([left, right], isinstance(how, ast.BitOr))
        case ast.IfExp(test=test, body=body, orelse=other):
            ways = {bool(one) for one in outcomes(test)}
            found = [outcomes(part) for way, part in ((True, body), (False, other)) if way in ways]
            return set[object]().union(*found)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return {True, False} if spread(parts) else {bool(parts)}
        case ast.Lambda() | ast.GeneratorExp():  # neither is false, whatever is in it
            return {True}
        case _:
            return {True, False}


def spread(parts: list[ast.expr]) -> bool:
    """Whether there may be more of them, or fewer, than are written out."""
    return any(isinstance(part, ast.Starred) for part in parts)


def joined(parts: list[ast.expr], decides: bool) -> set[object]:
    """Of parts of which one decides: a true one in `or`, a false one in `and`."""
    found = [{bool(one) for one in outcomes(part)} for part in parts]
    if {decides} in found:
        return {decides}
    return {one for part in found for one in part}
