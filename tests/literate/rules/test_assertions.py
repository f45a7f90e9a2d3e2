"""Assertions of blocks that cannot fail, and those that can."""

import pytest
from helpers import failures, page

from literate.rules.assertions import toothless

SOUND = [
    "assert x.equal(y)",
    "assert torch.allclose(x, y, atol=0.05)",
    "assert x.isfinite().all() and not torch.equal(x, x)",  # as of NaN
    "assert not x.isclose(y, 0.05, 0.01, True).any(), 'equal'",
    "torch.testing.assert_close(x, y, rtol=slack, atol=0)",
    "assert page.whole",
    "print(x.equal(x))",
    "-x",
    "x and y.append(1)",
    "same = x.equal(x)",
    "assert x or y, 'neither'",
    "every(x)",
    "assert = 1",
]
SAME = "compares something with itself"
ALONE = "asserts nothing: write assert before it"
CONSTANT = "cannot fail, or always fails"
NEVER_CALLED = "asserts that there is a method: call it"
TOO_FAR = "would pass nearly anything: a tolerance is at most 0.05"
TOOTHLESS = {
    "x.equal(y)": ALONE,
    "torch.allclose(x, y)": ALONE,
    "(x > 0).all()": ALONE,
    "any(x)": ALONE,
    "x.isclose(y)": ALONE,
    "x.sum() == 1": ALONE,
    "0 < x < y": ALONE,
    "not x": ALONE,
    "assert True": CONSTANT,
    "assert x and 1": CONSTANT,
    "assert x or True": CONSTANT,
    "assert x.isfinite": NEVER_CALLED,
    "assert y and x.isnan": NEVER_CALLED,
    "assert (x > 0).all": NEVER_CALLED,
    "assert x == x": SAME,
    "assert y and (x == x).all() and y": SAME,
    "assert x.equal(x)": SAME,
    "torch.testing.assert_close(x, x)": SAME,
    "assert_close(x, y, atol=0.06, rtol=0)": TOO_FAR,
    "assert torch.allclose(x, y, rtol=1)": TOO_FAR,
    "assert torch.isclose(x, y, 0.3).all()": TOO_FAR,
    "assert torch.isclose(x, y, 0, 0.3).all()": TOO_FAR,
}


def found(code: str, kinds: str = "") -> list[tuple[int, str]]:
    return list(toothless(page(f"# Page\n\n```python{kinds}\n{code}\n```\n")))


@pytest.mark.parametrize("code", SOUND)
def test_what_can_fail_is_left_alone(code: str) -> None:
    assert not found(code)


@pytest.mark.parametrize("code", TOOTHLESS)
def test_what_cannot_fail_is_found(code: str) -> None:
    ((line, message),) = found(f"def check(x, y):\n    {code}")
    assert line == 5
    assert message.endswith(TOOTHLESS[code])


def test_what_is_only_shown_or_has_to_raise_asserts_nothing() -> None:
    for kinds in (" {.notest}", ' {.source of="attention.masks.Causal"}', " {.raises}"):
        assert not found("x.equal(y)", kinds)
    assert found("assert x == x", " {.raises}")


def test_an_assertion_that_cannot_fail_fails_at_its_line(run) -> None:
    result, _ = run("# Page\n\n```python\nx = 1\nassert x == x\n```\n")
    assert "page.md:5: assert x == x compares something with itself" in failures(result)[0]
