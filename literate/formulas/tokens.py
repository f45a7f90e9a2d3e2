"""The signs of a formula in LaTeX, without what only places them."""

import re
from typing import NamedTuple

SIGN = re.compile(
    r"\\(?P<face>text|mathbf|mathcal|operatorname)\{\s*(?P<word>[^{}]*?)\s*\}"
    r"|\\tilde\{\s*(?P<tilde>\\?[a-zA-Z]+)\s*\}"
    r"|(?P<command>\\(?:[a-zA-Z]+|.))|(?P<number>\d+(?:\.\d+)?)|(?P<sign>[^\s\\])"
)
SPACE = re.compile(r"\\[,;:! ]|\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])")
ALIGNED = re.compile(r"\\begin\{aligned\}(.*?)\\end\{aligned\}", re.S)
# A line that goes on with the one above: it begins with a sign, and relates no two sides.
FURTHER = re.compile(r"=|[-+](?!.*(?:[=<>]|\\(?:le|ge|ne)(?![a-z])))", re.S)
INDENT = re.compile(r"^(?:\\q?quad|\s)+")
APART, SAME = r"\qquad", r"\iff"  # between two formulas
SPOKEN = {
    re.compile(r"\\quad\s*\\text\{\s*and\s*\}\s*\\quad"): APART,
    re.compile(r",\s*\\qquad\s*\\text\{\s*that is\s*\}\s*\\quad"): SAME,
}
LOSS = {"L": "loss"}  # as a script letter
GREEK = {r"\alpha", r"\phi"}
RELATIONS = {"=": "=", "<": "<", ">": ">", r"\le": "≤", r"\ge": "≥", r"\ne": "≠"}


class Sign(NamedTuple):
    """One sign: what it is, its text, and whether it stands in a subscript."""

    kind: str  # name, number, command or sign
    text: str
    below: bool = False
    bold: bool = False


def signs(latex: str) -> list[Sign]:
    """The signs of a formula; names are those of values, `alpha` for `\\alpha`."""
    plain = ALIGNED.sub(line_by_line, latex)
    for words, meant in SPOKEN.items():
        plain = words.sub(lambda _, meant=meant: meant, plain)
    plain = re.sub(r"[.,]\s*$", "", SPACE.sub(" ", plain))
    found, depth, below = [], 0, -1  # the depth of the braces of a subscript
    for one in map(sign, SIGN.finditer(plain)):
        if not one.text:  # of an empty \text{}: no formula ends with it
            continue
        depth += (one.text == "{") - (one.text == "}")
        if below >= 0 and depth <= below and one.text != "{":
            one, below = one._replace(below=one.text != "}"), -1
        elif below >= 0:
            one = one._replace(below=True)
        found.append(one)
        if one.text == "_":
            below = depth
    return found


def sign(match: re.Match[str]) -> Sign:
    kind = match.lastgroup or ""
    said = match[kind]
    if kind == "word":
        script, bold = match["face"] == "mathcal", match["face"] == "mathbf"
        return Sign("name", LOSS.get(said, f"{said}_cal") if script else said, bold=bold)
    if kind == "tilde":
        return Sign("name", said.strip("\\") + "_tilde")
    if said in GREEK:
        return Sign("name", said[1:])
    return Sign("name" if said.isalpha() else kind, said)


def line_by_line(match: re.Match[str]) -> str:
    """Each line a formula of its own, but one that goes on with the one above."""
    joined = ""
    for line in match[1].split(r"\\"):
        parts = line.split("&")  # the first within a formula, the second before another one
        columns = [" ".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]
        plain = f" {APART} ".join(INDENT.sub("", column) for column in columns)
        joined += plain if not joined or FURTHER.match(plain) else f" {APART} {plain}"
    return joined
