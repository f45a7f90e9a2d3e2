"""What a block prints, and whether its lines do nothing else."""

import ast
from collections.abc import Iterator

from literate.effects import effects
from literate.known import Known
from literate.syntax import names


def prints(node: ast.AST) -> Iterator[ast.Expr]:
    for part in ast.walk(node):
        if isinstance(part, ast.Expr) and ast.unparse(part).startswith("print("):
            yield part


def idle(node: ast.Expr, lines: list[str], known: Known) -> bool:
    """Whether nothing but what is printed goes with these lines."""
    used = known.called({name for part in ast.walk(node) for name in names(part)})
    binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
    return stands_alone(node, lines) and not binds and effects(node, known, used) == (set(), "")


def stands_alone(node: ast.stmt, lines: list[str]) -> bool:
    """Whether a statement shares its lines with no other, only with a comment."""
    first, last = lines[node.lineno - 1].encode(), lines[(node.end_lineno or 0) - 1].encode()
    rest = last[node.end_col_offset :].decode().strip()
    return not first[: node.col_offset].strip() and (not rest or rest.startswith("#"))
