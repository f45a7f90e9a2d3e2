"""The strict build: a fault in a page stops it, with the page and the line."""

import json
import re
from pathlib import Path

import markdown
import pytest
import torch

from attention import AttentionGraph, AttentionTable
from literate import __main__ as literate
from literate import lint
from literate.pages.page import Page
from literate.site import build as site

CONFIG = """site_name: One page
strict: true
theme: {name: null, custom_dir: theme}
validation:
  links: {not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: warn}
plugins:
  autorefs: {}
  mkdocstrings:
    handlers: {python: {paths: [%s], options: {heading_level: 2}}}
markdown_extensions:
  - admonition
  - attr_list
  - md_in_html
  - tables
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.superfences
  - literate.extensions.attention_view
  - literate.extensions.chapter
  - literate.extensions.include
  - literate.extensions.maths
  - literate.extensions.numbers
  - literate.extensions.predictions
  - literate.extensions.raw
"""
PAGE = """# Page

A [link](#part), a [name][attention.masks.Causal] and 0.25<!--= 1 / 4 --> of it,
which is true<!--= 1 < 2 -->.

## Part

::: attention.masks.Causal
"""


@pytest.fixture
def build(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Build a site of one page; the exit status, what was said, and the folder."""

    def build(text: str) -> tuple[int, str, Path]:
        for folder in ("docs", "theme"):
            (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / "docs/index.md").write_text(text, "utf-8")
        (tmp_path / "theme/main.html").write_text("{{ page.content }}", "utf-8")
        root = Path(__file__).parents[3]
        (tmp_path / "mkdocs.yml").write_text(CONFIG % root, "utf-8")
        monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
        monkeypatch.chdir(tmp_path)
        status = literate.main(["build", "--site-dir", str(tmp_path / "site")])
        printed = capsys.readouterr()
        return status, printed.out + printed.err, tmp_path / "site"

    return build


def test_a_right_page_builds(build) -> None:
    status, said, folder = build(PAGE)
    assert (status, said) == (0, "")
    html = (folder / "index.html").read_text("utf-8")
    number = '<data aria-description="checked: 1 / 4" class="checked" data-expression="1 / 4"'
    assert number in html
    assert "which is true." in html
    assert "<!--=" not in html
    assert "keep[i, j]" in html


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("(#part)", "(#prat)", 3, "a link '#prat', but there is no such anchor"),
        ("(#part)", "(part.md)", 3, "a link 'part.md', but the target is not found"),
        ("(#part)", "(/part/)", 3, "an absolute link '/part/'"),
        ("[attention.masks.Causal]", "[attention.masks.Casual]", 3, "'attention.masks.Casual'"),
        (":: attention.masks.Causal", ":: attention.masks.Casual", 8, "Could not collect"),
        (":: attention.masks.Causal", ":: attension.masks.Causal", 8, "Could not collect"),
    ],
)
def test_a_dead_name_stops_the_build(build, old: str, new: str, line: int, says: str) -> None:
    assert PAGE.count(old) == 1
    status, said, _ = build(PAGE.replace(old, new))
    assert status == 1
    assert f"docs/index.md:{line}: " in said
    assert says in said


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


NOTATION = """# Page { data-chapter=1 }

A formula $x$, and one of their own:

$$
\\frac{x}{2}
$$

## Step { .step }

!!! predict "Which?"

    - ( ) This: no.
    - (x) That: it is.

<figure class="attn" markdown>

| | a | b |
| --- | --- | --- |
| a | 0.30 | 0.70 |
| b | 0.20 | 0.80 |

</figure>
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("$x$", "$x^2^3$", 3, "this formula is not TeX: Double superscript"),
        (r"{x}{2}", r"{x}{2", 6, "this formula is not TeX: Unexpected end of input"),
        (" { data-chapter=1 }", "", 9, "a numbered heading needs a chapter"),
        ("(x)", "( )", 11, "one of them with (x)"),
        ("0.70", "0.60", 16, "the weights of a sum to 0.9000, not to 1"),
    ],
)
def test_broken_notation_stops_the_build(build, old: str, new: str, line: int, says: str) -> None:
    assert NOTATION.count(old) == 1
    status, said, _ = build(NOTATION.replace(old, new))
    assert status == 1
    assert f"docs/index.md:{line}: " in said
    assert says in said


RAW = """# Page

<figure markdown>
![An image](https://a.example/x.svg)
<figcaption>Drawn.</figcaption>
</figure>

So it is $x$, of `$5`.

LINE

The end of it.
"""
HELD = "<figure>\n\n![A](x.svg)\n\n</figure>"


@pytest.mark.parametrize(
    ("line", "more", "mark"),
    [
        ("So $ x $ is.", 0, "$"),
        ("So $x_1 is large.", 0, "$"),
        ("So $$a = b$$ holds.", 0, "$"),
        ("So *we* have\n$$\na = b\n$$\nhere.", 1, "$"),
        ("It costs $5 or \\$6.", 0, "$"),
        ("| a | b |\n| --- | --- |\n| $|x|$ | $y$ |", 2, "$"),
        ("<div>\nSo $x$ and **b**.\n</div>", 1, "$"),
        ("<div>\nSo it is.\n\nSo **b**.\n</div>", 3, "**"),
        ("<figure markdown>\n<div>So **b**.</div>\n</figure>", 1, "**"),
        (HELD, 2, "!["),
        ("A claim[^1].\n\n[^1]: Its note.", 0, "[^"),
        ("## Title {.step", 0, "{."),
        ("## Title {: .step", 0, "{:"),
        ("So ** bold ** it is.", 0, "**"),
        ('!!! predict: "Which?"\n\n    Text.', 0, "!!!"),
        ('??? note: "Which?"\n\n    Text.', 0, "???"),
        ("A [broken link](a b c.", 0, "]("),
        ("![So $x_2$](https://a.example/x.svg)", 0, "\\("),
        ('<img alt="So $x_2$" src="https://a.example/x.svg">', 0, "\\("),
        ('[A](https://a.example "So **b**")', 0, "**"),
        ("A list\n\n- of $a\n- and b", 2, "$"),
    ],
)
def test_notation_that_nothing_understood(build, line: str, more: int, mark: str) -> None:
    status, said, _ = build(RAW.replace("LINE", line))
    assert status == 1
    assert f"docs/index.md:{10 + more}: '{mark}' is shown as it stands" in said


@pytest.mark.parametrize(
    "line",
    [
        "It costs \\$5, \\*\\*so\\*\\*, `**` and [a link](https://a.example/$x).",
        "So $x$, $y$-axis.\n\n$$\na = b\n$$\n",
        "<p>It costs &#36;5.</p>\n\n<!-- It was $5. -->",
        "<div>By <code>x**2</code>.</div>",
        "- a\n\n    $$\n    x = 1\n    $$",
        "So **$x$** and *$a_b$*, what?",
    ],
)
def test_notation_that_is_understood(build, line: str) -> None:
    status, said, folder = build(RAW.replace("LINE", line))
    assert (status, said) == (0, "")
    assert ("costs $5, **so**" in (folder / "index.html").read_text("utf-8")) == ("so" in line)


def test_a_check_that_stays_a_comment(build) -> None:
    text = "0.5<!--= 1 / 2 -->\n\n<figure>\nSo 0.5<!--= 1 / 2 -->.\n</figure>\n"
    status, said, _ = build(f"# Page\n\n{text}")
    assert status == 1
    assert "docs/index.md:6: this check stays a comment: `markdown` is missing in the tag" in said


def test_right_notation_builds(build) -> None:
    assert build(NOTATION)[:2] == (0, "")


@pytest.fixture
def opened(build, tmp_path: Path):
    """What the numbers of a page open to, with a record."""

    def opened(text: str, numbers: list[list[object]]) -> list[str]:
        record = tmp_path / "docs/.records/index.json"
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps({"numbers": numbers}), "utf-8")
        _, _, folder = build(f"# Page\n\n{text}\n")
        html = (folder / "index.html").read_text("utf-8")
        return re.findall(r'data-expression="([^"]*)"', html)

    return opened


def test_full_values_come_from_the_record(opened) -> None:
    text = "0.33<!--= x -->, 0.5<!--= x -->, 0.25<!--= 1 / 4 -->, −0.250<!--= -x -->."
    record = [["x", 0.333333], ["1 / 4", 0.2512, 3e-06], ["x", 0.5], ["-x", -0.25001]]
    with_spread = "1 / 4 = 0.2512 ± 0.000003"
    assert opened(text, record) == ["x = 0.333333", "x", with_spread, "-x = −0.25001"]


def test_a_value_that_is_another_number_s_is_not_shown(opened) -> None:
    record = [["x", 0.9], ["y", 0.333333]]
    assert opened("0.33<!--= x --> and 0.33<!--= z -->.", record) == ["x", "z"]


@pytest.mark.parametrize("name", ["more.markdown", "part/more.mkd"])
def test_a_page_that_the_tests_would_not_find(build, tmp_path: Path, name: str) -> None:
    (tmp_path / "docs/part").mkdir(parents=True)
    (tmp_path / "docs" / name).write_text("# More\n", "utf-8")
    status, said, _ = build(PAGE)
    assert status == 1
    assert f"docs/{name}:1: the tests run only a page whose name ends in .md" in said


def test_a_fault_without_a_known_place_is_still_said(tmp_path: Path) -> None:
    assert site.locate(tmp_path, "none.md", "x") == ""


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("x = 1\nprint(x)\n", ""),
        ("x=1\nprint(x)\n", "blocks/page.md/line4.py"),
        ("print(y)\n", "pages/page.md.py:4:7"),
        ("import os\n", "pages/page.md.py:4:8"),
        ("def f(:\n", "pages/page.md.py:4:7"),
    ],
)
def test_lint_finds_the_line(
    block: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(f"# Page\n\n```python\n{block}```\n", "utf-8")
    status = lint.main(["page.md"])
    said = "".join(capfd.readouterr())
    assert (status != 0) == bool(says)
    assert says in said


def test_lint_leaves_out_what_never_runs(tmp_path: Path) -> None:
    lint.extract(Page(Path("page.md"), "```python {.notest}\nx=\n```\n"), tmp_path)
    assert list(tmp_path.iterdir()) == []
