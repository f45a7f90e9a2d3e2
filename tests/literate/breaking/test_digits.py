"""Every digit of the book was changed, and its change was noticed; and the tool that says so."""

import re
import subprocess
import sys
import tomllib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from literate.breaking import book, pardons
from literate.breaking.sources import ROOT, pages
from literate.breaking.trial import Result, Trial, run

FEW = 3  # pages of which a sample is tried here; with more, all must be
SAMPLE = 40  # digits of each: with the run of the page, about 10 seconds

PAGE = """# Page 3

In 2017 PyTorch 2.11 and GPT-3 read 5 words, [as told](https://example.org/12).

```python
import torch

x = torch.tensor([1 / 3, 20.0])  # 2 numbers
print(x, 7)
```

```text {.output}
tensor([ 0.3333, 20.0000]) 7
```

| a | 1 |
| --- | --- |
| 0.333<!--= x[0] --> | 20<!--= x[1] --> |

It was 0.25<!-- source: a book -->.

!!! predict "Which of 8?"

    - ( ) 31: no, 20.
    - (x) 4. So few<!--= x[1] == 20 -->: it is 20.

![A bar of 20](figures/page/x.svg)

```python
open("x.svg", "w").write("<svg><text x='10'>20</text></svg>")
```

```python {.exercise}
def f():
    return 1
```

```python {.check}
assert f() == 2, f"{f()} is not 2"
```

```text {.output}
AssertionError: 1 is not 2
```

```python {.solution}
def f():
    return 2
```
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The page, broken in a process of its own, as each page of the book is."""
    root = tmp_path_factory.mktemp("book")
    (root / "page.md").write_text(PAGE, "utf-8")
    (root / "figures/page").mkdir(parents=True)
    (root / "figures/page/x.svg").write_text("<svg><text x='10'>20</text></svg>\n", "utf-8")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
    options = settings["ini_options"]["addopts"].replace(" --strict-markers --strict-config", "")
    (root / "pyproject.toml").write_text(f"[tool.pytest.ini_options]\naddopts = '{options}'\n")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(run, root, "page.md", [], Trial()).result()


def test_the_page_passes_unchanged(found: Result) -> None:
    assert not found.wrong


def test_only_results_are_changed(found: Result) -> None:
    """No code, year, version, name, address, setting of a sentence, title or place of a drawing."""
    assert found.shown == {
        "output": 5 + 6 + 1 + 2,
        "number": 4 + 2,
        "sourced": 3,
        "answer": 2 + 1 + 2,
        "picture": 2,
        "figure": 2,
    }
    assert found.tried == sum(found.shown.values())


def test_what_nothing_checks_is_found(found: Result) -> None:
    """A source is believed; 20 stands in an output, and 4 is too small to be looked for."""
    said = sorted((place.kind, place.line, place.old) for place in found.unnoticed)
    assert said == [("answer", 25, "4"), *(("sourced", 20, digit) for digit in "025")]


def test_a_last_digit_that_may_round_changes_by_two() -> None:
    from literate.breaking.places import ROUNDED, digits

    text = "0.1239 12.75 9"
    new = "".join(place.new for place in digits("x", text, 0, len(text), "output", ROUNDED, None))
    assert new == "1234" "7" "23" "86" "8"  # fmt: skip


def test_every_page_was_broken() -> None:
    stale = book.stale()
    everything = ".venv/bin/python -m literate break"
    assert book.found().keys() == {*pages()}, f"run {everything}"
    assert len(stale) <= FEW, f"{len(stale)} pages have changed since: run {everything}"


@pytest.mark.slow
def test_a_sample_of_what_has_changed_since() -> None:
    if stale := book.stale()[:FEW]:
        command = [sys.executable, "-m", "literate", "break", "--sample", str(SAMPLE), *stale]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_each_pardon_is_of_words_that_stand_in_the_book() -> None:
    """That those of one page still pardon something, the tool itself tells."""
    for pardon in pardons.pardons():
        names = pages() if pardon.page == "*" else [pardon.page]
        assert any(re.search(pardon.words, (ROOT / n).read_text("utf-8")) for n in names), pardon
        assert len(pardon.reason) > 10
