"""Which names may share memory with which: more rather than fewer."""

import ast
import builtins
import re
from collections.abc import Iterator

from literate.pages.syntax import inside, name_of

# What never gives what it is given, nor a part of it. All else may share memory with it.
NEW = re.compile(
    r"clone|deepcopy|item|tolist|numel|size|dim|len|repr|hash|id|range|format|join"
    r"|any|all|isinstance|sum|mean|std|var|norm|softmax|log_softmax|logsumexp|exp|log|sqrt|rsqrt|tanh"
    r"|sigmoid|matmul|bmm|einsum|dot|outer|cosine_similarity|cross_entropy|mse_loss|argmax|argmin"
    r"|argsort|multinomial|cumsum|tril|triu|masked_fill|where|stack|cat|repeat|gather|index_select"
    r"|rand\w*|zeros\w*|ones\w*|empty\w*|full\w*|arange|linspace|eye|tensor|one_hot|equal|allclose"
    r"|isclose|isnan|count_nonzero|dot_product_attention|scaled_dot_product_attention"
)
HOLDS = {"append", "appendleft", "extend", "insert", "add", "update", "setdefault"}
DISPLAYS = ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp


def sources(value: ast.AST | None) -> Iterator[str]:
    """The names whose memory a value, or a statement's values, may share or hold."""
    match value:
        case None:
            return
        case ast.BinOp() if not any(isinstance(x, DISPLAYS) for x in (value.left, value.right)):
            return  # of numbers, not of lists
        case ast.Call() if NEW.fullmatch(name_of(value)):
            return
        case ast.Name():
            yield value.id
        case ast.Subscript():
            yield from sources(value.value)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            found = {*sources(value.value if isinstance(value, ast.DictComp) else value.elt)}
            for part in reversed(value.generators):
                found |= {*sources(part.iter)} if found & {*sources(part.target)} else set()
            yield from found
        case _:
            for part in ast.iter_child_nodes(value):
                yield from sources(part)


def bound(statement: ast.stmt) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """What a statement binds or changes a part of, each with what it may share memory with."""
    for node in ast.walk(statement):
        match node:
            case ast.Assign(value=value):
                for target in node.targets:
                    yield from matched(target, value)
                if len(node.targets) > 1:  # all of them are one
                    yield ast.Tuple(node.targets), value
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
                yield node.target, node.value
            case ast.For():
                yield from matched(node.target, node.iter, each=True)
            case ast.Call(func=ast.Attribute() as method) if method.attr in HOLDS:
                yield method.value, ast.Tuple([*node.args, *(word.value for word in node.keywords)])
            case _:
                pass


def matched(
    target: ast.AST, value: ast.AST, each: bool = False
) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """The same, with the parts of a tuple by themselves where one sees which is whose."""
    if isinstance(target, ast.Tuple):
        parts = None
        if each and isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            name = value.func.id
            parts = value.args if name == "zip" else None
            parts = [ast.Constant(0), *value.args[:1]] if name == "enumerate" else parts
        elif not each and isinstance(value, ast.Tuple):
            parts = value.elts
        if parts and len(parts) == len(target.elts):
            for one, part in zip(target.elts, parts, strict=True):
                yield from matched(one, part, each)
            return
    yield target, value


def outer(function: ast.FunctionDef, fixed: set[str]) -> set[str]:
    """The names in a function that may share memory with what is not made in it."""
    pairs = [({*sources(target)}, {*sources(value)}) for target, value in bound(function)]
    made = set[str]().union(*(targets for targets, _ in pairs))
    found = inside(function) - made - fixed - {*vars(builtins)}
    found |= {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)}
    for targets, values in pairs:
        if values & found:
            found |= targets
    return found
