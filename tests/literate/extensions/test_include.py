"""Figures are put into a page, or stay what they are."""

from pathlib import Path
from types import SimpleNamespace

import markdown
import pytest
from markdown.treeprocessors import Treeprocessor

from literate.extensions.fault import Fault

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><g style="fill: var(--ink)"/><svg x="1"/></svg>'


@pytest.fixture
def convert(tmp_path: Path):
    """What a page becomes whose figures lie in a folder of `tmp_path`."""
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "drawing.svg").write_text(DRAWING, "utf-8")
    (folder / "paper.svg").write_text('<svg id="a"/>', "utf-8")
    (folder / "named.svg").write_text('<svg id="a" style="fill: var(--ink)"/>', "utf-8")
    (folder / "table.html").write_text("<table></table>", "utf-8")

    def run(text: str) -> str:
        made = markdown.Markdown(extensions=["literate.extensions.include"])
        links = Treeprocessor(made)
        links.file = SimpleNamespace(abs_src_path=str(tmp_path / "page.md"))  # as MkDocs' own
        made.treeprocessors.register(links, "relpath", 0)
        return made.convert(text)

    return run


def test_alone_in_its_paragraph_it_is_put_in(convert) -> None:
    said = '<svg aria-label="A &amp; *b*" data-search-exclude xmlns='
    assert convert("![A & \\*b\\*](figures/drawing.svg)") == f"<p>{DRAWING}</p>".replace(
        "<svg xmlns=", said
    )
    assert convert("[T](figures/table.html)") == "<table></table>"


@pytest.mark.parametrize(
    "text",
    [
        "See ![A](figures/drawing.svg)",
        "![A](figures/drawing.svg) there",
        "![A](figures/drawing.svg)![B](figures/drawing.svg)",
        "![A](figures/paper.svg)",
        "![A](figures/missing.svg)",
        "[A](figures/drawing.svg)",
        "![A](other/drawing.svg)",
        "[T](figures/table.html) there",
    ],
)
def test_it_stays_an_image_or_a_link(convert, text: str) -> None:
    made = convert(text)
    assert "<svg" not in made
    assert "<table" not in made
    assert made == markdown.markdown(text)


@pytest.mark.parametrize(
    ("text", "message", "count"),
    [
        ("![A](figures/named.svg)", "figures/named.svg has an id", 1),
        ("See ![A](figures/named.svg)\n\n![A](figures/named.svg)", "has an id", 2),
        ("[P](p.md) ![A](figures/named.svg)\n\n![A](figures/named.svg)", "has an id", 2),
        ("See ![A](figures/named.svg)![A](figures/named.svg)\n\n![A](figures/named.svg)", "id", 3),
        ("![A](figures/table.html)", "is no image: a link puts it in, alone in its paragraph", 1),
    ],
)
def test_a_fault_says_which_of_them(convert, text: str, message: str, count: int) -> None:
    with pytest.raises(Fault, match=message) as raised:
        convert(text)
    assert raised.value.occurrence == count
