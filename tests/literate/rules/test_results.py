"""Which numbers of the prose a reader takes for results, where they stand and of which kind."""

from pathlib import Path

import pytest

from literate.pages.page import Page
from literate.rules.results import in_words


def results(text: str) -> list[tuple[str, str]]:
    """The results of a page in order, each with its kind."""
    return [(text[start:end], kind) for start, end, kind in in_words(Page(Path("page.md"), text))]


def test_the_words_below_a_picture_are_results() -> None:
    text = "Of 20 here.\n\n<figure>\n<figcaption>Of <em>30</em> bars\n4 are</figcaption>\n</figure>"
    assert results(text) == [("30", "caption"), ("4", "caption")]


def test_the_words_for_a_picture_are_results() -> None:
    text = "Words.\n\n![12 bars, [5] of them](figures/page/a7.svg) and 20 here.\n"
    assert results(text) == [("12", "picture"), ("5", "picture")]


def test_answers_to_a_prediction_are_results() -> None:
    """The right one as a whole, and what is said to the others."""
    text = '!!! predict "Of 8?"\n\n    - ( ) 31: no, 20.\n    - (x) 4: it is 64.\n'
    assert results(text) == [("20", "answer"), ("4", "answer"), ("64", "answer")]


def test_the_number_before_a_source_is_a_result() -> None:
    text = "In 8 cases it was 0.25<!-- source: a book -->, then 12 %<!-- source: a book -->.\n"
    assert results(text) == [("0.25", "sourced"), ("12 %", "sourced")]


def test_a_number_before_another_comment_is_none() -> None:
    assert results("It was 0.25<!-- a remark --> then.\n") == []


def test_the_cells_of_a_table_with_a_source_are_results() -> None:
    """The first row names the columns; an address has no results."""
    text = (
        "Words of 9.\n\n| of 3 | n |\n| --- | --- |\n| [5](https://a.test/77) | 6.5 |\n| x | 12 |\n"
        "\n<!-- source: a book -->\n"
    )
    assert results(text) == [("5", "table"), ("6.5", "table"), ("12", "table")]
    assert results(text.replace("<!-- source: a book -->", "")) == []


def test_results_of_each_kind_are_found_where_they_stand() -> None:
    text = (
        "# Page\n\nIt was 7<!-- source: a book -->.\n\n"
        "> | n |\n> | - |\n> | 12 |\n>\n> <!-- source: a book -->\n\n"
        "![A bar of 30](figures/page/a.svg)\n"
    )
    places = [(text[:start].count("\n") + 1, text[start:end], kind)
              for start, end, kind in in_words(Page(Path("page.md"), text))]  # fmt: skip
    assert places == [(3, "7", "sourced"), (7, "12", "table"), (11, "30", "picture")]


@pytest.mark.parametrize(
    "name",
    [
        *("Python 3.11", "PyTorch 2", "CUDA 12", "CC BY 4.0", "Apache 2.0", "§ 3"),
        *("doi 10.1234/abc.56-78", "https://a.test/2017/5", "[word](a2.md)"),
        *("Section 3", "figure 2.1", "figures 2, 3 and 4", "versions 2–3"),
        *("token 3", "rows 0, 1 and 2", "heads 4–7"),
        *("$x = 12$", "$$\nx = 12\n$$", "`12`", "12<!--= 3 * 4 -->", "<!-- of 12 -->"),
        *("(2017)", "2017-06-12", '<span data-n="12">'),
        *("GPT-3", "x2", "#5"),
    ],
)
def test_what_only_looks_like_a_result(name: str) -> None:
    words = f"<figcaption>The 40 of {name} are 50.</figcaption>\n"
    assert results(words) == [("40", "caption"), ("50", "caption")]


def test_what_is_hidden_keeps_the_lines() -> None:
    """A comment, code or a formula before a result moves it nowhere."""
    before = "<!-- of\n1 -->`2` $3$ (2017) Python 3.11 "
    assert results(f"![{before}and 64](a.svg)\n") == [("64", "picture")]
