"""What the built site shows is what ran: its blocks, and its numbers."""

import html
import re
from pathlib import Path

import pytest
from pages import DOCS, PAGES, shown

from literate.pages.page import Page

CELL = re.compile(
    r'<div class="cell[ "].*?<div class="highlight"><pre><code>(.*?)</code></pre>', re.S
)


def blocks(text: str) -> list[str]:
    return [html.unescape(re.sub(r"<[^>]+>", "", code)) for code in CELL.findall(text)]


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_shown_are_the_blocks_that_ran(built: Path, page: str) -> None:
    ran = Page.read(DOCS / page).blocks
    assert blocks(shown(built, page)) == [block.code.strip("\n") for block in ran]


@pytest.mark.parametrize("page", PAGES)
def test_no_python_is_shown_outside_of_a_cell(built: Path, page: str) -> None:
    text = CELL.sub("", shown(built, page))
    assert "language-python" not in text
    assert "```" not in re.sub(r"<code>.*?</code>", "", text, flags=re.S)


@pytest.mark.parametrize("page", PAGES)
def test_every_checked_number_opens(built: Path, page: str) -> None:
    source = Page.read(DOCS / page)
    lines = source.text.splitlines()
    # What describes an image is an attribute, which cannot open.
    numbers = [c for c in source.checks if c.printed and not lines[c.line - 1].startswith("![")]
    # What computes a formula opens where it stands on lines of its own.
    formulas = [c for c in source.checks if c.formula and "\n" in c.formula]
    assert shown(built, page).count('class="checked"') == len(numbers) + len(formulas)


def test_few_blocks_do_not_run() -> None:
    every = [block for page in PAGES for block in Page.read(DOCS / page).blocks]
    assert len(every) > 100
    assert sum("notest" in block.kinds for block in every) < 0.02 * len(every)
