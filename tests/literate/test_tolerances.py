"""The tolerances are those that the page about them says in words."""

from pathlib import Path

from literate import figures
from literate.compare import same_number, same_output

PAGE = Path(__file__).parents[2] / "docs/about/verified.md"
SAID = {
    "Numbers of three or more decimals may differ by one unit in the last": (
        same_output("0.123", "0.124") and not same_output("0.123", "0.125")
    ),
    "numbers of up to two decimals must agree exactly": not same_output("0.12", "0.13"),
    "it may be off by two millionths of the value": (
        same_number("10.0000", "", 10.00006) and not same_number("10.0000", "", 10.00008)
    ),
    "never by more than one unit of the last digit": not same_number("1000.0000", "", 1000.0002),
    "its coordinates within a twentieth of a point": figures.SLACK == 1 / 20,
    "such as an opacity, to a thousandth": figures.EXACT == 1 / 1000,
}


def test_the_page_says_how_far_a_number_may_be_off() -> None:
    text = PAGE.read_text("utf-8")
    for words, holds in SAID.items():
        assert words in text
        assert holds, words
