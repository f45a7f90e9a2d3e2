"""When what a page says and what came agree.

Outputs: text, integers, signs and numbers of up to two decimals exactly; numbers of three or more
decimals to one unit in the last. Checked numbers: the value, rounded to the digits shown.
"""

import math
import re
from decimal import Decimal

LONG = re.compile(r"(?<![\w.])(\d+)\.(\d{3,})(?![\d.])")
CUT = "…"


def same_output(want: str, got: str) -> bool:
    """Whether two printed texts agree, line by line."""
    return len(tidy(want)) == len(tidy(got)) and all(map(same_line, tidy(want), tidy(got)))


def same_line(want: str, got: str) -> bool:
    if LONG.sub("#", want) != LONG.sub("#", got):
        return False
    pairs = zip(LONG.findall(want), LONG.findall(got), strict=True)
    return all(
        len(a) == len(b) and abs(int(whole_a + a) - int(whole_b + b)) <= 1
        for (whole_a, a), (whole_b, b) in pairs
    )


def tidy(text: str) -> list[str]:
    """Lines whose runs of spaces are one space: 9.9999 and 10.0000 pad a tensor differently."""
    lines = [re.sub(r"[ \t]+", " ", line).rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def same_error(want: str, got: str, ours: bool) -> bool:
    """Whether two texts that end in `ErrorType: message` agree; `…` cuts what is not ours."""
    if ours or CUT not in want:
        return tidy(want) == tidy(got)
    _, _, message = want.partition(": ")
    if not re.search(r"\w", message):
        return False  # a message that is cut whole would accept any
    parts = [re.escape(part) for part in "\n".join(tidy(want)).split(CUT)]
    return re.fullmatch(".*".join(parts), "\n".join(tidy(got)), re.S) is not None


def same_number(printed: str, unit: str, value: float) -> bool:
    """Whether `value` rounds to what is printed: half a unit, plus 2e-6 of the value."""
    shown = decimal(printed)
    value *= 100 if "%" in unit else 1
    half = 0.5 * 10.0 ** exponent(shown)
    return math.isfinite(value) and abs(value - float(shown)) <= half + 2e-6 * abs(value)


def spell(printed: str, unit: str, value: float) -> str:
    """`value` with the digits, the thousands and the minus sign of what was printed."""
    digits = max(0, -exponent(decimal(printed)))
    value *= 100 if "%" in unit else 1
    text = f"{value:{'+' if printed.startswith('+') else ''},.{digits}f}"
    thousands = next((mark for mark in (",", "\u202f") if mark in printed), "")
    text = text.replace(",", thousands)
    return text.replace("-", "−") if "-" not in printed else text


def decimal(printed: str) -> Decimal:
    return Decimal(re.sub("[,\u202f]", "", printed).replace("−", "-"))


def exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)
