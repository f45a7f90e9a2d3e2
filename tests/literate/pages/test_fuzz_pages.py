"""Pages of the book, broken at random: an error names the page and the line, or the page parses."""

import re
import warnings
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from inputs import examples

from literate.pages import pictures
from literate.pages.page import Page, PageError
from literate.rules import guards, shown, unfailing
from literate.running.exercises import exercises
from literate.site import export

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEXTS = [path.read_text("utf-8") for path in PAGES]
# What is in a wrong place, half written, or of another kind than it looks.
PIECES = [
    "```", "~~~", "````", "```python", "```python {.raises}", "```python {.fresh",
    "```text {.output}",
    "```python {.exercise}", "```python {.check}", "```python {.solution}", "```python {.mistake}",
    '```python {.source of="attention"}', "```py", "``` {", "<!--", "-->", "<!--=", "<!--= 1 -->",
    "0.5<!--= 1/ -->", "<!--= \\d -->", "<!-- source: -->", "|", "| --- |", "| 1 | 2 |",
    "> ", "- ", "1. ", "    ", "\t", "---", "!!! note", "??? x", "=== \"y\"", "$", "$$", "`",
    "``", "\\", "[", "](", "![", "<figure>", "<figure class=\"attn\" markdown>", "</figure>",
    "<details>", "<pre>", "&", "é", "🙂", "\u0301",
    "\u2028", "\x0c", "\x1c", "\x85", "\0", "\x0b", "\ufeff", "\r", "0", "1e400",
    "9" * 5000, "(" * 300, "def f(", "'''", "\"\"\"",
    "\\N{x}", "assert False", "import", "lambda:", "::: attention", "{ .lede }", "{: #a }",
]  # fmt: skip


@st.composite
def broken(draw: st.DrawFn) -> str:
    """A stretch of a page, some of whose lines and characters are gone, doubled or others."""
    text = draw(st.sampled_from(TEXTS))
    lines = text.split("\n")
    first = draw(st.integers(0, max(len(lines) - 20, 0)))
    lines = lines[first : first + draw(st.integers(1, 60))]
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        way = draw(st.sampled_from(["drop", "double", "swap", "cut", "insert", "line", "indent"]))
        line, piece = lines[at], draw(st.sampled_from(PIECES))
        column = draw(st.integers(0, len(line)))
        if way == "drop" and len(lines) > 1:
            del lines[at]
        elif way == "double":
            lines.insert(at, line)
        elif way == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif way == "cut":
            lines[at] = line[:column]
        elif way == "insert":
            lines[at] = line[:column] + piece + line[column:]
        elif way == "line":
            lines.insert(at, piece)
        else:
            lines[at] = draw(st.sampled_from([" ", "    ", "> ", "- "])) + line
    return "\n".join(lines) + draw(st.sampled_from(["\n", "", "\n\n", " "]))


@examples(300)
@given(broken())
def test_a_broken_page_parses_or_says_where_it_is_broken(text: str) -> None:
    path = Path("docs/page.md")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(path, text)
            return
    except PageError as error:
        said = str(error)
    place = re.fullmatch(r"docs/page\.md:(\d+): .+", said)
    assert place, said
    assert 1 <= int(place[1]) <= text.count("\n") + 1


def read(path: Path, text: str) -> None:
    """All that is done with a page without running it."""
    page = Page(path, text)
    for block in page.blocks:
        assert text.count("\n", 0, block.start) + 1 == block.line
        inside = text[block.start : block.end]
        if not block.indent:
            assert inside == block.code
    for check in page.checks:
        assert text[check.start : check.end] == check.printed + check.unit
    for table in page.tables:
        for cell in filter(None, sum(table.rows, [])):
            assert text[cell.start :].startswith(cell.printed + cell.unit)
    exercises(page)
    for guard in (guards.unchecked, unfailing.unfailing, shown.never_run):
        for line, _ in guard(page):
            assert 1 <= line <= text.count("\n") + 1
    list(guards.unreasoned(page))
    list(pictures.shown(page, "page"))
    export.files(page, path, "https://book.example/page/")
