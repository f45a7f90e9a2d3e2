"""Pages as tests: what is collected, selected and replayed, and the faults that must fail."""

import os
import re

import pytest
import torch
from helpers import counts, failures

PAGE = """# Page

```python
import torch

rows = torch.tensor([[0.25, 0.3333], [-1.0, 2.0]])
print(rows)
print(torch.tensor([0.0, 1.0]))
```

```text {.output}
tensor([[ 0.2500,  0.3333],
        [-1.0000,  2.0000]])
tensor([0., 1.])
```

The first is 0.3333<!--= rows[0, 1] -->, a third; the rest is larger<!--= rows[1, 1] > 1 -->.

```python title="Add one"
rows += 1
```

| name | number |
| --- | --- |
| first | 1.3333<!--= rows[0, 1] --> |

```python {.raises}
rows @ torch.ones(3)
```

```text {.output}
RuntimeError: size mismatch, got input (2), mat (2x2), vec (3)
```
"""


def test_a_right_page_passes(run) -> None:
    assert counts(run(PAGE)[0]) == (6, 0, 0)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("tensor([[ 0.2500", "tensor([[ 0.2600", 12, "-tensor([[ 0.2600,  0.3333],"),
        ("[-1.0000,  2.0000]])\n", "[ 1.0000,  2.0000]])\n", 13, "+        [-1.0000,  2.0000]])"),
        ("tensor([0., 1.])", "tensor([1., 0.])", 14, "+tensor([0., 1.])"),
        ("\ntensor([0., 1.])", "", 13, "+tensor([0., 1.])"),
        ("tensor([0., 1.])\n", "tensor([0., 1.])\nmore\n", 15, "-more"),
        ("is 0.3333<", "is 0.3332<", 17, "says 0.3332, but rows[0, 1] is 0.3333"),
        ("is 0.3333<", "is −0.3333<", 17, "says −0.3333, but rows[0, 1] is 0.3333"),
        ("is 0.3333<", "is 0.3333 <", 17, "the claim rows[0, 1] is 0.333299"),
        ("rows[1, 1] > 1", "rows[1, 1] > 2", 17, "the claim rows[1, 1] > 2 is False"),
        ("rows[1, 1] > 1", "rows > 1", 17, "the claim rows > 1 is tensor([["),
        ("is 0.3333<!--= rows[0, 1]", "is 0.3333<!--= row[0, 1]", 17, "NameError: name 'row'"),
        ("is 0.3333<!--= rows[0, 1]", "is 0.3333<!--= rows", 17, "expected a finite number"),
        (
            "is 0.3333<!--= rows[0, 1]",
            "is 0<!--= 1 > 2",
            17,
            "1 > 2 is False: expected",
        ),
        (
            "is 0.3333<!--= rows[0, 1]",
            "is 1<!--= rows[0, 0] > 0",
            17,
            "is True: expected a",
        ),
        ("is 0.3333<!--= rows[0, 1]", "is 0.5<!--= '0.5'", 17, "is 0.5: expected a"),
        ("is 0.3333<!--= rows[0, 1]", "is 0.5<!--= 10**400", 17, "expected a finite number"),
        ("is 0.3333<!--= rows[0, 1]", "is true<!--= str(rows > 9)", 17, "but str(rows > 9) is"),
        ("rows += 1", "raise SystemExit(0)", 20, "SystemExit: 0"),
        ("rows += 1", "import pytest; pytest.skip('x')", 20, "Skipped: x"),
        ("rows @ torch.ones(3)", "print('a: b'); rows @ torch.ones(3)", 32, "+a: b"),
        ("is 0.3333<!--= rows[0, 1]", "is 0.3333<!--= rows[0, 1] / 0", 17, "expected a finite"),
        ("1.3333<", "1.3334<", 25, "says 1.3334, but rows[0, 1] is 1.3333"),
        ("rows += 1", "rows += row", 20, "NameError: name 'row' is not defined"),
        ("rows += 1", "rows += (1", 20, "SyntaxError: '(' was never closed"),
        ("rows += 1", "print(rows.sum())", 20, "has no output, but printed"),
        ("rows += 1", "import warnings; warnings.warn('old')", 20, "UserWarning: old"),
        ("rows @ torch.ones(3)", "rows @ torch.ones(2)", 28, "must raise, and it did not"),
        ("rows @ torch.ones(3)", "rows @ torch.ones(4)", 32, "+RuntimeError: size mismatch"),
        ("rows @ torch.ones(3)", "rows @ 3", 32, "+TypeError: "),
        ("RuntimeError: size", "ValueError: size", 32, "+RuntimeError: size"),
        ("RuntimeError: size mismatch, got input (2), mat (2x2), vec (3)", "", 32, "+RuntimeError"),
    ],
)
def test_a_planted_fault_fails_at_its_line(run, old: str, new: str, line: int, says: str) -> None:
    assert PAGE.count(old) == 1
    result, _ = run(PAGE.replace(old, new))
    first = failures(result)[0]
    assert re.match(rf"(.*/)?page\.md:{line}: ", first), first
    assert says in first, first


def test_broken_notation_fails_at_its_line(run) -> None:
    result, _ = run(PAGE.replace("{.raises}", "{.rasies}"))
    assert (
        "page.md:27: a python block cannot be .rasies: did you mean .raises?" in failures(result)[0]
    )


def test_one_block_alone_runs_what_is_above_it(run) -> None:
    assert counts(run(PAGE, "-k", "line25")[0]) == (1, 0, 0)
    assert counts(run(PAGE, "-k", "Add-one")[0]) == (1, 0, 0)
    result, _ = run(PAGE.replace("rows = torch", "row = torch"), "-k", "line25")
    assert "page.md:7: NameError: name 'rows' is not defined" in failures(result)[0]


def test_any_order_gives_the_same(run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("def pytest_collection_modifyitems(items): items.reverse()")
    assert counts(run(PAGE)[0]) == (6, 0, 0)


def test_what_stands_on_a_failed_block_is_skipped(run) -> None:
    result, _ = run(PAGE.replace("import torch\n", "import tarch\n"))
    assert counts(result) == (0, 5, 1)
    assert "page.md:4: ModuleNotFoundError: No module named 'tarch'" in failures(result)[0]


def test_a_fresh_block_starts_a_new_module(run) -> None:
    page = """```python
x = 1
```

```python {.fresh}
print("x" in globals())
```

```text {.output}
False
```
"""
    assert counts(run(page)[0]) == (2, 0, 0)
    assert counts(run(page.replace(" {.fresh}", ""))[0]) == (1, 0, 1)


def test_a_block_is_found_wherever_it_stands(run) -> None:
    for before in ("!!! note\n\n", "1. A list\n\n"):
        block = "    ```python\n    print(1)\n    ```\n\n    ```text {.output}\n    2\n    ```\n"
        result, _ = run(before + block)
        assert "page.md:8: not what the block printed" in failures(result)[0]


def test_a_dataclass_and_a_file_of_a_page(run, pytester: pytest.Pytester) -> None:
    page = """```python
from __future__ import annotations
from dataclasses import dataclass
from pathlib import Path

@dataclass
class Config:
    width: int = 8

Path("file.txt").write_text("here")
print(Config(), Path("file.txt").read_text())
```

```text {.output}
Config(width=8) here
```
"""
    assert counts(run(page)[0]) == (1, 0, 0)
    assert not (pytester.path / "file.txt").exists()


def test_a_gpu_block_waits_for_a_gpu(run, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "```python {.gpu}\nprint('ran')\n```\n\n```text {.output}\nrecorded elsewhere\n```\n"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert counts(run(page)[0]) == (0, 1, 0)
    result, path = run(page, "--update-docs")
    assert path.read_text("utf-8") == page
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert "not what the block printed" in failures(run(page)[0])[0]


TRITON = """```python
import torch

x = 7
```

```python {.triton}
import os
import sys

print(x, os.getpid(), "torch" in sys.modules)
x = 8
```

```text {.output}
```

```python
print(x)
```

```text {.output}
7
```
"""


def test_a_triton_block_runs_as_its_script(run, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, with what it needs of the blocks above it and no more."""
    monkeypatch.setattr("literate.items.base.has_triton", lambda: True)
    page = TRITON.replace("os.getpid()", f"os.getpid() == {os.getpid()}")
    assert "not what the block printed" in failures(run(page)[0])[0]
    _, path = run(page, "--update-docs")
    text = path.read_text("utf-8")
    assert text == page.replace("{.output}\n```\n\n", "{.output}\n7 False False\n```\n\n")
    assert counts(run(text)[0]) == (3, 0, 0)
    broken = text.replace("print(x, os", "print(y, os")
    assert "NameError: name 'y' is not defined" in failures(run(broken)[0])[0]
    assert counts(run(broken, "-m", "not slow")[0]) == (2, 0, 0)


def test_slow_is_a_marker_wherever_pages_run(run, capsys: pytest.CaptureFixture[str]) -> None:
    run(TRITON, "--markers")
    assert "@pytest.mark.slow: takes long; make quick leaves it out\n" in capsys.readouterr().out


def test_a_triton_block_is_a_record_without_triton(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("literate.items.base.has_triton", lambda: False)
    assert counts(run(TRITON)[0]) == (2, 1, 0)
    _, path = run(TRITON, "--update-docs")
    assert path.read_text("utf-8") == TRITON


def test_notest_is_never_run(run) -> None:
    block = "```python {.notest}\nthis is not python\n```\n"
    assert counts(run("<!-- It shows an error of syntax. -->\n\n" + block)[0]) == (0, 0, 0)
    for page in (block, "Text.\n\n" + block, "<!-- -->\n" + block):
        assert "a .notest block needs a comment above it" in failures(run(page)[0])[0]


def test_a_readme_is_a_page(run) -> None:
    assert counts(run(PAGE, name="README.md")[0]) == (6, 0, 0)


def test_errors_of_the_package_are_compared_whole(run) -> None:
    page = """```python {.raises}
import torch
from attention import dot_product_attention

x = torch.eye(2)
dot_product_attention(x, x, x, backend="-")
```

```text {.output}
ValueError: backend '-' is unknown: expected one of THESE
```
"""
    these = "auto, eager, fused, loops, onednn, spans, tiled, triton"
    assert counts(run(page.replace("THESE", these))[0]) == (1, 0, 0)
    assert counts(run(page.replace("one of THESE", "…"))[0]) == (0, 0, 1)


def test_a_check_changes_nothing(run) -> None:
    page = """```python
import torch

torch.manual_seed(0)
first = torch.rand(1).item()
torch.manual_seed(0)
```

Anything in 0 to 1<!--= 0 <= torch.rand(1) < 1 -->, 3<!--= (x := len(3 * [first])) -->.

```python
print(first == torch.rand(1).item(), "x" in globals())
```

```text {.output}
True False
```
"""
    assert counts(run(page)[0])[2] == 1  # the second check is no claim but a number: 1 is not 3
    page = page.replace("to 1<", "to one<")
    assert counts(run(page)[0]) == (4, 0, 0)


def test_a_page_leaves_nothing_for_the_next(run, pytester: pytest.Pytester) -> None:
    """Settings of torch are as in a new process, whichever page ran before."""
    (pytester.path / "a.md").write_text(
        """```python
import torch

torch.set_printoptions(precision=2)
torch.set_default_dtype(torch.float64)
torch.set_grad_enabled(False)
```
""",
        "utf-8",
    )
    page = """```python
import torch

print(torch.tensor([1 / 3]), torch.is_grad_enabled())
```

```text {.output}
tensor([0.3333]) True
```
"""
    assert counts(run(page, str(pytester.path / "a.md"))[0]) == (2, 0, 0)


def test_pages_in_another_order(run, pytester: pytest.Pytester) -> None:
    """The order of the pages is that of a seed; the blocks of a page stay as they are."""
    for name in "bcdef":
        (pytester.path / f"{name}.md").write_text(PAGE, "utf-8")
    orders = []
    for seed in (1, 1, 2):
        result, _ = run(PAGE, f"--shuffle-pages={seed}", str(pytester.path), name="a.md")
        called = [r.nodeid.split("::") for r in result.getreports("pytest_runtest_logreport")]
        assert not failures(result)
        order = list(dict.fromkeys(page for page, _ in called))
        blocks = {page: [test for other, test in called if other == page] for page in order}
        assert len({tuple(tests) for tests in blocks.values()}) == 1
        orders.append(order)
    assert sorted(orders[0]) == [f"{name}.md" for name in "abcdef"]
    assert orders[0] == orders[1] != orders[2]
