"""Which formula a check of a page asks about, and which formula has none."""

from pathlib import Path

import pytest

from literate.pages.page import Page, PageError
from literate.rules.guards import uncomputed


def page(text: str) -> Page:
    return Page(Path("p.md"), text)


def test_a_check_asks_about_the_formula_before_it() -> None:
    alone = "$$\nc\n$$\n\n<!--= formula(c=1) -->"
    checks = page(f"Here $a b$<!--= formula(a=1, b=2) == 2 -->.\n\n{alone}").checks
    assert [check.formula for check in checks] == ["a b", "\nc\n"]
    with pytest.raises(PageError, match="no formula stands before"):
        page("Here $a b$ and<!--= formula(a=1, b=2) -->.")
    assert page("Here $a b$ and<!--= x == 3 -->.").checks[0].formula == ""


def test_a_formula_of_its_own_lines_has_a_check_or_a_reason() -> None:
    bare = "$$\na\n$$\n\n"
    assert [*uncomputed(page(f"One.\n\n{bare}And.\n"))] == [3]
    assert [*uncomputed(page(f"{bare}<!--= len(x) == 2 -->\n"))] == [1]
    assert not [*uncomputed(page(f"{bare}<!--= formula(a=2) == b -->\n"))]
    assert not [*uncomputed(page(f"{bare}<!-- not computed: of random numbers -->\n"))]
    assert [*uncomputed(page(f"{bare}<!-- not computed: -->\n"))] == [1]
    assert not [*uncomputed(page("In a line $a$.\n"))]
