"""Claims about each of no things."""

import pytest
import torch
from helpers import failures

from literate.rules.vacuous import NAMES, Vacuous, compiled

THINGS = {"torch": torch, "x": torch.arange(3), "none": torch.ones(2, 0), "pair": (1, 1)}


def value(expression: str) -> object:
    return eval(compiled(expression, "page.md"), NAMES | THINGS)


@pytest.mark.parametrize("expression", [
    "(x[3:] < 1).all()",
    "not (x[3:] < 1).any()",
    "(none < 1).all(dim=1)",
    "torch.all(none < 1)",
    "torch.allclose(none, none + 1)",
    "torch.equal(x[3:], x[:0])",
    "x.equal(x[3:])",
    "all(row > 1 for row in x[3:])",
    "not any([])",
    "all(x[3:])",
    "all(torch.equal(x[3:], row) for row in x)",
    "all(not any(x[i:] < 0) for i in range(4))",

])  # fmt: skip
def test_nothing_is_asked_of_nothing(expression: str) -> None:
    with pytest.raises(Vacuous):
        value(expression)


@pytest.mark.parametrize(("expression", "holds"), [
    ("bool((x[2:] > 1).all())", True),
    ("bool((x > 1).all())", False),
    ("bool((x[0] == 0).all())", True),  # it has no axis, and one element
    ("bool((x > 1).any())", True),
    ("bool((x > 2).any())", False),
    ("torch.equal(x, x + 0)", True),
    ("torch.allclose(*pair) if x is pair else torch.equal(*[x, x])", True),
    ("all(row >= 0 for row in x)", True),
    ("all([True, 0])", False),
    ("any([0, 2])", True),
    ("any([0, 0])", False),
    ("len(none[0]) == 0", True),

])  # fmt: skip
def test_what_is_asked_of_something_is_as_ever(expression: str, holds: bool) -> None:
    assert value(expression) is holds


def test_a_function_of_the_page_is_its_own(run) -> None:
    block = "```python\nnone = []\n\n\ndef all(values):\n    return True\n```"
    result, _ = run(f"# Page\n\n{block}\n\nSo<!--= all(v for v in none) -->.\n")
    assert not failures(result)


def test_a_claim_about_nothing_fails_at_its_line(run) -> None:
    block = "```python\nimport torch\n\nx = torch.ones(3)\n```"
    result, _ = run(f"# Page\n\n{block}\n\nThe others are two<!--= (x[3:] == 2).all() -->.\n")
    said = "page.md:9: Vacuous: there is nothing that this could be false of"
    assert said in failures(result)[0]
