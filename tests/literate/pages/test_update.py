"""`--update-docs` puts right what is damaged, changes nothing else, and nothing twice."""

from pathlib import Path

import pytest
from helpers import counts, failures

from literate.pages.edits import Edit, apply
from literate.pages.page import Page, PageError

PAGE = """# Page

```python
import torch

x = torch.arange(4.0) / 3
print(x)
```

```text {.output}
tensor([0.0000, 0.3333, 0.6667, 1.0000])
```

A third is 0.3333<!--= x[1] -->, or 33%<!--= x[1] -->; minus two are −2<!--= x[0] - 2 -->.

!!! note

    ```python
    for i in range(3):
        print(i)
    ```

    ```text {.output}
    0
    1
    2
    ```

> ```python {.raises}
> x @ torch.ones(3)
> ```
>
> ```text {.output}
> RuntimeError: inconsistent tensor size, …
> ```
"""


@pytest.mark.parametrize(
    ("right", "damage"),
    [
        ("tensor([0.0000, 0.3333, 0.6667, 1.0000])\n", "tensor([0.1000])\n"),
        ("tensor([0.0000, 0.3333, 0.6667, 1.0000])\n", ""),
        ("tensor([0.0000, 0.3333, 0.6667, 1.0000])\n", "one\ntwo\n\nthree\n"),
        ("0.3333<", "0.3334<"),
        ("0.3333<", "−0.3333<"),
        ("33%", "34%"),
        ("−2<", "−3<"),
        ("    1\n", ""),
        ("    2\n", "    2\n    3\n"),
        ("    0\n    1\n    2\n", ""),
    ],
)
def test_damage_is_repaired(run, right: str, damage: str) -> None:
    assert PAGE.count(right) == 1
    result, path = run(PAGE.replace(right, damage))
    assert failures(result)
    result, path = run(PAGE.replace(right, damage), "--update-docs")
    assert not failures(result)
    assert path.read_text("utf-8") == PAGE


def test_all_damage_at_once(run) -> None:
    damaged = PAGE.replace("0.3333", "0.9").replace("    1\n", "").replace("33%", "99%")
    _, path = run(damaged, "--update-docs")
    # A number keeps the digits it was written with, and an output is printed anew.
    assert path.read_text("utf-8") == PAGE.replace("is 0.3333<", "is 0.3<")


def test_a_right_page_is_not_touched(run, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*arguments: object) -> None:
        raise AssertionError("the page was written")

    monkeypatch.setattr("literate.pages.edits.write", write)
    result, path = run(PAGE, "--update-docs")
    assert counts(result) == (6, 0, 0)
    assert path.read_text("utf-8") == PAGE


def test_a_printing_block_gets_an_output(run) -> None:
    page = "Text.\n\n```python\nprint(1)\n```\n\nMore.\n"
    _, path = run(page, "--update-docs")
    assert path.read_text("utf-8") == page.replace(
        "```\n\nMore", "```\n\n```text {.output}\n1\n```\n\nMore"
    )


def test_an_error_and_a_false_claim_are_not_repaired(run) -> None:
    page = "```python\nx = 1 / 0\n```\n\nNo<!--= 1 + 1 > 3 -->.\n"
    result, path = run(page, "--update-docs")
    assert counts(result) == (0, 1, 1)
    assert path.read_text("utf-8") == page
    result, path = run("No<!--= 1 + 1 > 3 -->.\n", "--update-docs")
    assert counts(result) == (0, 0, 1)


def test_a_page_changed_meanwhile_is_left_alone(run, pytester: pytest.Pytester) -> None:
    page = "```python\nopen({!r}, 'a').write('x')\nprint(1)\n```\n"
    text = page.format(str(pytester.path / "page.md"))
    result, path = run(text, "--update-docs")
    assert "nothing was rewritten" in failures(result)[0]
    assert path.read_text("utf-8") == text + "x"


def test_only_what_is_selected(run) -> None:
    damaged = PAGE.replace("0.3333<", "0.4444<").replace("33%", "44%")
    _, path = run(damaged, "--update-docs", "-k", "line14")
    assert path.read_text("utf-8") == PAGE
    _, path = run(damaged, "--update-docs", "-k", "line3")
    assert path.read_text("utf-8") == damaged


def test_not_on_several_processes(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("-p", "literate.runner", "--update-docs", "-n", "2")
    result.stderr.fnmatch_lines(["*--update-docs rewrites files: run it without -n*"])


def test_a_range_keeps_its_dash(run) -> None:
    _, path = run("Pages 3-5<!--= 4 -->.\n", "--update-docs")
    assert path.read_text("utf-8") == "Pages 3-4<!--= 4 -->.\n"


def test_a_printed_fence_is_refused(run) -> None:
    page = "```python\nprint('```')\n```\n"
    result, path = run(page, "--update-docs")
    assert "page.md:2: the block prints a fence" in failures(result)[0]
    assert path.read_text("utf-8") == page


def test_a_page_that_changed_while_it_ran_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# One\n", "utf-8")
    page = Page.read(path)
    path.write_text("# Two\n", "utf-8")
    said = "page.md:1: changed while it ran: nothing was rewritten, run again"
    with pytest.raises(PageError, match=said):
        apply(path, page, [Edit(2, 5, "Three")])
    assert path.read_text("utf-8") == "# Two\n"
