"""A number that a sentence sets as code stands in the code of its page too.

Such a number needs no check of its own: it is a setting, not a finding. So it must be a setting of
something: of a block, of what a block printed, or of a check.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from literate.page import Page
from literate.prose import CODE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NUMBER = re.compile(r"(?<![\w.])\d[\d_,]*(?:\.\d+)?(?:e-?\d+)?(?!\w)")
NUMBERS = re.compile(r"[-−\d_.,\s]+(?:e-?\d+)?")  # a span of code that is nothing else
CHECK = re.compile(r"<!--=(.*?)-->", re.DOTALL)
# Set elsewhere: a share in a wrong answer, versions, sizes that test_measured.py holds.
ELSEWHERE = {
    "multi-head-attention.md": {"0.3"},
    "models.md": {"3.1"},
    "recipes.md": {"3.11"},
    "benchmarks.md": {"12", "32", "511", "513", "777", "4096"},
}


def numbers(code: str) -> set[str]:
    return {number.replace(",", "").replace("_", "") for number in NUMBER.findall(code)}


def unset(page: Page, text: str) -> Iterator[str]:
    """The numbers that sentences set as code, and that no code of the page has."""
    code = set[str]().union(*(numbers(check) for check in CHECK.findall(text)))
    for block in page.blocks:
        code |= numbers(block.code) | numbers(block.output.text if block.output else "")
    for match in CODE.finditer(page.prose):
        span = match[0].strip("`").strip()
        if NUMBERS.fullmatch(span):
            yield from sorted(numbers(span) - code)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_number_set_as_code_is_in_the_code(path: Path) -> None:
    assert {*unset(Page.read(path), path.read_text("utf-8"))} == ELSEWHERE.get(path.name, set())


def test_a_number_that_no_code_has_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("A rate of `0.1`, not `0.2`.\n\n```python\nrate = 0.1\n```\n", "utf-8")
    assert [*unset(Page.read(path), path.read_text("utf-8"))] == ["0.2"]
