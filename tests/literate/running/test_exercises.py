"""An exercise is a test of its own check."""

import pytest
from helpers import counts, failures

PAGE = """# Page

```python
x = 2
```

```python {.exercise}
def double(x):
    return x
```

```python {.check}
assert double(x) != x, "nothing was doubled"
assert double(-1) == -2, "a minus sign is lost"
```

```text {.output}
AssertionError: nothing was doubled
```

```python {.mistake}
def double(x):
    return abs(2 * x)
```

```text {.output}
AssertionError: a minus sign is lost
```

```python {.solution}
def double(x):
    return 2 * x
```

The names of an exercise are gone<!--= "double" not in globals() -->.
"""


def test_a_right_exercise_passes(run) -> None:
    assert counts(run(PAGE)[0]) == (5, 0, 0)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("    return x\n", "    return 2 * x\n", 8, "the check passes on the stub: it must fail"),
        ("    return 2 * x\n", "    return -2 * x\n", 31, "the check refuses the solution: Assert"),
        ("abs(2 * x)", "x + x", 22, "the check passes on the mistake: it must fail"),
        ("abs(2 * x)", "x", 27, "+AssertionError: nothing was doubled"),
        ("abs(2 * x)", "y", 22, "no message for the mistake: it raises NameError"),
        ("a minus sign is lost\n", "a plus sign is lost\n", 27, "-AssertionError: a plus"),
        (": nothing was doubled\n", ": something was doubled\n", 18, "+AssertionError: nothing"),
        (', "nothing was doubled"', "", 8, "the check has no message for the stub"),
    ],
)
def test_a_wrong_exercise_fails_at_its_line(run, old: str, new: str, line: int, says: str) -> None:
    assert PAGE.count(old) == 1
    first = failures(run(PAGE.replace(old, new))[0])[0]
    assert f"page.md:{line}: " in first
    assert says in first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python {.check}\n1\n```\n", "page.md:2: a .check needs an .exercise above it"),
        ("```python {.exercise}\n1\n```\n", "page.md:2: this exercise has no .check"),
        (
            "```python {.exercise}\n1\n```\n```python {.check}\n1\n```\n",
            "page.md:2: this exercise has no .solution",
        ),
        (PAGE + "```python {.check}\n1\n```\n", "page.md:37: this exercise has a .check already"),
        (
            PAGE.replace("```text {.output}\nAssertionError: a minus sign is lost\n```\n", ""),
            "page.md:22: a .mistake needs an output: what the check says of it",
        ),
        (
            PAGE + PAGE[PAGE.index("```python {.mistake}") : PAGE.index("```python {.sol")],
            "page.md:8: two mistakes of this exercise get the same message",
        ),
    ],
)
def test_a_broken_exercise(run, text: str, message: str) -> None:
    assert message in failures(run(text)[0])[0]


def test_messages_are_rewritten(run) -> None:
    damaged = PAGE.replace("AssertionError: a minus sign is lost", "?").replace(
        "AssertionError: nothing was doubled", ""
    )
    _, path = run(damaged, "--update-docs")
    assert path.read_text("utf-8") == PAGE


def test_an_attempt_changes_nothing_below(run) -> None:
    page = PAGE.replace("x = 2", "x, seen = 2, []").replace(
        "    return x\n", "    seen.append(x)\n    return x\n"
    )
    page += "\nNobody was here<!--= seen == [] -->.\n"
    assert counts(run(page)[0]) == (6, 0, 0)


def test_an_output_that_nobody_would_compare(run) -> None:
    output = "\n```text {.output}\n?\n```\n"
    for after in ("    return x\n```\n", "    return 2 * x\n```\n"):
        assert "would not be compared" in failures(run(PAGE.replace(after, after + output))[0])[0]
