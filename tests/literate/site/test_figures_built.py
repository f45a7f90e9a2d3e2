"""Figures and views that blocks saved stand in the built page, or stop the build."""

import re
from pathlib import Path

import markdown
import pytest
import torch

from attention import AttentionGraph, AttentionTable

FIGURES = """# Page

<figure markdown>
![Two words & an \\*arrow\\*](figures/index/graph.svg)
<figcaption>Drawn.</figcaption>
</figure>

[The weights](figures/index/weights.html)

As [a link](figures/index/weights.html) among words, and ![an image](figures/index/graph.svg) too.

![Drawn for paper](figures/index/paper.svg)
"""


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    """What blocks of the page have saved: two views, and a drawing in colours of its own."""
    folder = tmp_path / "docs/figures/index"
    folder.mkdir(parents=True)
    weights, tokens = torch.tensor([[0.75, 0.25], [0.5, 0.5]]), ["<so>", "so"]
    AttentionGraph(weights, tokens).save(folder / "graph.svg")
    AttentionTable(weights, tokens).save(folder / "weights.html")
    (folder / "paper.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" id="a"/>', "utf-8")
    return folder


def test_views_stand_in_the_page(build, figures: Path) -> None:
    status, said, folder = build(FIGURES)
    assert (status, said) == (0, "")
    html = (folder / "index.html").read_text("utf-8")
    drawing = (figures / "graph.svg").read_text("utf-8").strip()
    named = 'aria-label="Two words &amp; an *arrow*" data-search-exclude '
    assert drawing.replace("<svg ", f"<svg {named}", 1) in html
    assert (figures / "weights.html").read_text("utf-8").strip() in html
    assert re.search(r"<figure>\s*<p><svg", html)  # a drawing is a phrase
    assert "<p><style" not in html  # a table is not
    assert "<figcaption>Drawn.</figcaption>" in html
    assert 'As <a href="figures/index/weights.html">a link</a> among words' in html
    assert '<img alt="an image" src="figures/index/graph.svg"' in html
    assert '<img alt="Drawn for paper" src="figures/index/paper.svg"' in html


def test_elsewhere_a_figure_stays_an_image() -> None:
    html = markdown.markdown("![A](figures/a/b.svg)", extensions=["literate.extensions.include"])
    assert html == '<p><img alt="A" src="figures/a/b.svg" /></p>'


def test_a_page_in_a_folder_finds_its_figures(build, figures: Path) -> None:
    inner = figures.parents[1] / "part"
    (inner / "figures/page").mkdir(parents=True)
    (figures / "graph.svg").rename(inner / "figures/page/graph.svg")
    (inner / "page.md").write_text("# Inner\n\n![Seen](figures/page/graph.svg)\n", "utf-8")
    status, said, folder = build("# Page\n")
    assert (status, said) == (0, "")
    assert '<svg aria-label="Seen"' in (folder / "part/page/index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("](figures/index/graph.svg)\n", "](figures/index/grahp.svg)\n", 4, "grahp.svg', but"),
        (
            "(figures/index/weights.html)\n",
            "(figures/index/wieghts.html)\n",
            8,
            "wieghts.html', but",
        ),
        ("[The w", "![The w", 8, "figures/index/weights.html is no image: a link puts it in"),
    ],
)
def test_a_view_that_is_not_there(
    build, figures: Path, old: str, new: str, line: int, says: str
) -> None:
    assert FIGURES.count(old) == 1
    status, said, _ = build(FIGURES.replace(old, new))
    assert status == 1
    assert f"docs/index.md:{line}: " in said
    assert says in said


def test_ids_would_meet_in_one_page(build, figures: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><g id="a" style="fill: var(--ink)"/></svg>'
    (figures / "graph.svg").write_text(svg, "utf-8")
    status, said, _ = build(FIGURES)
    assert status == 1
    assert "docs/index.md:4: figures/index/graph.svg has an id, which another figure" in said
