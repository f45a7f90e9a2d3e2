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
    "[x.append(y) for y in x]",
    "x.append(y == 1)",
    "assert 'one' if x else 'two'",
    "assert x.isclose(y, 0.05)",
    "assert math.isclose(x, 3)",
    "assert x in (y, 3)",
    "assert (*x,)",
    "assert x | y",
    "assert any([x, y]) and all([*x]) and [*x, True][1]",
    "assert [True, x][1] or [True][1:] or [True][1]",
    "assert x if y else not y",
    "((x - y) * (x == 1)).sum().backward()",
    "(x == 1).numpy().tofile(path)",
    "with refused():\n    torch.testing.assert_close(x, y)",
    "testing.assert_close(x.sum(), 3.0)",
]
SAME = "compares something with itself"
ALONE = "asserts nothing: write assert before it"
CONSTANT = "cannot fail, or always fails"
NEVER_CALLED = "asserts that there is a method: call it"
TOO_FAR = "would pass nearly anything: a tolerance is at most 0.05"
UNSEEN = "is no statement of its own, so nobody sees whether it ran"
TOOTHLESS = {
    "[assert_close(x, y) for y in []]": UNSEEN,
    "x and torch.testing.assert_close(x, y)": UNSEEN,
    "x.equal(y)": ALONE,
    "torch.allclose(x, y)": ALONE,
    "(x > 0).all()": ALONE,
    "any(x)": ALONE,
    "x.isclose(y)": ALONE,
    "x.sum() == 1": ALONE,
    "0 < x < y": ALONE,
    "not x": ALONE,
    "bool(x == 4)": ALONE,
    "torch.eq(x, y)": ALONE,
    "isinstance(x, str)": ALONE,
    "(x == 1).all().item()": ALONE,
    "(x == 1).sum()": ALONE,
    "x and y == 1": ALONE,
    "(x == 1) & (y == 2)": ALONE,
    "~(x == 1)": ALONE,
    "(x == 1)[0]": ALONE,
    "x == 1 if y else y": ALONE,
    "(x == 1, y == 2)": ALONE,
    "[y == 1 for y in x]": ALONE,
    "_ = x == y": ALONE,
    "assert True": CONSTANT,
    "assert x and 1": CONSTANT,
    "assert x or True": CONSTANT,
    "assert x or (y or True)": CONSTANT,
    "assert not (False and x)": CONSTANT,
    "assert bool(x or 1)": CONSTANT,
    "assert x | True": CONSTANT,
    "assert y and (True if x else True)": CONSTANT,
    "assert x if False else True": CONSTANT,
    "assert (y := 1)": CONSTANT,
    "assert [x == 9]": CONSTANT,
    "assert any([x == 9, True])": CONSTANT,
    "assert [x, True][1]": CONSTANT,
    "assert (one == 9 for one in x)": CONSTANT,
    "assert (lambda: x == 9)": CONSTANT,
    "assert 1 < 2": CONSTANT,
    "assert x.isfinite": NEVER_CALLED,
    "assert y and x.isnan": NEVER_CALLED,
    "assert (x > 0).all": NEVER_CALLED,
    "assert x == x": SAME,
    "assert ((x == x) & (x > 0)).all()": SAME,
    "assert all([x == x, y == 1])": SAME,
    "assert any((x == x, y == 1))": SAME,
    "assert (y if x == x else x)": SAME,
    "assert y and (x == x).all() and y": SAME,
    "assert x.equal(x)": SAME,
    "assert y or x == x": SAME,
    "assert x in (y, x)": SAME,
    "torch.testing.assert_close(x, x)": SAME,
    "assert_close(x, y, atol=0.06, rtol=0)": TOO_FAR,
    "assert torch.allclose(x, y, rtol=1)": TOO_FAR,
    "assert torch.isclose(x, y, 0.3).all()": TOO_FAR,
    "assert x.isclose(y, 0.3).all()": TOO_FAR,
    "assert math.isclose(x, y, rel_tol=1)": TOO_FAR,
    "assert_close(x, y, atol=10**3, rtol=0)": TOO_FAR,
    "assert_close(x, y, atol=0, rtol=math.inf)": TOO_FAR,
    "assert_close(x, y, atol=float('inf'), rtol=0)": TOO_FAR,
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
