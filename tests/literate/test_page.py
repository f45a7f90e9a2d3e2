"""A page as blocks and checks; broken notation, with the line and what was meant."""

from pathlib import Path

import pytest

from literate.page import Page, PageError

PAGE = """# Title

Three<!-- a remark --> is 3<!--= 1 + 2 -->, and `4<!--= 5 -->` is code.

```python title="One"
print(1)
```

```text {.output}
1
```

!!! note

    ```python {.raises}
    1 / 0
    ```

    ```text {.output}
    ZeroDivisionError: division by zero
    ```

| a | b |
| --- | --- |
| −0.50<!--= -1 / 2 --> | 12,288<!--= 96 * 128 --> |

50%<!--= 1 / 2 --> and 2×<!--= 2 -->; it holds<!--= 1 < 2 -->.
"""


def page(text: str) -> Page:
    return Page(Path("page.md"), text)


def test_blocks() -> None:
    one, two = page(PAGE).blocks
    assert (one.line, one.code, one.title) == (6, "print(1)\n", "One")
    assert one.output
    assert (one.output.line, one.output.text) == (10, "1\n")
    assert (two.line, two.code, two.kinds) == (16, "1 / 0\n", {"raises"})
    assert two.output
    assert two.output.indent == "    "
    assert PAGE[two.output.start : two.output.end].strip() == two.output.text.strip()


def test_checks() -> None:
    found = [(c.line, c.printed, c.unit, c.expression) for c in page(PAGE).checks]
    assert found == [
        (3, "3", "", "1 + 2"),
        (25, "−0.50", "", "-1 / 2"),
        (25, "12,288", "", "96 * 128"),
        (27, "50", "%", "1 / 2"),
        (27, "2", "×", "2"),
        (27, "", "", "1 < 2"),
    ]
    for check in page(PAGE).checks:
        assert PAGE[check.start : check.end] == check.printed + check.unit


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "```python {.rasies}\n1\n```\n",
            "page.md:1: a python block cannot be .rasies: did you mean .raises?",
        ),
        (
            "\n```python {.xyz}\n1\n```\n",
            "page.md:2: a python block cannot be .xyz: expected check, exercise, fresh, gpu, "
            "mistake, notest, raises, solution",
        ),
        (
            "```text {.ouput}\n1\n```\n",
            "page.md:1: a text block cannot be .ouput: did you mean .output?",
        ),
        ("```py\n1\n```\n", "page.md:1: 'py' would be shown and never run: write ```python"),
        (
            "```Python\n1\n```\n",
            "page.md:1: 'Python' would be shown and never run: write ```python",
        ),
        (
            "```{.python .raises}\n1\n```\n",
            "page.md:1: '{.python' would be shown and never run: write ```python",
        ),
        (
            "```text {.output}\n1\n```\n",
            "page.md:1: an output block stands before any python block",
        ),
        (
            "```python\n1\n```\n```text {.output}\n```\n```text {.output}\n```\n",
            "page.md:6: the block of line 2 has an output already",
        ),
        (
            "```python {.notest}\n1\n```\n```text {.output}\n```\n",
            "page.md:4: the block of line 2 is .notest and prints nothing",
        ),
        (
            "one\n\n0.5<!--= 1 / -->\n",
            "page.md:3: '1 /' is not an expression: write 0.5<!--= expression -->",
        ),
        ("0.5<!--= -->\n", "page.md:1: '' is not an expression: write 0.5<!--= expression -->"),
        ("%<!--= 1 -->\n", "page.md:1: no number stands before %<!--= 1 -->"),
        ("one\n0.5<!--= 1\n", "page.md:2: the comment of a checked number has no -->"),
        (
            "```python\nprint(1)\n",
            "page.md:1: this fence is never closed",
        ),
    ],
)
def test_broken_notation(text: str, message: str) -> None:
    with pytest.raises(PageError) as raised:
        page(text)
    assert str(raised.value) == message
