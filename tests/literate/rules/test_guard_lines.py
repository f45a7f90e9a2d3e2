"""Which number of a page is unchecked, as it is written, and at which line."""

from pathlib import Path

import pytest

from literate.pages.page import Page
from literate.rules.guards import unchecked, unreasoned


def found(text: str) -> list[tuple[int, str]]:
    return list(unchecked(Page(Path("page.md"), text)))


FOUND = {
    "a decimal": ("\nText.\n\nIt is 0.25 and 9 %.\n", [(4, "0.25"), (4, "9 %")]),
    "a whole number": ("\nText.\n\nOf 36 scores.\n", [(4, "36")]),
    "in a title of a block": ('```python title="A share of 99.9 %"\nx = 1\n```\n', [(1, "99.9 %")]),
    "in a comment of a block": (
        "Text.\n\n```python\nx = 1\ny = 2  # gives 0.9999\n```\n",
        [(5, "0.9999")],
    ),
    "directly behind a tag": ("One.\n\n<b>0.9999</b> of it.\n", [(3, "0.9999")]),
}


@pytest.mark.parametrize("where", FOUND)
def test_an_unchecked_number_is_found_at_its_line(where: str) -> None:
    text, expected = FOUND[where]
    assert found(text) == expected


def test_a_number_below_a_picture_needs_a_block_that_has_it() -> None:
    """The check of the same number in a sentence does for other sentences, and not for it."""
    page = "\nAll 36<!--= 6 * 6 --> of 36.\n\n<figcaption>All 36 of them.</figcaption>\n"
    assert found(page) == [(4, "36")]
    assert found(page + "\n```python\nx = 36\n```\n") == []
    long = "\nOf 1,490<!--= 10 * 149 -->.\n\n<figcaption>All 1,490 of them.</figcaption>\n"
    assert found(long) == [(4, "1,490")]
    assert found(long + "\n```python\nx = 1_490\n```\n") == []


def test_a_year_of_a_sentence_is_a_number_below_a_picture() -> None:
    assert found("It was in 2024.\n") == []
    assert found("<figcaption>The root is in 2024.</figcaption>\n") == [(1, "2024")]


def test_a_result_in_backticks_may_name_its_source() -> None:
    assert found("It printed `0.9999`.\n") == [(1, "0.9999")]
    assert found("It printed `0.9999`<!-- source: a book -->.\n") == []


def test_the_reason_of_a_block_that_is_not_run_may_stand_directly_above_it() -> None:
    def lines(above: str) -> list[int]:
        text = f"{above}```python {{.notest}}\nx = 1\n```\n\n```python\ny = 2\n```\n"
        return list(unreasoned(Page(Path("page.md"), text)))

    reason = "<!-- It takes an hour to run. -->\n"
    assert lines(reason) == lines(f"{reason}\n\n") == []
    assert lines("") == [2]
    assert lines("\n") == [3]
    assert lines(f"{reason}\nText.\n\n") == [6]
