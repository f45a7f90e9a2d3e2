"""The fixer on the book itself: whatever is damaged in a chapter comes back."""

import json
import re
import shutil
from pathlib import Path

import pytest
from helpers import failures

from literate.pages.page import Page
from literate.running.figures import same_figure

DOCS = Path(__file__).parents[3] / "docs"
CHAPTERS = [
    DOCS / "foundations" / name
    for name in ("one-context-vector.md", "softmax.md", "every-token-at-once.md")
]


def other(text: str) -> str:
    """The text with each digit changed by five, which no comparison forgives."""
    return re.sub(r"\d", lambda match: str((int(match[0]) + 5) % 10), text)


def damaged(page: Page) -> str:
    """The page with every output, number and cell of a table changed."""
    text = list(page.text)
    numbers = [(check.start, check.end) for check in page.checks if check.printed]
    cells = [cell for table in page.tables for row in table.rows for cell in row if cell]
    for start, end in numbers + [(cell.start, cell.start + len(cell.printed)) for cell in cells]:
        text[start:end] = other(page.text[start:end])
    for output in filter(None, (block.output for block in page.blocks)):
        changed = other(page.text[output.start : output.end])
        text[output.start : output.end] = changed
        text[output.start] = f"{output.indent}damaged\n{changed[0]}"
    return "".join(text)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_damaged_chapter_is_as_before(chapter: Path, run, pytester: pytest.Pytester) -> None:
    name = f"docs/foundations/{chapter.name}"
    drawn = DOCS / "foundations/figures" / chapter.stem
    figures = pytester.path / "docs/foundations/figures" / chapter.stem
    shutil.copytree(drawn, figures)
    for figure in figures.iterdir():
        figure.write_text("<svg/>\n", "utf-8")
    pytester.makeini("[pytest]\nrecords = docs/.records\n")
    page = Page.read(chapter)
    text = damaged(page)
    assert len(set(text.splitlines()) - set(page.text.splitlines())) > 30

    result, path = run(text, "--update-docs", name=name)

    # A quoted result is looked for in the outputs, which were damaged too.
    assert [text for text in failures(result) if "nothing checks" not in text] == []
    assert path.read_text("utf-8") == page.text
    for figure in drawn.iterdir():
        assert same_figure(figure.read_text("utf-8"), (figures / figure.name).read_text("utf-8"))
    record = Path("docs/.records/foundations") / f"{chapter.stem}.json"
    before, after = (
        json.loads((root / record).read_text("utf-8")) for root in (DOCS.parent, pytester.path)
    )
    assert after["counts"] == before["counts"]
    assert [e for e, _ in after["numbers"]] == [e for e, _ in before["numbers"]]
    values = [value for _, value in before["numbers"]]
    assert [value for _, value in after["numbers"]] == pytest.approx(values, rel=1e-5)
