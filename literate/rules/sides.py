"""On which side of a rounded number its value lies, where the words directly before it say so."""

import ast
import re

from literate.pages.prose import COMMENT
from literate.pages.syntax import name_of, parse
from literate.rules.compare import decimal

MORE = r"(?:(?:more|(?:larg|long|great|high|bigg)er) than|above|over|exceeds?"
MORE += r"|upwards of|in excess of|fully)"
LESS = r"(?:(?:less|fewer|(?:small|short|low)er) than|below|under|short of|not quite|not even)"
NO = r"(?<!\bno )(?<!\bnot )"
FLOOR = re.compile(rf"(?:{NO}\b{MORE}|\bat least|\bnot? {LESS}) [*_]*$")
CEILING = re.compile(rf"(?:{NO}\b{LESS}|\bat most|\bup to|\bnot? {MORE}) [*_]*$")
LOOSE = re.compile(r"at least|at most|up to|not? .*")
# What makes a value the least there is, or the most; and what cuts it off.
ENDS = {"min": 1, "amin": 1, "max": -1, "amax": -1}
CUT = {"floor": 1, "ceil": -1}


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
    floor, ceiling = said(FLOOR, before), said(CEILING, before)
    words = floor or ceiling
    if not words or floor == "over":
        return ""
    side, cut = outermost(parse(expression, "eval").body)
    told = side == (1 if floor else -1) and (cut or LOOSE.fullmatch(words))
    return "" if told else words


def distance(printed: str, unit: str, value: float) -> float:
    """How far the value lies above what is printed; 0 within the rounding of float32."""
    value *= 100 if "%" in unit else 1
    off = value - float(decimal(printed))
    return off if abs(off) > 2e-6 * abs(value) else 0


def said(pattern: re.Pattern[str], before: str) -> str:
    words = re.sub(r"\s+", " ", COMMENT.sub("", before.rpartition("\n\n")[2]).lower())
    found = pattern.search(words)
    return found[0].strip(" *_") if found else ""


def outermost(tree: ast.expr) -> tuple[int, bool]:
    """1 if the value of an expression is the least of some, -1 if the most; whether it is cut off.

    What was cut off is surely more; the least itself is only not less.
    """
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.FloorDiv):
        whole = isinstance(tree.right, ast.Constant) and tree.right.value == 1
        return int(whole), True
    if not isinstance(tree, ast.Call):
        return 0, False
    if isinstance(tree.func, ast.Lambda):
        return outermost(tree.func.body)
    name = name_of(tree)
    if name == "item" and isinstance(tree.func, ast.Attribute):
        return outermost(tree.func.value)
    return CUT.get(name, ENDS.get(name, 0)), name in CUT
