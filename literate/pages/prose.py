"""Checked numbers and claims in the prose of a page: `0.2379<!--= weights[1, 1] -->`."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from literate.pages.syntax import parse

# A number, perhaps with a unit, or the end of some words; then the comment that checks it.
# A minus sign belongs to the number only where no number or word stands before it: 3-5 is a range.
CHECK = re.compile(
    r"(?P<printed>(?:(?<![\w.,)\]])[-+−])?(?<![\w.,])\d+(?:[,\u202f]\d{3})*(?:\.\d+)?)?"
    r"(?P<unit>[ \u202f]?%|×)?"
    r"<!--=(?P<expression>.*?)-->",
    re.S,
)
# Within a paragraph, as Markdown has it; the next item, row, heading or empty line ends it.
CODE = re.compile(
    r"(?<![\\`])(`+)(?!`)(?:(?!\n[ \t>]*(?:\n|[|#*+>-]|\d+[.)]))[\s\S])+?(?<!`)\1(?!`)"
)
COMMENT = re.compile(r"<!--.*?-->", re.S)
FORMULA = re.compile(r"\$\$.*?\$\$|(?<!\\)\$(?![\s$])(?:\\.|[^\\$\n]|\n(?!\s*\n))+?(?<!\s)\$", re.S)
ASKS = re.compile(r"\bformula\(")  # about the formula before it
# What a reader takes for a part of the number, and the notation does not.
BEFORE = {
    r"\d[eE][-+−]?$": "write the number without an exponent",
    r"\d/$": "put a fraction into words or a claim: its numerator would stay unchecked",
    r"(?:^|\W)(?:&minus;|[–‑‒‐﹣])$": "write a minus sign as −",
    r"\S\s[-−]\s$|−\s$": "put no space after the minus sign",
    r"\d[\u2009'’_]$": "separate thousands with a comma or a narrow space",
    r"[±∓]$|\b(?i:minus|negative)\s$": "write the sign of the number itself, + or −",
}
SPACED = re.compile(r"\d[ \u00a0]\d{3}(?:\.\d+)?$")  # meant as thousands, perhaps
# What would go on with the number after its comment.
AFTER = re.compile(r"[*_]*(?:\w|[ \u00a0\u202f]?[%×]|[.,]\d)")
# What a reader does not see between a sign and its number, the end of a line too.
UNSEEN = re.compile(r"(?:[*_$\\\u00a0]|<[^<>\n]*>|\n[ \t>]*)+$")
SIGN = re.compile(r"(?:^|[^\w)\]-])[-−–‑‒‐﹣]$|−\s$|\b(?i:minus|negative)\s*$")


class Fault(Exception):
    """Broken notation at a line of the prose."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Check:
    """A number or a claim in prose, with the expression that it must agree with."""

    line: int
    printed: str  # empty for a claim
    unit: str
    expression: str
    start: int  # of what is printed
    end: int
    asked: int  # the line from which it is computed: its own, or below an answer it waits for
    formula: str = ""  # that it asks about, in LaTeX

    @property
    def title(self) -> str:
        return self.expression


def checks(prose: str, tables: Sequence[tuple[int, int]] = ()) -> Iterator[Check]:
    """The checks of a text whose fences are blank, in order; `tables` are comments of others."""
    for start, end in tables:
        prose = blank(prose, start, end)
    prose = CODE.sub(hidden, prose)
    found = list(CHECK.finditer(prose))
    for comment in re.finditer(r"<!--\s*=", prose):
        line = prose.count("\n", 0, comment.start()) + 1
        if comment[0] != "<!--=":
            raise Fault(
                line, "a checked number is written 0.5<!--= expression -->, without a space"
            )
        if not any(match.start() <= comment.start() < match.end() for match in found):
            raise Fault(line, "the comment of a checked number has no -->")
    for match in found:
        yield check(prose, match)


def check(prose: str, match: re.Match[str]) -> Check:
    line = prose.count("\n", 0, match.start("expression")) + 1
    printed, unit = match["printed"] or "", match["unit"] or ""
    expression = match["expression"].strip()
    before = prose[: match.start()].rpartition("\n")[2]
    if unit and not printed:
        raise Fault(line, f"no number stands before {unit.strip()}<!--= {expression} -->")
    if before.startswith("|") and "|" in expression:
        raise Fault(line, f"the | in {expression!r} would end the cell of the table")
    for pattern, message in BEFORE.items():
        if printed and re.search(pattern, before):
            raise Fault(line, apart(before, printed, message))
    if SPACED.search(before + printed):
        message = "separate thousands with a comma or a narrow space"
        raise Fault(line, apart(before, printed, message))
    above = prose[: match.start()].rpartition("\n\n")[2]
    seen = UNSEEN.sub("", html.unescape(above))
    if printed and SIGN.search(seen):
        raise Fault(line, f"the sign of {printed} stands apart from it: put it directly before")
    if printed and AFTER.match(prose, match.end()):
        tail = prose[match.end() : match.end() + 8].partition("\n")[0]
        raise Fault(line, f"{tail!r} would go on with {printed}: put all of it before the comment")
    if printed and re.match(r"[-+−]?0[,\u202f]", printed):
        raise Fault(line, apart("", printed, "write a decimal with a point"))
    if not printed and re.search(r"\d[*_]+$", before):
        raise Fault(line, f"put the comment of {before.split()[-1]} directly behind its digits")
    try:
        parse(expression, "eval")
    except SyntaxError:
        message = f"{expression!r} is not an expression: write 0.5<!--= expression -->"
        raise Fault(line, message) from None
    start = match.start("printed") if printed else match.start()
    formula = formula_before(prose[:start]) if ASKS.search(expression) else ""
    if formula is None:
        raise Fault(line, f"no formula stands before {expression!r}")
    end = start + len(printed + unit)
    return Check(line, printed, unit, expression, start, end, line, formula)


def formula_before(prose: str) -> str | None:
    """The formula at the end of a text, without its dollars."""
    above = prose.rstrip()
    last = [match for match in FORMULA.finditer(above) if match.end() == len(above)]
    return last[0][0].strip("$") if last else None


def apart(before: str, printed: str, message: str) -> str:
    return f"{before[-8:].lstrip()}{printed} is not read as one number: {message}"


def hidden(match: re.Match[str]) -> str:
    """Spaces in the place of what matched."""
    return blank(match[0], 0, len(match[0]))


def blank(text: str, start: int, end: int) -> str:
    """A text with spaces in the place of a part; lines stay lines."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
