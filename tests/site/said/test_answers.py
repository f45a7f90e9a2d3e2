"""Where the right choice of a prediction stands: no place may give it away."""

import re
from collections import Counter

from pages import DOCS

CHOICES = re.compile(r"^ *!!! predict .*\n\s*\n((?: +- \([ x]\) .*\n)+)", re.M)


def places(text: str) -> list[int]:
    """Of each prediction, the place of its right choice, counted from 0."""
    return [
        [line.lstrip().startswith("- (x)") for line in choices.splitlines()].index(True)
        for choices in CHOICES.findall(text)
    ]


def test_a_place_is_counted_from_0() -> None:
    text = '!!! predict "A or B?"\n\n    - ( ) A: no.\n    - (x) B: yes.\n\nText.\n'
    assert places(text + text.replace("(x)", "( )").replace("( )", "(x)", 1)) == [1, 0]


def test_each_place_is_right_in_more_than_a_quarter_of_the_predictions() -> None:
    every = [place for page in DOCS.rglob("*.md") for place in places(page.read_text("utf-8"))]
    assert len(every) == sum(
        len(re.findall(r"^ *!!! predict ", page.read_text("utf-8"), re.M))
        for page in DOCS.rglob("*.md")
    )
    share = Counter(every)
    assert min(share[place] for place in range(3)) > len(every) / 4
