"""On which side of a rounded number its value lies, where the words directly before it say so."""

import ast
import re

from literate.compare import decimal
from literate.prose import COMMENT
from literate.syntax import name_of, parse

MORE = r"(?:(?:more|(?:larg|long|great|high|bigg)er) than|above|over)"
LESS = r"(?:(?:less|fewer|(?:small|short|low)er) than|below|under)"
NO = r"(?<!\bno )(?<!\bnot )"
FLOOR = re.compile(rf"(?:{NO}\b{MORE}|\bat least|\bnot? {LESS}) [*_]*$")
CEILING = re.compile(rf"(?:{NO}\b{LESS}|\bat most|\bup to|\bnot? {MORE}) [*_]*$")
# What makes a value the least there is, or the most.
LEAST = {"min", "amin", "floor"}
MOST = {"max", "amax", "ceil"}


def beyond(before: str, printed: str, unit: str, value: float) -> str:
    """The words before a number, if its value lies on the other side of it than they say.

    0.88346 is 0.9, and not `more than 0.9`. What float32 leaves open is no side.
    """
    off = distance(printed, unit, value)
    return said(CEILING if off > 0 else FLOOR, before) if off else ""


def unsided(before: str, printed: str, unit: str, value: float, expression: str) -> str:
    """The words before a number that is the value, if nothing in its expression tells the side.

    Then `less than` might stand there as well as `more than`. `over 36 numbers` means across.
    """
    if distance(printed, unit, value):
        return ""
    outer = outermost(parse(expression, "eval").body)
    floor, ceiling = said(FLOOR, before), said(CEILING, before)
    return (
        ""
        if floor == "over" or floor and outer == 1 or ceiling and outer == -1
        else (floor or ceiling)
    )


def distance(printed: str, unit: str, value: float) -> float:
    """How far the value lies above what is printed; 0 within the rounding of float32."""
    value *= 100 if "%" in unit else 1
    off = value - float(decimal(printed))
    return off if abs(off) > 2e-6 * abs(value) else 0


def said(pattern: re.Pattern[str], before: str) -> str:
    words = re.sub(r"\s+", " ", COMMENT.sub("", before.rpartition("\n\n")[2]).lower())
    found = pattern.search(words)
    return found[0].strip(" *_") if found else ""


def outermost(tree: ast.expr) -> int:
    """1 if the value of an expression is the least of some or cut off, -1 if it is the most."""
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.FloorDiv):
        return int(isinstance(tree.right, ast.Constant) and tree.right.value == 1)
    if not isinstance(tree, ast.Call):
        return 0
    if isinstance(tree.func, ast.Lambda):
        return outermost(tree.func.body)
    name = name_of(tree)
    if name == "item" and isinstance(tree.func, ast.Attribute):
        return outermost(tree.func.value)
    return int(name in LEAST) - int(name in MOST)
