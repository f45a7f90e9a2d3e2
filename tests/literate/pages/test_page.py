"""A page as blocks and checks; broken notation, with the line and what was meant."""

from pathlib import Path

import pytest
from helpers import page

from literate.pages.page import Page, PageError

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
            "mistake, notest, raises, solution, source, triton",
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
            "page.md:1: '{.python .raises}' would be shown and never run: write ```python",
        ),
        (
            "```python{.raises}\n1\n```\n",
            "page.md:1: 'python{.raises}' would be shown and never run: write ```python",
        ),
        (
            "```ipython\n1\n```\n",
            "page.md:1: 'ipython' would be shown and never run: write ```python",
        ),
        (
            "``` { .python }\n1\n```\n",
            "page.md:1: '{ .python }' would be shown and never run: write ```python",
        ),
        (
            "```python {.raises.fresh}\n1\n```\n",
            "page.md:1: {.raises.fresh} is not a list of .kind and key='value'",
        ),
        (
            "```text {output}\n1\n```\n",
            "page.md:1: {output} is not a list of .kind and key='value'",
        ),
        ("```text .output\n1\n```\n", "page.md:1: .output stands without braces: write {.output}"),
        ("```python {.check .fresh}\n1\n```\n", "page.md:1: a .check cannot be anything else"),
        ("```python\n1\n\n```python\n2", "page.md:1: this fence is never closed"),
        (
            "```python\n\0\n```\n",
            "page.md:2: the file has a null character, which is another one to Markdown",
        ),
        (
            "```python\n1\n  ```\n",
            "page.md:3: this fence is closed at another indent than it is opened",
        ),
        (
            "!!! note\n    ```python\n    1\n    ```\n",
            "page.md:2: this fence is not seen: put a blank line above it",
        ),
        (
            "<div markdown>\n```python\n1\n```\n</div>\n",
            "page.md:2: this fence is not seen: put a blank line above it",
        ),
        ("a\r\nb\r\n", "page.md:1: the file has a carriage return: save it with LF"),
        ("\ufeff# T\n", "page.md:1: the file has a BOM"),
        (
            "is 0.5<!-- = 0.5 -->\n",
            "page.md:1: a checked number is written 0.5<!--= expression -->, without a space",
        ),
        (
            "1e-5<!--= 0.00001 -->\n",
            "page.md:1: 1e-5 is not read as one number: write the number without an exponent",
        ),
        (
            "is 8/3<!--= 6 / 2 -->\n",
            "page.md:1: is 8/3 is not read as one number: put a fraction into words or a claim: "
            "its numerator would stay unchecked",
        ),
        (
            "is 12 345<!--= 12345 -->\n",
            "page.md:1: is 12 345 is not read as one number: separate thousands with a comma "
            "or a narrow space",
        ),
        (
            "is − 5<!--= 5 -->\n",
            "page.md:1: is − 5 is not read as one number: put no space after the minus sign",
        ),
        (
            "is &minus;5<!--= 5 -->\n",
            "page.md:1: &minus;5 is not read as one number: write a minus sign as −",
        ),
        (
            "is –5<!--= 5 -->\n",
            "page.md:1: is –5 is not read as one number: write a minus sign as −",
        ),
        (
            "is 12’345<!--= 12345 -->\n",
            "page.md:1: is 12’345 is not read as one number: separate thousands with a comma "
            "or a narrow space",
        ),
        (
            "is ±3<!--= 3 -->\n",
            "page.md:1: is ±3 is not read as one number: write the sign of the number itself, "
            "+ or −",
        ),
        (
            "a minus 3<!--= 3 -->\n",
            "page.md:1: a minus 3 is not read as one number: write the sign of the number "
            "itself, + or −",
        ),
        (
            "is 0,250<!--= 250 -->\n",
            "page.md:1: 0,250 is not read as one number: write a decimal with a point",
        ),
        (
            "is 0.25<!--= x --> % of it\n",
            "page.md:1: ' % of it' would go on with 0.25: put all of it before the comment",
        ),
        (
            "is 0.25<!--= x -->99\n",
            "page.md:1: '99' would go on with 0.25: put all of it before the comment",
        ),
        (
            "is 12<!--= x -->,345\n",
            "page.md:1: ',345' would go on with 12: put all of it before the comment",
        ),
        (
            "is **0.25**<!--= x -->\n",
            "page.md:1: put the comment of **0.25** directly behind its digits",
        ),
        (
            "| 0.5<!--= 1 | 2 --> | x |\n",
            "page.md:1: the | in '1 | 2' would end the cell of the table",
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
            "page.md:4: the output of a .notest block would not be compared",
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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A \\` tick, 0.9<!--= 0.5 --> then \\` another.", ["0.9"]),
        ("- a ` tick\n- 0.9<!--= 0.5 -->\n- a ` tick\n", ["0.9"]),
        ("pages 3-5<!--= 5 -->", ["5"]),
        ("pages 3–5<!--= 5 -->", ["5"]),
        ("(−5<!--= -5 -->)", ["−5"]),
        ("in 2024 300<!--= 300 --> people".replace("2024 ", "2024, "), ["300"]),
        ("we have 5,<!--= 6 -->", [""]),
        ("1,2<!--= 12 -->", [""]),
        (".5<!--= 0.5 -->", [""]),
        ("`0.9<!--= 0.5 -->`", []),
    ],
)
def test_what_is_a_number(text: str, found: list[str]) -> None:
    """An empty text is a claim, which a number cannot fulfil: it fails when it runs."""
    assert [check.printed for check in page(text).checks] == found


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_bytes("é".encode("latin-1"))
    with pytest.raises(PageError, match="page.md:1: the file is not UTF-8"):
        Page.read(tmp_path / "page.md", Path("page.md"))


def test_the_indent_of_an_output_in_a_list() -> None:
    (block,) = page("1. ```python\n   print(1)\n   ```\n").blocks
    assert block.indent == "   "


def test_what_mkdocs_is_told_is_no_prose() -> None:
    read = page("---\nsearch: {boost: 1.1}  # 2<!--= 3 -->\n---\n\n# Title\n\n2<!--= 2 -->\n")
    assert [(check.line, check.expression) for check in read.checks] == [(7, "2")]
    assert len(read.prose) == len(read.text)
    assert not read.prose.partition("#")[0].strip()
