"""The digits that nothing can notice, each with its reason: `pardons.toml`, kept short.

An entry has a page, or `*` for all, a pattern of words of the page, and the reason. It pardons the
unnoticed digits of prose inside of what the pattern finds. One that pardons none is an error.
What was printed, computed or drawn is never pardoned.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from literate.breaking.places import Place
from literate.breaking.sources import ROOT
from literate.rules.results import WORDS

PROSE = {*WORDS, "sourced"}


@dataclass(frozen=True)
class Pardon:
    page: str
    words: str
    reason: str


@cache
def pardons() -> list[Pardon]:
    entries = tomllib.loads(Path(__file__).with_name("pardons.toml").read_text("utf-8"))["pardon"]
    return [Pardon(**entry) for entry in entries]


def sift(page: str, unnoticed: list[Place]) -> tuple[list[Place], int]:
    """The unnoticed digits that are not listed, and how many are."""
    left = [place for place in unnoticed if not any(holds(p, page, place) for p in pardons())]
    return left, len(unnoticed) - len(left)


def strays(page: str, unnoticed: list[Place]) -> list[str]:
    """The words of a page's own entries that pardon nothing."""
    own = [pardon for pardon in pardons() if pardon.page == page]
    return [p.words for p in own if not any(holds(p, page, place) for place in unnoticed)]


def holds(pardon: Pardon, page: str, place: Place) -> bool:
    if pardon.page not in ("*", page) or place.kind not in PROSE:
        return False
    text = (ROOT / page).read_text("utf-8")
    return any(m.start() <= place.at < m.end() for m in re.finditer(pardon.words, text))
