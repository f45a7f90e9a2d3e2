"""The tolerances are those that the page about them says in words."""

from pathlib import Path

from literate.pages.page import Page
from literate.rules import assertions
from literate.rules.compare import same_number, same_output
from literate.rules.guards import unchecked
from literate.running import figures
from literate.running.records import stale

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/about/verified.md"
MAKE = (ROOT / "Makefile").read_text("utf-8")
TESTS = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")


def kept(before: float, now: float, *spread: float) -> bool:
    """Whether a value is that of the record."""
    page = Page(Path("page.md"), "It is 1<!--= x -->.\n")
    record = {"numbers": [["x", before, *spread]]}
    return stale(record, page, {check.start: now for check in page.checks}) is None


def bare(number: int) -> bool:
    """Whether a number of a sentence is found to have no expression."""
    return any(unchecked(Page(Path("page.md"), f"There are {number}.\n")))


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
    "takes for close what may be more than a twentieth apart": assertions.SLACK == 1 / 20,
    "The value is held to a hundred-thousandth of itself": (
        kept(1.0, 1.00001) and not kept(1.0, 1.000012)
    ),
    "or to ten times its spread": kept(1.0, 1.99, 0.1) and not kept(1.0, 2.01, 0.1),
    "- A whole number from ten on has no expression": bare(10) and not bare(9),
    "and a second time with two threads": "OTHER  := $(PLAIN) OMP_NUM_THREADS=2 " in MAKE,
    "Left out are three blocks": TESTS.count("--deselect") == 3,
}


def test_the_page_says_how_far_a_number_may_be_off() -> None:
    text = PAGE.read_text("utf-8")
    for words, holds in SAID.items():
        assert words in text
        assert holds, words
