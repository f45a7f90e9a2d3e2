"""The page that counts the checks says what the records say."""

from pathlib import Path

from literate import counts

PAGE = Path(__file__).parents[2] / "docs/about/counts.md"


def test_the_counts_are_those_of_the_records() -> None:
    assert PAGE.read_text("utf-8") == counts.page(), "run python -m literate count"
