"""What stands before a check in words, beside what its expression asks: they must agree.

A claim is only held to be true. `more than twice<!--= ratio > 3 -->` would be: so a number in words
must be in the expression, and a comparison must go the same way.
"""

import ast
import re
from collections.abc import Iterator
from itertools import combinations, pairwise

from literate.pages.page import Page
from literate.pages.prose import CODE, COMMENT, FORMULA
from literate.pages.syntax import inside, name_of, parse
from literate.rules.certain import bare
from literate.rules.compared import Known, compared, links, numbers
from literate.rules.numerals import MANY, phrases
from literate.rules.results import NAMES, NUMBER, hide
from literate.rules.sides import LESS, MORE, NO
from literate.rules.units import UNIT, counted, measured
from literate.rules.worked import worked

UP = re.compile(rf"{NO}\b(?:{MORE}|beyond|past|at least)\b|\bnot? {LESS}")
DOWN = re.compile(rf"{NO}\b(?:{LESS}|at most)\b|\bnot? {MORE}|\b(?:nearly|almost)(?= {MANY})")
EACH = re.compile(r"(?<!\bat )\ball\b|\b(?:each|every|none|neither)\b")
WAYS = {ast.Gt: 1, ast.GtE: 1, ast.Lt: -1, ast.LtE: -1}
OF = re.compile(r" of (?:(?:the|all|its|these) )?")
LARGEST = re.compile(
    r"\b(?:(?:long|larg|high|great|bigg|wid|sharp)est|furthest|farthest|mostly"
    r"|(?<!at )most (?:of|to))\b"
)
SMALLEST = re.compile(r"\b(?:(?:short|small|low|near|thinn|flatt)est|(?<!at )least (?:of|to))\b")
LINK = re.compile(r"\[[^\[\]]*\]\([^)\s]*\)")
TARGET = re.compile(r"\]\([^()\s]*\)")
SHAPE = re.compile(r"\(([\w, ]+,[\w, ]*)\)[`*]*$")


def at_odds(page: Page) -> Iterator[tuple[int, str]]:
    """What is said before or behind a check and does not agree with it, with the line."""
    for check in page.checks:
        if check.formula:  # which is computed itself
            continue
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
        for figure in unasked(before, tree):
            yield check.line, f"nothing in {check.expression} is the {figure} before it"
        for figure, unit in measured(last(before)):
            if not counted(unit, tree, figure):
                yield check.line, f"nothing in {check.expression} is {figure:g} {unit}"
        for part in above_all(words):
            yield check.line, f"{part!r} is more than all"
        if (found := other_end(words, tree)) is not None:
            yield check.line, f"{check.expression} asks for the other end than {found!r}"
        for word, left in twice(words, compared(tree)):
            message = f"{word!r} is said twice, and {left:g} of {check.expression} not"
            yield check.line, message
        if (found := EACH.search(words)) and of_one(tree.body):
            yield check.line, f"{check.expression} asks of one, not of {found[0]!r}"
        for pattern, way in ((UP, 1), (DOWN, -1)):
            found = pattern.search(words)
            if found and {-way} in ends(tree, words[found.end() :]):
                yield check.line, f"{check.expression} goes the other way than {found[0]!r}"


def clause(before: str) -> str:
    """The last words, from a stop or a comment on; a comma ends no claim.

    Where a link leads, nobody reads.
    """
    return TARGET.sub("]", last(before)).lower()


def last(before: str) -> str:
    before = COMMENT.sub("\0", before.rpartition("\n\n")[2])
    return re.split(r"[.;:?!]\s|\0", before)[-1]


def unasked(before: str, tree: ast.AST) -> Iterator[str]:
    """The figures of the last words that stand nowhere in the expression."""
    words = last(before)
    for pattern in (CODE, FORMULA, LINK, *NAMES):
        words = hide(words, pattern)
    parts = (worked(part) for part in ast.walk(tree) if isinstance(part, ast.expr))
    known = {abs(part) for part in parts if part is not None}
    known |= {float(figure) for figure in re.findall(r"\d+", " ".join(named(tree)))}
    for figure in NUMBER.findall(words):
        plain = re.sub("[,\u202f]", "", figure)
        if plain.count(".") < 2 and float(plain) not in known:
            yield figure


def of_one(tree: ast.expr) -> bool:
    """Whether it asks for one at least, where it might ask for each."""
    outer = bare(tree)
    return isinstance(outer, ast.Call) and name_of(outer) == "any"


def named(tree: ast.AST) -> Iterator[str]:
    """The names and strings of an expression: Gemma3Config is of Gemma 3."""
    for node in ast.walk(tree):
        for name in (
            getattr(node, "id", ""),
            getattr(node, "attr", ""),
            getattr(node, "value", ""),
        ):
            if isinstance(name, str):
                yield name


def missing(words: str, known: Known) -> Iterator[str]:
    """The numbers in words that nothing is compared with."""
    for phrase in phrases(words):
        if not any(map(known.has, phrase.meant)):
            yield phrase.text


def above_all(words: str) -> Iterator[str]:
    """More of some than there are: `eight of the six`."""
    for one, other in pairwise(phrases(words)):
        of = OF.fullmatch(words[one.end : other.start])
        if of and min(one.meant) > max(other.meant):
            yield words[one.start : other.end]


def other_end(words: str, tree: ast.AST) -> str | None:
    """The largest where the smallest is asked for, or the other way round."""
    asked = {name_of(node) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for word, there, wrong in (
        (LARGEST, {"argmax", "topk"}, "argmin"),
        (SMALLEST, {"argmin"}, "argmax"),
    ):
        if (found := word.search(words)) and wrong in asked and not asked & there:
            return found[0]
    return None


def twice(words: str, known: Known) -> Iterator[tuple[str, float]]:
    """A number that is said twice while one that is asked is not: `six of the six`."""
    said = [*phrases(words)]
    told = {number for phrase in said for number in phrase.meant}
    left = [one for one in known.typed if one >= 2 and one % 1 == 0 and one not in told]
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
