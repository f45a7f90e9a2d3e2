"""Assertions of blocks that are never reached, or whose failures are caught."""

import importlib

import pytest
from helpers import failures

NEVER = "this assertion never held"
EXERCISE = """```python {{.exercise}}
def double(x): ...
```

```python {{.check}}
got = double(2)
assert got is not None, "nothing came"
{check}
```

```python {{.solution}}
def double(x):
    return 2 * x
```"""


def said(run, code: str, kinds: str = "", below: str = "") -> list[str]:
    text = f"# Page\n\n```python\nn = 4\n```\n\n```python{kinds}\n{code}\n```\n\n{below}\n"
    return failures(run(text)[0])


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("def check():\n    assert n == 5", 9),
        ("if n > 4:\n    assert n == 5", 9),
        ("for n in []:\n    assert n == 5", 9),
        ("def check():\n    assert n == 5\n    yield\n\n\ncheck()", 9),
        ("def check():\n    return n\n    assert n == 5\n\n\ncheck()", 10),
        ("class Check:\n    def __init__(self):\n        assert n == 5", 10),
        ("try:\n    assert n == 5\nexcept AssertionError:\n    pass", 9),
        (
            "import contextlib\n\nwith contextlib.suppress(Exception):\n    assert n == 4\n"
            "    assert n == 5",
            12,
        ),
        ("def check():\n    torch.testing.assert_close(n, 5)", 9),
        ("def check():\n    x = n.T  # (2, 3)", 9),
    ],
)
def test_an_assertion_that_never_held_fails_at_its_line(run, code: str, line: int) -> None:
    (failure,) = said(run, code)
    assert f"page.md:{line}: {NEVER}" in failure


@pytest.mark.parametrize(
    "code",
    [
        "def check(n):\n    assert n == 4\n    return n",
        "for n in (3, 4):\n    if n > 3:\n        assert n == 4",
        "for m in (5, 4):\n    try:\n        assert m == 4\n    except AssertionError:\n"
        "        assert m == 5",
        "assert n == 4; n = 5",
    ],
)
def test_what_held_once_is_left_alone(run, code: str) -> None:
    below = "```python\ncheck(4)\n```" if "check" in code else ""
    assert said(run, code, below=below) == []


def test_what_stands_behind_an_error_is_never_reached(run) -> None:
    below = "```text {.output}\nZeroDivisionError: division by zero\n```"
    assert said(run, "assert n == 4\n1 / 0", " {.raises}", below) == []
    (failure,) = said(run, "1 / 0\nassert n == 4", " {.raises}", below)
    assert f"page.md:9: {NEVER}" in failure


def test_an_assertion_that_had_to_fail_does_what_it_is_for(run) -> None:
    below = "```text {.output}\nAssertionError: no\n```"
    code = 'def check(m):\n    assert m == 5, (\n        "no"\n    )\n\n\ncheck(n)'
    assert said(run, code, " {.raises}", below) == []


def test_a_line_of_an_assertion_that_had_to_fail_is_its_own(run) -> None:
    below = "```text {.output}\nAssertionError: no\n```"
    code = 'def check(m):\n    assert (\n        m\n        == 5\n    ), "no"\n\n\ncheck(n)'
    assert said(run, code, " {.raises}", below) == []


@pytest.fixture(scope="module")
def compiler() -> None:
    """Imported before pytester begins, which forgets what came since: torch may not do so twice."""
    importlib.import_module("torch._inductor.compile_fx")


@pytest.mark.usefixtures("compiler")
def test_a_compiled_function_that_asserts_is_compiled_once(run) -> None:
    """Each assertion of the page that held since would else compile it again."""
    code = """import torch


made = []


def backend(graph, inputs):
    made.append(graph)
    return graph.forward


@torch.compile(fullgraph=True, backend=backend)
def double(x):
    assert x.ndim == 1
    return 2 * x


x = torch.ones(3)
for m in range(3):
    double(x)
    if m == 0:
        assert n == 4
    else:
        assert m
print(len(made))"""
    assert said(run, code, below="```text {.output}\n1\n```") == []


def test_the_check_of_an_exercise_holds_of_its_solution(run) -> None:
    whole = EXERCISE.format(check="assert got == 4, got")
    assert said(run, "m = 1", below=whole) == []
    part = EXERCISE.format(check="if got == 3:\n    assert got == 4, got")
    (failure,) = said(run, "m = 1", below=part)
    assert f"page.md:19: {NEVER}" in failure


def test_a_part_of_a_page_is_not_asked(run) -> None:
    text = "# Page\n\n```python\ndef check():\n    assert open is not None\n```\n\n"
    text += '```python title="Call"\ncheck()\n```\n'
    assert failures(run(text)[0]) == []
    assert failures(run(text, "-k", "line4 or guards")[0]) == []
