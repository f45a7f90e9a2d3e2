"""What stands before a check in words, beside what its expression asks: they must agree.

A claim is only held to be true. `more than twice<!--= ratio > 3 -->` would be: so a number in words
must be in the expression, and a comparison must go the same way.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from literate.page import Page
from literate.prose import COMMENT
from literate.syntax import inside, name_of, parse
from literate.unfailing import bare

COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
COUNTS |= {"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15}
COUNTS |= {"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20}
COUNTS |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
COUNTS |= {"ninety": 90, "hundred": 100, "thousand": 1000, "dozen": 12}
COUNTS |= {"twice": 2, "double": 2, "thrice": 3}
PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8}
PARTS |= {"ninth": 9, "tenth": 10, "sixteenth": 16, "hundredth": 100, "thousandth": 1000}
NUMBERS = COUNTS | PARTS
MORE = re.compile(r"\b(?:more than|above|at least|over|(?:larg|long|great|high|bigg)er than)\b")
LESS = re.compile(r"\b(?:(?:less|fewer) than|below|at most|under|(?:small|short|low)er than)\b")
EACH = re.compile(r"(?<!\bat )\ball\b|\b(?:each|every|none|neither)\b")
WAYS = {ast.Gt: 1, ast.GtE: 1, ast.Lt: -1, ast.LtE: -1}
UNIT = re.compile(r"(?:<!--(?:(?!-->).)*-->)+\s(per cent|per mille|(?:M|G|Ki|Mi|Gi)B)\b", re.S)
UNITS = {"per cent": 100, "per mille": 1000, "MB": 1e6, "GB": 1e9}
UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
SHAPE = re.compile(r"\(([\w, ]+,[\w, ]*)\)[`*]*$")
FRACTION = re.compile(rf"\b(a|an|one|{'|'.join(COUNTS)}) ({'|'.join(PARTS)})s?\b")


def at_odds(page: Page) -> Iterator[tuple[int, str]]:
    """What is said before or behind a check and does not agree with it, with the line."""
    for check in page.checks:
        tree = parse(check.expression, "eval")
        if check.printed:
            unit = UNIT.match(page.prose, check.end)
            if unit and not counted(unit[1], tree):
                yield check.line, f"{check.expression} is no number {unit[1]}"
            continue
        before = page.prose[: check.start]
        words = clause(before)
        shape, asked = SHAPE.search(before), squeezed(check.expression)
        if shape and ".shape" in asked and squeezed(shape[0]) not in asked:
            yield check.line, f"{shape[0]} is not the shape in {check.expression}"
        for word in missing(words, constants(tree)):
            yield check.line, f"nothing in {check.expression} is the {word!r} before it"
        if (found := EACH.search(words)) and of_one(tree.body):
            yield check.line, f"{check.expression} asks of one, not of {found[0]!r}"
        for pattern, way in ((MORE, 1), (LESS, -1)):
            found = pattern.search(words)
            if found and {-way} in ends(tree, words[found.end() :]):
                yield check.line, f"{check.expression} goes the other way than {found[0]!r}"


def clause(before: str) -> str:
    """The last words, from a stop or a comment on; a comma ends no claim."""
    before = COMMENT.sub("\0", before.rpartition("\n\n")[2])
    return re.split(r"[.;:?!]\s|\0", before)[-1].lower()


def constants(tree: ast.AST) -> set[float]:
    values = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {abs(float(x)) for x in values if isinstance(x, int | float)}


def of_one(tree: ast.expr) -> bool:
    """Whether it asks for one at least, where it might ask for each."""
    outer = bare(tree)
    return isinstance(outer, ast.Call) and name_of(outer) == "any"


def counted(unit: str, tree: ast.AST) -> bool:
    """Whether a number of an expression is the unit, also as a power of another: 2**20 is a MiB."""
    powers = {
        float(base**power)
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
        for base in constants(node.left)
        for power in constants(node.right)
        if power < 100  # no float is 10**400
    }
    return UNITS[unit] in constants(tree) | powers


def missing(words: str, known: set[float]) -> Iterator[str]:
    """The numbers in words that no constant is."""
    for fraction in FRACTION.finditer(words):
        count, part = COUNTS.get(fraction[1], 1), PARTS[fraction[2]]
        whole = any(abs(constant - count / part) < 1e-9 for constant in known)
        if not whole and not {count, part} <= known | {1}:
            yield fraction[0]
    for word in re.findall(r"[a-z]+", FRACTION.sub("", words)):
        number = NUMBERS.get(word.removesuffix("s"), NUMBERS.get(word))
        if number and not any(same(number, constant) for constant in known):
            yield word


def same(number: float, constant: float) -> bool:
    """Whether a constant is a number, or a share that is a whole number of its parts."""
    parts = constant * number
    return constant == number or (constant < 1 <= parts and abs(parts - round(parts)) < 1e-9)


def ends(tree: ast.AST, words: str) -> tuple[set[int], set[int]]:
    """Which way the comparisons go: all of them, and those with the number that the words name."""
    found = [*bounds(tree)]
    named = {way for known, way in found if not [*missing(words, known)]}
    return {way for _, way in found}, named


def bounds(tree: ast.AST) -> Iterator[tuple[set[float], int]]:
    """Each comparison, one by one in a chain: its constants, and which way it goes to them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            pairs = pairwise([node.left, *node.comparators])
            for (left, right), how in zip(pairs, map(type, node.ops), strict=True):
                if how in WAYS:
                    turned = inside(right) and not inside(left)  # the constant stands on the left
                    yield constants(left) | constants(right), WAYS[how] * (-1 if turned else 1)


def squeezed(text: str) -> str:
    return re.sub(r"[\s`*]", "", text)
