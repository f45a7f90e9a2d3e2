"""What the page on verification says of the book, beside what its machinery is tested for."""

import re

import yaml
from pages import DOCS, PAGES, says

from literate.pages.block import KINDS
from literate.pages.page import Page
from literate.rules.guards import numbers
from literate.rules.typed import typed

ROOT = DOCS.parent
NAME = "about/verified.md"
TEXT = (DOCS / NAME).read_text("utf-8")
BOOK = [*ROOT.glob("README.*"), *(DOCS / page for page in PAGES)]


def said(code: str) -> bool:
    """Whether a number in backticks is taken for a result."""
    return bool([*numbers(f"It is `{code}`.", 1, "")])


def words(printed: str) -> bool:
    page = Page(path=DOCS / "page.md", text=f'```python\nprint("{printed}")\n```\n')
    return bool([*typed(page)])


def test_what_counts_as_a_number_is_as_the_page_says() -> None:
    exact = "a result in backticks, a number of three or more decimals"
    says(NAME, exact, said("0.123") and not said("0.12"))
    holds = words("0.5") and words("10") and not words("9")
    says(NAME, "a decimal or one from ten on, and its code has that number nowhere else", holds)


def test_the_notation_is_that_which_is_read() -> None:
    table = TEXT.partition("## The notation")[2]
    kinds = {kind for row in re.findall(r"^\| (`+ ?```.*?) \|", table, re.M)
             for kind in re.findall(r"\{\.(\w+)[ }]", row)}  # fmt: skip
    assert kinds == KINDS | {"output"}


def test_the_book_runs_where_the_page_says() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))
    systems = workflow["jobs"]["test"]["strategy"]["matrix"]["os"]
    both = systems == ["ubuntu-latest", "macos-latest"]
    says(NAME, "It does so on both Linux and macOS before it is published", both)
    make = (ROOT / "Makefile").read_text("utf-8")
    says(NAME, "the pages in another order each day", "--shuffle-pages $(shell date +%j)" in make)
    plain = "PLAIN  := ATEN_CPU_CAPABILITY=default" in make
    says(NAME, "PyTorch's own kernels in their plainest form", plain)
    gpu = [path for path in BOOK for block in Page.read(path).blocks if "gpu" in block.kinds]
    says(NAME, "No page needs a GPU.", not gpu)
