"""What a statement says of names, read from its syntax alone."""

import ast
import copy
import symtable
from collections.abc import Iterator
from typing import Any

from literate.pages.block import SHOWN, Block


def parse(code: str, mode: str = "exec") -> Any:
    """The tree of code, as `ast.parse` has it; what is nested too deep is a SyntaxError as well."""
    try:
        return ast.parse(code, mode=mode)
    except (MemoryError, RecursionError) as error:
        raise SyntaxError("nested too deep") from error


def what_runs(block: Block) -> ast.Module:
    """The tree of its code; of one that is only shown, or that is no Python, an empty one."""
    try:
        return ast.Module([], []) if block.kinds & SHOWN else parse(block.code)
    except SyntaxError:
        return ast.Module([], [])


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


def calls(node: ast.AST | None) -> list[ast.Call]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Call)] if node else []


def called(statement: ast.stmt) -> set[str]:
    """The functions that it calls by their names."""
    return {call.func.id for call in calls(statement) if isinstance(call.func, ast.Name)}


def targets(node: ast.AST) -> Iterator[ast.AST]:
    """What is changed by an assignment to a part of it, or in place."""
    found = [node.target] if isinstance(node, ast.AugAssign) else []
    found = node.targets if isinstance(node, ast.Assign | ast.Delete) else found
    for target in found:
        for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if isinstance(node, ast.AugAssign) or isinstance(part, ast.Subscript | ast.Attribute):
                yield part


def inside(node: ast.AST) -> set[str]:
    """The names in it."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def name_of(call: ast.Call) -> str:
    """The last name of what is called."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else root(function)


def root(node: ast.AST) -> str:
    """The name from which attributes, items and calls are taken."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
