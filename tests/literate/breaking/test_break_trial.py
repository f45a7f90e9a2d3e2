"""The trial of `literate break`, in this process: which changes of small pages its tests notice."""

import random
import tempfile
from pathlib import Path

import pytest
from trials import PYPROJECT, apart

from literate.breaking.places import places
from literate.breaking.trial import Result, Trial, run
from literate.pages.page import Page

PRINTS = """```python
print({!r}, "of them")
```

```text {{.output}}
{} of them
```
"""
SOURCED = "It was {}<!-- source: a book -->.\n"


class Book:
    """A folder with a page of that text, which is tried in it."""

    def __init__(self, root: Path) -> None:
        self.root, self.page = root, root / "page.md"
        (root / "pyproject.toml").write_text(PYPROJECT, "utf-8")

    def tried(self, text: str, trial: Trial | None = None, **tests: str) -> Result:
        self.page.write_text(text, "utf-8")
        for name, code in tests.items():
            (self.root / f"test_{name}.py").write_text(code, "utf-8")
        return run(self.root, "page.md", [f"test_{name}.py" for name in tests], trial or Trial())


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    apart(monkeypatch, tmp_path / "temporary")
    (tmp_path / "book").mkdir()
    return Book(tmp_path / "book")


def seen(result: Result) -> tuple[str, dict[str, int], int, list[tuple[int, str]]]:
    """What is wrong, what is shown, how much was tried, and which digits nobody noticed."""
    left = [(place.line, place.old) for place in result.unnoticed]
    return result.wrong, dict(result.shown), result.tried, left


def test_what_a_test_of_the_page_notices(book: Book) -> None:
    """An output is compared, a source is believed; the page is as it was afterwards."""
    text = PRINTS.format(37, 37) + "\n" + SOURCED.format("2.5")
    result = book.tried(text)
    assert seen(result) == ("", {"output": 2, "sourced": 2}, 4, [(9, "2"), (9, "5")])
    assert book.page.read_text("utf-8") == text


def test_what_a_page_wrote_is_gone(book: Book) -> None:
    writes = '```python\nopen("file.txt", "w").close()\nprint("37 of them")\n```\n'
    book.tried(writes + PRINTS.format(37, 37).partition("```\n")[2])
    assert not list(Path(tempfile.gettempdir()).glob("page-*"))


def test_all_digits_of_a_page_may_be_noticed(book: Book) -> None:
    assert seen(book.tried(PRINTS.format(3, 3))) == ("", {"output": 1}, 1, [])


def test_a_page_without_digits(book: Book) -> None:
    assert seen(book.tried(PRINTS.format("none", "none"))) == ("", {}, 0, [])


def test_a_test_beside_the_page_notices_too(book: Book) -> None:
    """One that holds the page against a measurement, whatever it says of the page unchanged."""
    text = PRINTS.format(3, 3) + "\n" + SOURCED.format("0.25")
    held = 'def test_held():\n    assert "was 0.2" in open("page.md").read()\n'
    idle = "def test_idle():\n    pass\n"
    result = book.tried(text, idle=idle, held=held)
    assert seen(result) == ("", {"output": 1, "sourced": 3}, 4, [(9, "5")])


def test_a_page_that_fails_unchanged_is_not_tried(book: Book) -> None:
    """Its line is named, nothing is changed, and no folder of its blocks is left behind."""
    text = PRINTS.format(4, 4) + "\n" + PRINTS.format(5, 6)
    result = book.tried(text)
    line = "page.md:14: not what the block printed (pytest --update-docs rewrites it)"
    assert seen(result) == (line, {}, 0, [])
    assert [*Path(tempfile.gettempdir()).glob("page-*")] == []


def test_a_test_beside_the_page_that_fails_unchanged(book: Book) -> None:
    result = book.tried(PRINTS.format(4, 4), wrong="def test_wrong():\n    assert not 1\n")
    assert seen(result) == ("test_wrong.py::test_wrong", {}, 0, [])


def test_what_cannot_be_read_is_wrong(book: Book) -> None:
    """A page whose notation is broken; a test beside it that imports what is not there."""
    result = book.tried("```text {.output}\n3\n```\n")
    assert "page.md:1: an output block" in result.wrong
    assert seen(result)[1:] == ({}, 0, [])
    result = book.tried(PRINTS.format(4, 4), imports="import no_such_module\n")
    assert "No module named 'no_such_module'" in result.wrong


def test_a_step_that_is_skipped_hides_none_below_it(book: Book) -> None:
    skips = "```python {.gpu}\n1\n```\n\n"
    result = book.tried(skips + PRINTS.format(5, 6))
    assert result.wrong.startswith("page.md:10: not what the block printed")


def test_a_sample_is_drawn_by_its_seed(book: Book) -> None:
    """All digits are counted, and so many changed; no more than there are."""
    text = SOURCED.format("1.234567890123456789")
    every = [place.old for place in places(Page(book.page, text), "page.md", {})]
    for seed in ("one", "two"):
        result = book.tried(text, Trial(5, seed))
        drawn = random.Random(seed).sample(every, 5)
        assert seen(result) == ("", {"sourced": 19}, 5, [(1, old) for old in drawn[::-1]][::-1])
    assert seen(book.tried(text, Trial(50)))[1:3] == ({"sourced": 19}, 19)


def test_nothing_is_drawn_where_there_is_no_digit(book: Book) -> None:
    assert seen(book.tried("Words.\n\n" + PRINTS.format("a", "a"), Trial(5))) == ("", {}, 0, [])


def test_what_its_own_step_names_is_not_tried_again(book: Book) -> None:
    """Of three steps two digits each take two runs of the steps; a digit that none owns its own."""
    text = "\n".join(PRINTS.format(n, n) for n in (10, 20, 30)) + "\n" + SOURCED.format(7)
    counting = 'def test_count():\n    open("count.txt", "a").write("x")\n'
    assert seen(book.tried(text, count=counting))[2:] == (7, [(25, "7")])
    assert (book.root / "count.txt").read_text() == "x" * 2  # unchanged, and for the 7


def test_a_digit_that_its_own_step_lets_pass(book: Book) -> None:
    """A last decimal one unit below what is printed may be moved to one unit above it."""
    text = PRINTS.format(0.3333, "0.3332")
    assert seen(book.tried(text)) == ("", {"output": 5}, 5, [(6, "2")])


def test_a_digit_that_makes_the_page_unreadable_is_noticed(book: Book) -> None:
    """Each of these messages would become that of another mistake, which no exercise may have."""
    mistakes = "".join(
        f"```python {{.mistake}}\nx = {n}\n```\n\n```text {{.output}}\n"
        f"AssertionError: {n} is wrong\n```\n\n"
        for n in (7, 8, 9)
    )
    text = (
        "```python {.exercise}\nx = 0\n```\n\n"
        '```python {.check}\nassert x == 1, f"{x} is wrong"\n```\n\n'
        f"{mistakes}```python {{.solution}}\nx = 1\n```\n"
    )
    assert seen(book.tried(text)) == ("", {"output": 3}, 3, [])


FIGURE = """# Page

![A bar](figures/page/x.svg)

```python
from pathlib import Path

x = [0.5, 20]
Path("x.svg").write_text("<svg><text x='10'>40</text></svg>")
```

| a | b |
| --- | --- |
| 0.5<!--= x[0] --> | 8 |

| a | b |
| --- | --- |
| c | 0.5 |
| d | 20 |
<!--= x -->

The last is 20<!--= x[1] -->.

```python
Path("t.html").write_text("<table><td>0.123</td><td>7</td></table>")
```

[Numbers](figures/page/t.html).
"""


def test_figures_tables_and_numbers_are_tried(book: Book) -> None:
    folder = book.root / "figures/page"
    folder.mkdir(parents=True)
    svg, html = folder / "x.svg", folder / "t.html"
    svg.write_text("<svg><text x='10'>40</text></svg>\n", "utf-8")
    html.write_text("<table><td>0.122</td><td>7</td></table>\n", "utf-8")
    result = book.tried(FIGURE)
    shown = {"number": 2 + 2, "table": 2 + 2, "figure": 2 + 4 + 1}
    assert seen(result) == ("", shown, 15, [(25, "2")])
    [left] = result.unnoticed
    assert (left.file, left.at, left.new) == ("t.html", 15, "4")
    assert svg.read_text("utf-8") == "<svg><text x='10'>40</text></svg>\n"
    assert html.read_text("utf-8") == "<table><td>0.122</td><td>7</td></table>\n"


LOGGING = """```python
from pathlib import Path

def log(x):
    with Path("LOG").open("a") as file:
        file.write(x)
    return 25

log("block ")
print(12)
```

```text {.output}
12
```

It is 25<!--= log("number ") -->.

```python {.exercise}
log("stub ")
x = 0
```

```python {.check}
log("check ")
assert x == 1, f"{x + 34} is wrong"
```

```text {.output}
AssertionError: 34 is wrong
```

```python {.solution}
log("solution ")
x = 1
```
"""


def test_the_code_of_a_page_runs_once(book: Book) -> None:
    """However often its words change; that of a block, a check, a number and an attempt."""
    log = book.root / "log.txt"
    result = book.tried(LOGGING.replace("LOG", str(log)))
    assert seen(result) == ("", {"output": 4, "number": 2}, 6, [])
    assert log.read_text().split() == ["block", "number", "stub", "check", "solution", "check"]
