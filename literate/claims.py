"""What stands before a check in words, beside what its expression asks: they must agree.

A claim is only held to be true. `more than twice<!--= ratio > 3 -->` would be: so a number in words
must be in the expression, and a comparison must go the same way.
"""

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from literate.compared import Known, compared, links, numbers
from literate.numerals import MANY, phrases
from literate.page import Page
from literate.prose import COMMENT
from literate.syntax import inside, name_of, parse
from literate.unfailing import bare

MORE = re.compile(r"\b(?:more than|above|at least|over|(?:larg|long|great|high|bigg)er than)\b")
LESS = re.compile(
    r"\b(?:(?:less|fewer) than|below|at most|under|(?:small|short|low)er than)\b"
    rf"|\b(?:nearly|almost)(?= {MANY})"
)
EACH = re.compile(r"(?<!\bat )\ball\b|\b(?:each|every|none|neither)\b")
WAYS = {ast.Gt: 1, ast.GtE: 1, ast.Lt: -1, ast.LtE: -1}
UNIT = re.compile(r"(?:<!--(?:(?!-->).)*-->)+\s(per cent|per mille|(?:M|G|Ki|Mi|Gi)B)\b", re.S)
UNITS = {"per cent": 100, "per mille": 1000, "MB": 1e6, "GB": 1e9}
UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
SHAPE = re.compile(r"\(([\w, ]+,[\w, ]*)\)[`*]*$")


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
        for word in missing(words, compared(tree)):
            yield check.line, f"nothing in {check.expression} is the {word!r} before it"
        for word, left in twice(words, compared(tree)):
            message = f"{word!r} is said twice, and {left:g} of {check.expression} not"
            yield check.line, message
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


def missing(words: str, known: Known) -> Iterator[str]:
    """The numbers in words that nothing is compared with."""
    for phrase in phrases(words):
        if not any(map(known.has, phrase.meant)):
            yield phrase.text


def twice(words: str, known: Known) -> Iterator[tuple[str, float]]:
    """A number that is said twice while one that is asked is not: `six of the six`."""
    said = [*phrases(words)]
    named = {number for phrase in said for number in phrase.meant}
    left = [one for one in known.typed if one >= 2 and one % 1 == 0 and one not in named]
    again = [one for one, other in combinations(said, 2) if one.meant == other.meant]
    if left and again:
        yield again[0].text, left[0]


def ends(tree: ast.AST, words: str) -> tuple[set[int], set[int]]:
    """Which way the comparisons go: all of them, and those with the number that the words name."""
    found = [*bounds(tree)]
    named = {way for known, way in found if not [*missing(words, known)]}
    return {way for _, way in found}, named


def bounds(tree: ast.AST) -> Iterator[tuple[Known, int]]:
    """Each comparison: its numbers, and which way it goes to them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for left, right, how in links(node):
                if how in WAYS:
                    turned = inside(right) and not inside(left)  # the constant stands on the left
                    yield numbers(left, right, how), WAYS[how] * (-1 if turned else 1)


def squeezed(text: str) -> str:
    return re.sub(r"[\s`*]", "", text)
