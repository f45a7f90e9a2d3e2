"""What a statement says of names, read from its syntax alone."""

import ast
import copy
import re
import symtable
from collections.abc import Iterator
from typing import Any

# What gives something that shares memory with what it is taken from; so does a new object.
VIEWS = re.compile(
    r"view|reshape|expand|transpose|flatten|unflatten|squeeze|unsqueeze|detach|permute|split|chunk"
    r"|unbind|diagonal|parameters|values|items|[A-Z]\w*|[a-z]\w*_"
)
ANY = re.compile(r"\w+")


def variables(table: symtable.SymbolTable, top: bool = True) -> tuple[set[str], set[str], set[str]]:
    """The names of the page that are read at once, read inside functions, and bound."""
    mine = [symbol for symbol in table.get_symbols() if top or symbol.is_global()]
    now = {s.get_name() for s in mine if s.is_referenced()}
    bound = {s.get_name() for s in mine if s.is_assigned() or s.is_imported()}
    later: set[str] = set()
    for child in table.get_children():
        inner = variables(child, top=False)
        now, later, bound = now | inner[0], later | inner[1], bound | inner[2]
    # A comprehension runs at once, whatever the table says.
    if table.get_type() == "function" and not table.get_name().endswith(("comp", "genexpr")):
        now, later = set(), now | later
    return now, later, bound


class Spelled(ast.NodeTransformer):
    """`a += b` as `a = a + b`, which says that it reads `a`."""

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.Assign:
        read: Any = ast.parse(ast.unparse(node.target), mode="eval").body
        return ast.Assign([node.target], ast.BinOp(read, node.op, node.value), lineno=node.lineno)


def table(statement: ast.stmt) -> symtable.SymbolTable:
    """The names of a statement, as Python's compiler sees them."""
    spelled = Spelled().visit(copy.deepcopy(statement))
    return symtable.symtable(ast.unparse(spelled), "", "exec")


def called(statement: ast.stmt) -> set[str]:
    """The functions that it calls by their names."""
    calls = (node.func for node in ast.walk(statement) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def targets(node: ast.AST) -> Iterator[ast.AST]:
    """What is changed by an assignment to a part of it, or in place."""
    found = [node.target] if isinstance(node, ast.AugAssign) else []
    found = node.targets if isinstance(node, ast.Assign | ast.Delete) else found
    for target in found:
        for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if isinstance(node, ast.AugAssign) or isinstance(part, ast.Subscript | ast.Attribute):
                yield part


def shared(statement: ast.stmt) -> set[str]:
    """What the value of an assignment may share memory with."""
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.For) and isinstance(statement.iter, ast.Name | ast.Call):
        value = statement.iter
    held = {root(target) for target in targets(statement)}  # by what it becomes a part of
    return held.union(sources(value)) - {""}


def sources(value: ast.AST | None) -> Iterator[str]:
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
        yield root(value)
    elif isinstance(value, ast.Tuple | ast.List):
        for part in value.elts:
            yield from sources(part)
    elif isinstance(value, ast.Call):
        function = value.func
        name = function.attr if isinstance(function, ast.Attribute) else root(function)
        if VIEWS.fullmatch(name):
            yield root(value.func)
            for part in value.args:
                yield from sources(part)


def root(node: ast.AST, through: re.Pattern[str] = VIEWS) -> str:
    """The name from which attributes, items and calls of some names are taken."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
        if isinstance(node, ast.Call):
            node = node.func
            if isinstance(node, ast.Attribute) and not through.fullmatch(node.attr):
                return ""
        else:
            node = node.value
    return node.id if isinstance(node, ast.Name) else ""
