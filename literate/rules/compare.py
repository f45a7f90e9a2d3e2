"""When what a page says and what came agree.

Outputs: text, integers, signs and numbers of up to two decimals exactly; numbers of three or more
decimals to one unit in the last. Checked numbers: the value, rounded to the digits shown.
"""

import math
import re
from decimal import Decimal

LONG = re.compile(r"(?<![\w.])(\d+)\.(\d{3,})(?![\d.])")
CUT = "…"
PLACE = "\0"  # of a number; no page can hold it


def same_output(want: str, got: str) -> bool:
    """Whether two printed texts agree, line by line."""
    wanted, came = laid(want, got)
    return len(wanted) == len(came) and all(map(same_line, wanted, came))


def laid(want: str, got: str) -> tuple[list[str], list[str]]:
    """The lines of two texts, with each run of spaces as one where other widths pad them."""
    split = tidy if wider(want, got) else lines
    return split(want), split(got)


def wider(want: str, got: str) -> bool:
    """Whether a long number has other digits before its point: 9.9999 and 10.0000 pad a tensor."""
    wanted, came = LONG.findall(want), LONG.findall(got)
    return [len(whole) for whole, _ in wanted] != [len(whole) for whole, _ in came]


def same_line(want: str, got: str) -> bool:
    if LONG.sub(PLACE, want) != LONG.sub(PLACE, got):
        return False
    wanted, came = LONG.findall(want), LONG.findall(got)
    return len(wanted) == len(came) and all(  # what was printed may hold a PLACE itself
        len(a) == len(b) and abs(Decimal(whole_a + a) - Decimal(whole_b + b)) <= 1
        for (whole_a, a), (whole_b, b) in zip(wanted, came, strict=True)
    )


def lines(text: str) -> list[str]:
    found = [line.rstrip() for line in text.splitlines()]
    while found and not found[-1]:
        found.pop()
    return found


def tidy(text: str) -> list[str]:
    """Lines whose runs of spaces are one space."""
    return [re.sub(r"[ \t]+", " ", line) for line in lines(text)]


def same_error(want: str, kind: str, message: str, ours: bool) -> bool:
    """Whether `ErrorType: message` is the error that came; `…` cuts a message that is not ours."""
    if not want.startswith(f"{kind}: "):
        return want.strip() == kind and not message
    wanted, came = "\n".join(tidy(want.partition(": ")[2])), "\n".join(tidy(message))
    if ours or CUT not in wanted:
        return wanted == came
    if not re.search(r"\w{3,}", wanted):
        return False  # a message that is cut whole would accept any
    parts = [re.escape(part) for part in wanted.split(CUT)]
    return re.fullmatch(".*".join(parts), came, re.S) is not None


def same_number(printed: str, unit: str, value: float) -> bool:
    """Whether `value` rounds to what is printed, with its sign.

    Half a unit of the last digit, and where decimals are shown 2e-6 of the value, which is what
    float32 leaves open, but never more than one unit more: two units off is another number.
    """
    shown = decimal(printed)
    value *= 100 if "%" in unit else 1
    if printed[0] in "+-−" and value != 0 and (printed[0] == "+") != (value > 0):
        return False
    if isinstance(value, int):
        return value == shown
    last = 10.0 ** exponent(shown)
    slack = 0.5 * last + (min(2e-6 * abs(value), last) if exponent(shown) < 0 else 0)
    return math.isfinite(value) and abs(value - float(shown)) <= slack


def spell(printed: str, unit: str, value: float) -> str:
    """`value` with the digits, the thousands and the minus sign of what was printed."""
    digits = max(0, -exponent(decimal(printed)))
    value *= 100 if "%" in unit else 1
    exact = Decimal(value) if isinstance(value, int) else value
    text = f"{exact:{'+' if printed.startswith('+') else ''},.{digits}f}"
    text = text.removeprefix("-") if not float(text.replace(",", "")) else text  # no −0.00
    thousands = next((mark for mark in (",", "\u202f") if mark in printed), "")
    text = text.replace(",", thousands)
    return text.replace("-", "−") if "-" not in printed else text


def decimal(printed: str) -> Decimal:
    return Decimal(re.sub("[,\u202f]", "", printed).replace("−", "-"))


def exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)
