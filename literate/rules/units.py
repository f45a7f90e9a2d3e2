"""The units behind the numbers of a page that have a check or a source.

Some stand in the expression too: what is in MiB was divided by 2**20. The others the record of the
page keeps, so that none changes unnoticed.
"""

import ast
import re
from collections.abc import Iterator

from literate.pages.page import Page
from literate.pages.prose import CODE
from literate.rules.results import hide
from literate.rules.worked import worked

# By what an expression multiplies or divides.
UNITS = {"per cent": 100, "per mille": 1000, "thousandths": 1000, "millionths": 10**6}
UNITS |= {"thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
UNITS |= {"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
OTHERS = ["bytes?", "bits?", "[mµn]?s", "(?:milli|micro|nano)?seconds?", "minutes?", "hours?"]
OTHERS += ["[GTP]FLOPs?(?:/s)?", "[KMGT]i?B/s", "radians?", "degrees?", "points?"]
BEHIND = rf"[*_]*[\s\u202f][*_]*({'|'.join([*UNITS, *OTHERS])})(?![\w/])"
FIGURE = re.compile(rf"(\d[\d,\u202f]*(?:\.\d+)?){BEHIND}")
UNIT = re.compile(rf"(?:<!--(?:(?!-->).)*-->)+{BEHIND}", re.S)
NUMBER = re.compile(rf"\d[ \u202f]?[%×]?(?:<!--\s*(?:=|source:)(?:(?!-->).)*-->)+{BEHIND}", re.S)


def units(page: Page) -> Iterator[tuple[int, str]]:
    """The unit behind each number that has one, with its line."""
    prose = hide(page.prose, CODE)
    for match in NUMBER.finditer(prose):
        yield prose.count("\n", 0, match.start()) + 1, match[1]


def measured(words: str) -> Iterator[tuple[float, str]]:
    """The numbers that stand within words with a unit, and that unit."""
    for match in FIGURE.finditer(words):
        yield float(re.sub("[,\u202f]", "", match[1])), match[2]


def counted(unit: str, tree: ast.AST, figure: float = 1) -> bool:
    """Whether a number of an expression is the unit, 2**20 is a MiB, or so many of it."""
    if (size := UNITS.get(unit)) is None:
        return True
    parts = {worked(part) for part in ast.walk(tree) if isinstance(part, ast.expr)}
    return bool(parts & {size, figure * size})


def changed(page: Page, kept: list[str]) -> tuple[int, str] | None:
    """The first unit that is not the recorded one: its line, and both."""
    now = [*units(page)]
    for (line, unit), other in zip(now, kept, strict=False):
        if unit != other:
            return line, f"a number in {unit}, in the record of the page in {other}"
    if len(now) != len(kept):
        line = now[len(kept)][0] if len(now) > len(kept) else 1
        return line, f"the page has {len(now)} numbers with units, its record {len(kept)}"
    return None
