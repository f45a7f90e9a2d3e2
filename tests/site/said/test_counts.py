"""The page that counts the checks says what the records say."""

from functools import cache

from pages import ROOT

from literate import counts

PAGE = ROOT / "docs/about/counts.md"


@cache  # takes a second, and is asked again after each digit that `literate break` changes
def expected() -> str:
    return counts.page()


def test_the_counts_are_those_of_the_records() -> None:
    assert PAGE.read_text("utf-8") == expected(), "run python -m literate count"
