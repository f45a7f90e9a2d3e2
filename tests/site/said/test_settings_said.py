"""A number that a sentence sets as code stands in the code of its page too, and so does a shape.

Such a number needs no check of its own: it is a setting, not a finding. So it must be a setting of
something: of a block, of what a block printed, or of a check. The same holds for a shape in numbers
and for the name of a dtype, whether they are set as code or not.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import ROOT

from literate.pages.page import Page
from literate.pages.prose import CODE

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NUMBER = re.compile(r"(?<![\w.])\d[\d_,]*(?:\.\d+)?(?:e-?\d+)?(?!\w)")
NUMBERS = re.compile(r"[-−\d_.,\s]+(?:e-?\d+)?")  # a span of code that is nothing else
CHECK = re.compile(r"<!--=(.*?)-->", re.DOTALL)
SHAPE = re.compile(r"\(\d+(?:, ?\d+)+,?\)")
DTYPE = re.compile(r"\b(?:b?float16|float64)\b")
# Set elsewhere: versions, sizes that tests/site/benchmarks and measured hold, and
# one that test_mutants_record.py holds.
ELSEWHERE = {
    "conventions.md": {"2.1"},
    "counts.md": {"300"},
    "models.md": {"3.1"},
    "recipes.md": {"3.11"},
    "benchmarks.md": {"12", "32", "128", "4096"},
    "multi_head.md": {"256", "777"},
}


def numbers(code: str) -> set[str]:
    return {number.replace(",", "").replace("_", "") for number in NUMBER.findall(code)}


def ran(page: Page, text: str) -> str:
    """The checks, the code and the outputs of a page."""
    blocks = (f"{block.code}\n{block.output.text if block.output else ''}" for block in page.blocks)
    return "\n".join([*CHECK.findall(text), *blocks])


def unset(page: Page, text: str) -> Iterator[str]:
    """The numbers that sentences set as code, and that no code of the page has."""
    code = numbers(ran(page, text))
    for match in CODE.finditer(page.prose):
        span = match[0].strip("`").strip()
        if NUMBERS.fullmatch(span):
            yield from sorted(numbers(span) - code)


# Not computed there: an example of a remark, steps that are on other pages, a wrong answer, what
# an error forbids. And torch.half is float16.
ELSEWHERE_TOO = {
    "verified.md": {"(2, 6, 3)"},
    "worked-examples.md": {"(8, 32)", "(32, 32)", "(8, 8)", "(1, 8, 32)", "(1, 4, 8, 8)"},
    "errata.md": {"(100, 32)"},
    "every-token-at-once.md": {"(3, 6, 2)"},
    "masks.md": {"float16"},
}


def squeezed(text: str) -> str:
    return re.sub(r"[\s,\[\]]", "", re.sub(r",(?=\s*\d)", ";", text))


def unshaped(page: Page, text: str) -> Iterator[str]:
    """The shapes and dtypes that no code of the page has."""
    code = ran(page, text)
    yield from {*DTYPE.findall(page.prose)} - {*DTYPE.findall(code)}
    for said in SHAPE.findall(page.prose):
        if squeezed(said).strip("()") not in squeezed(code):
            yield said


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_number_set_as_code_is_in_the_code(path: Path) -> None:
    assert {*unset(Page.read(path), path.read_text("utf-8"))} == ELSEWHERE.get(path.name, set())


def test_a_number_that_no_code_has_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("A rate of `0.1`, not `0.2`.\n\n```python\nrate = 0.1\n```\n", "utf-8")
    assert [*unset(Page.read(path), path.read_text("utf-8"))] == ["0.2"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_shape_in_numbers_is_in_the_code(path: Path) -> None:
    found = {*unshaped(Page.read(path), path.read_text("utf-8"))}
    assert found <= ELSEWHERE_TOO.get(path.name, set())


@pytest.mark.parametrize("said", ["(2, 3)", "(3, 2)", "float16", "bfloat16"])
def test_what_no_code_has_is_seen(said: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = (
        f"It is {said}.\n\n```python\nprint(torch.zeros(2, 3, dtype=torch.bfloat16).shape)\n```\n"
    )
    path.write_text(text, "utf-8")
    assert [*unshaped(Page.read(path), text)] == ([] if said in ("(2, 3)", "bfloat16") else [said])
