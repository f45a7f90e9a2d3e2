"""What a page says of its parts: how many mistakes it has, which chapters a figure links."""

import re
from pathlib import Path

import pytest

from literate.pages.page import Page
from literate.rules.numerals import COUNTS

DOCS = Path("docs")
PAGES = sorted(DOCS.rglob("*.md"))
CHAPTER = re.compile(r"^# .*\{[^}]*\bdata-chapter=(\d+)", re.M)
MISTAKES = re.compile(r"\b(\w+) mistakes(?= (?:below|follow)|[.,])")
LINKED = re.compile(r'<a href="\.\./([\w-]+)/".*?>(.*?)</a>', re.S)
NUMBER = re.compile(r">(\d+)</text>")


def mistakes(text: str) -> list[int]:
    """How many mistakes a page says it has, each time it says so."""
    found = [word.lower() for word in MISTAKES.findall(text)]
    return [int(COUNTS[word]) for word in found if word in COUNTS]


def chapters() -> dict[str, str]:
    found = [(path.stem, CHAPTER.search(path.read_text("utf-8"))) for path in PAGES]
    return {name: match[1] for name, match in found if match}


def named(drawing: str) -> list[tuple[str, str]]:
    """The chapters that a figure links, each with the number that stands in the link."""
    return [
        (to, number) for to, inside in LINKED.findall(drawing) for number in NUMBER.findall(inside)
    ]


def test_a_page_has_as_many_mistakes_as_it_says() -> None:
    said = 0
    for path in PAGES:
        page = Page.read(path)
        wrong = len(re.findall(r"^### .*\{[^}]*\.wrong\b", page.prose, re.M))
        for number in mistakes(page.prose):
            said += 1
            assert number == wrong, path
    assert said > 1
    assert mistakes("It finds two of the nine mistakes below. Ten mistakes.") == [9, 10]


def test_a_figure_numbers_the_chapters_that_it_links() -> None:
    known, seen = chapters(), 0
    for path in sorted(DOCS.rglob("figures/**/*.svg")):
        for to, number in named(path.read_text("utf-8")):
            seen += 1
            assert number == known[to], path
    assert seen > 10


@pytest.mark.parametrize(("number", "said"), [("8", [("scaling", "8")]), ("x", [])])
def test_a_number_in_a_link_is_seen(number: str, said: list[tuple[str, str]]) -> None:
    drawing = f'<a href="../scaling/"><g>\n<text x="1">{number}</text>\n</g></a>'
    assert named(drawing) == said
