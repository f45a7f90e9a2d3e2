"""What a failure says, word for word: the page, the line, what is wrong and what to do about it."""

import pytest
import torch
from helpers import counts, failures

from literate.items.base import difference

UPDATES = "(pytest --update-docs rewrites it)"

TWO_LINES = """```python {.raises}
print("one")
print("two")
raise ValueError("three\\nfour")
```

```text {.output}
one
two
ValueError: three
four
```
"""

SAVES = """```python
from pathlib import Path

Path("sub").mkdir(exist_ok=True)
Path("x.svg").write_text("<svg></svg>")
```

![A](figures/page/x.svg)
"""

RECORDED = """```python {.fresh}
x = 1 / 3
```

A third is 0.333<!--= x -->.
"""


SENTENCES = {
    "a block without an output": (
        "```python\nprint(1)\n```\n",
        "page.md:2: the block has no output, but printed\n1\n",
    ),
    "another output": (
        "```python\nprint(1)\nprint(2)\n```\n\n```text {.output}\n1\n3\n```\n",
        f"page.md:8: not what the block printed {UPDATES}\n 1\n-3\n+2",
    ),
    "an error in a block": (
        "```python\nif True:\n    x = 1 / 0\n```\n",
        "page.md:3: ZeroDivisionError: division by zero\n    x = 1 / 0",
    ),
    "an error in a checked number": (
        "It is 5<!--= 5 / 0 --> here.\n",
        "page.md:1: ZeroDivisionError: division by zero\n    It is 5<!--= 5 / 0 --> here.",
    ),
    "an error of two lines": (
        TWO_LINES.replace("\nfour\n", "\nfive\n"),
        f"page.md:11: not what the block printed {UPDATES}"
        "\n one\n two\n ValueError: three\n-five\n+four",
    ),
    "a claim that is false": (
        "Three are more<!--= 3 > 2 + 1 -->.\n",
        "page.md:1: the claim 3 > 2 + 1 is False: expected True",
    ),
    "another number": (
        "Up to 30%<!--= 1 / 3 --> of them.\n",
        "page.md:1: the page says 30%, but 1 / 3 is 33% "
        "(in full 0.3333333333333333; pytest --update-docs rewrites it)",
    ),
    "no number": (
        "So 7<!--= 'abc' * 2 -->.\n",
        "page.md:1: 'abc' * 2 is abcabc: expected a finite number",
    ),
    "no number, which is cut after 200 characters": (
        "So 7<!--= 'ab' * 150 -->.\n",
        f"page.md:1: 'ab' * 150 is {'ab' * 100}: expected a finite number",
    ),
    "another number in a table": (
        "| a | b |\n| - | - |\n| 1 | 3% |\n\n<!--= [[1, 2 / 100]] -->\n",
        f"page.md:3: the table says 3%, but [[1, 2 / 100]] has 2% there {UPDATES}",
    ),
    "no reason above a block that is not run": (
        "Text.\n\n```python {.notest}\nx = 1\n```\n",
        "page.md:4: a .notest block needs a comment above it that says why",
    ),
    "a check of a constant": (
        "So<!--= True -->.\n",
        "page.md:1: True checks nothing: write what the page computes",
    ),
    "a number without a check": (
        "# Page\n\nIt is 0.25 then.\n",
        "page.md:3: nothing checks 0.25: write 0.25<!--= expression -->, <!-- source: … --> or, "
        "for a setting, backticks",
    ),
    "a figure in a folder": (
        SAVES.replace("x.svg", "sub/x.svg"),
        "page.md:2: the block saves sub/x.svg: a figure is an .svg or .html",
    ),
    "a figure that is not shown": (
        SAVES.replace("figures/page/x.svg", "figures/page/y.svg"),
        "page.md:2: the block saves x.svg, but the page does not show figures/page/x.svg",
    ),
    "a figure without a file": (
        SAVES,
        "page.md:2: the figure that the block saves has no file figures/page/x.svg " + UPDATES,
    ),
}


@pytest.mark.parametrize("what", SENTENCES)
def test_a_failure_says(run, what: str) -> None:
    page, says = SENTENCES[what]
    assert failures(run(page)[0])[0] == says


def test_a_figure_that_is_not_the_one_of_the_file(run, pytester: pytest.Pytester) -> None:
    run(SAVES, "--update-docs")
    (pytester.path / "figures/page/x.svg").write_text("<svg><g/></svg>\n", "utf-8")
    assert failures(run(SAVES)[0]) == [
        f"page.md:2: the figure that the block saves is not the one in figures/page/x.svg {UPDATES}"
    ]


def test_a_source_that_is_not_the_text_of_the_package(run, pytester: pytest.Pytester) -> None:
    (pytester.path / "parts").mkdir()
    (pytester.path / "parts/body.py").write_text("def wave():\n    return 1\n", "utf-8")
    page = '```python {.source of="parts.body.wave"}\ndef wave():\n    return 2\n```\n'
    says = f"page.md:2: this is not the text of parts.body.wave any more {UPDATES}"
    assert failures(run(page)[0]) == [says]


def test_a_record_that_is_not_of_the_page(run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nrecords = records\n")
    run(RECORDED, "--update-docs")
    assert not failures(run(RECORDED)[0])
    assert failures(run(RECORDED.replace(" {.fresh}", ""))[0]) == [
        f"page.md:1: the page has 0 fresh, its record 1 {UPDATES}"
    ]
    assert failures(run(RECORDED.replace("1 / 3", "0.3331"))[0]) == [
        "page.md:5: x is 0.3331, but in the record of the page x is 0.3333333 " + UPDATES
    ]


def test_a_fault_of_the_machinery_is_shown_with_its_code(run) -> None:
    page = SAVES.replace('write_text("', 'write_bytes(b"\\xff')
    said = failures(run(page)[0])[0]
    assert "figures.tidy(data.decode(" in said
    assert "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff" in said


def test_two_printed_lines_may_stand_above_an_error_of_two_lines(run) -> None:
    assert counts(run(TWO_LINES)[0]) == (1, 0, 0)


def test_a_table_of_one_row_may_be_filled_by_one_row(run) -> None:
    page = "```python\nrow = [1, 2]\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n<!--= [row] -->\n"
    assert counts(run(page)[0]) == (2, 0, 0)


def test_a_test_is_named_after_its_line_and_its_title(run) -> None:
    """The line in its name counts from 1, and the line that pytest reports from 0, as its own."""
    page = (
        '```python\nx = 1\n```\n\nOne<!--= x == 1 -->.\n\n```python title="Add one"\nx += 1\n```\n'
    )
    result, _ = run(page)
    called = [r for r in result.getreports("pytest_runtest_logreport") if r.when == "call"]
    assert [(report.nodeid, report.location) for report in called] == [
        ("page.md::line2", ("page.md", 1, "line2")),
        ("page.md::line5[x-==-1]", ("page.md", 4, "line5[x-==-1]")),
        ("page.md::line8[Add-one]", ("page.md", 7, "line8[Add-one]")),
        ("page.md::line1[guards]", ("page.md", 0, "line1[guards]")),
    ]


def skips(result) -> list[str]:
    return [report.longrepr[2] for report in result.getreports() if report.skipped]


def test_what_is_not_run_here_says_why(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("literate.items.base.has_triton", lambda: False)
    assert skips(run("```python {.gpu}\nprint(1)\n```\n")[0]) == [
        "Skipped: needs a CUDA device; its output is a record"
    ]
    assert skips(run("```python {.triton}\nprint(1)\n```\n")[0]) == [
        "Skipped: needs Triton, which is for Linux alone; its output is a record"
    ]
    assert skips(run("```python\nx = 1 / 0\n```\n\n```python\ny = x\n```\n")[0]) == [
        "Skipped: the block of line 2 failed"
    ]


def test_a_block_of_a_process_of_its_own_says_how_it_ended(
    run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line of the traceback; without one, the number that the process ended with."""
    monkeypatch.setattr("literate.items.base.has_triton", lambda: True)
    page = "```python {.triton}\nimport os\n\nHERE\n```\n"
    assert failures(run(page.replace("HERE", "raise ValueError('no')"))[0]) == [
        "page.md:2: RuntimeError: ValueError: no\n    import os"
    ]
    assert failures(run(page.replace("HERE", "os._exit(3)"))[0]) == [
        "page.md:2: RuntimeError: ended with 3\n    import os"
    ]
    assert counts(run(page.replace("HERE", "os.getpid()"))[0]) == (1, 0, 0)


def test_the_line_that_is_named_stands_on_the_page() -> None:
    """Where more was printed than the page has, it is the last; an empty output has its place."""
    assert difference(5, "a\nb\n", "a\nc\n")[0] == 6
    assert difference(5, "a\nb\n", "a\nb\nc\nd\n")[0] == 6
    assert difference(5, "a\n", "a\nb\n")[0] == 5
    assert difference(5, "", "a\nb\n")[0] == 5
    assert difference(5, "a\n0.1234\n", "a\n")[0] == 6
    assert difference(5, "a\n", "a\n0.1234\n")[0] == 5
    # A number that became longer moves the columns of all rows, and only the last is wrong.
    assert difference(5, " 1.0000\n 9.9999\n 2.0000", "  1.0000\n 10.0000\n  3.0000")[0] == 7


def test_outputs_that_part_in_no_line_are_named_at_their_last() -> None:
    """An error of the package is compared letter for letter, and the lines of a diff are not."""
    line, message = difference(5, "ValueError: a\nof 0.3333\n", "ValueError: a\nof 0.3334\n")
    assert line == 6
    assert message == (
        f"not what the block printed {UPDATES}\n ValueError: a\n-of 0.3333\n+of 0.3334"
    )


def test_a_diff_shows_99_lines_around_each_line_that_differs() -> None:
    same = [str(number) for number in range(2, 300)]
    line, message = difference(5, "\n".join(["1", *same, "300"]), "\n".join(["a", *same, "b"]))
    assert line == 5
    assert message.split("\n") == [
        f"not what the block printed {UPDATES}",
        *("-1", "+a", *(f" {number}" for number in range(2, 101))),
        "@@ -201,100 +201,100 @@",
        *(*(f" {number}" for number in range(201, 300)), "-300", "+b"),
    ]
