"""Code that Python cannot read, whatever the reason, is no syntax."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from literate.pages.page import Page, PageError
from literate.pages.syntax import parse
from literate.rules import guards
from literate.running.records import assertions
from literate.site import export
from literate.slices.slicer import scripts

DEEP = "lambda:" * 5000 + "1"  # a MemoryError
LONG = "-" * 5000 + "1"  # a RecursionError, where Python has its own limit


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    before = sys.getrecursionlimit()  # other libraries raise it
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("code", [DEEP, LONG])
def test_what_is_nested_too_deep_is_no_syntax(code: str) -> None:
    with pytest.raises(SyntaxError, match="^nested too deep$"):
        parse(code)


@pytest.mark.parametrize("code", [DEEP, LONG])
def test_a_block_nested_too_deep_is_read_as_text(code: str) -> None:
    page = Page(Path("page.md"), f"# A\n\n```python\n{code}  # 3.7 times\n```\n")
    assert not export.compiles(page.blocks[0].code)
    assert assertions(page.blocks[0]) == 0
    assert list(guards.unchecked(page)) == [(4, "3.7")]


def test_a_block_too_deep_for_a_script_is_named() -> None:
    page = Page(Path("page.md"), f"# A\n\n```python\nprint(1{'+1' * 600})\n```\n")
    with pytest.raises(PageError, match=r"^page\.md:4: nested too deep to make a script of it$"):
        scripts(page)


@pytest.mark.parametrize("code", [DEEP, LONG])
def test_a_check_nested_too_deep_is_named(code: str) -> None:
    with pytest.raises(PageError, match=r"page\.md:3: .* is not an expression"):
        _ = Page(Path("page.md"), f"# A\n\nIt is 0.5<!--= {code} -->.\n").checks
