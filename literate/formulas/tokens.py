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
# A line that goes on with the one above.
FURTHER = re.compile(r"\\\\\s*(?:&|\\q?quad|\s)*(?=[-+=])")
APART, SAME = r"\qquad", r"\iff"  # between two formulas
SPOKEN = {
    re.compile(r"\\quad\s*\\text\{\s*and\s*\}\s*\\quad"): APART,
    re.compile(r",\s*\\qquad\s*\\text\{\s*that is\s*\}\s*\\quad"): SAME,
}
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
    for match in SIGN.finditer(plain):
        one = sign(match)
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
    face, word, tilde, command, number, text = match.groups()
    if tilde:
        return Sign("name", tilde.strip("\\") + "_tilde")
    if word is not None:
        return Sign("name", LOSS.get((face, word), word), bold=face == "mathbf")
    if number:
        return Sign("number", number)
    if command:
        greek = command in GREEK
        return Sign("name", command[1:]) if greek else Sign("command", command)
    return Sign("name" if text.isalpha() else "sign", text)


LOSS = {("mathcal", "L"): "loss"}
GREEK = {r"\alpha", r"\phi"}


def line_by_line(match: re.Match[str]) -> str:
    """Each line a formula of its own, but one that goes on with the one above."""
    joined = re.sub(r"&|\\q?quad", " ", FURTHER.sub(" ", match[1]))
    return joined.replace(r"\\", APART)
