"""A block and its output are one cell, which says what it needs and how it was checked."""

import re

import pytest
from markdown import Markdown
from notation import CONFIG, convert


def test_a_block_and_its_output_are_one_cell() -> None:
    html = convert(
        '```python title="A <b> & c"\nx = 1\nprint(x)\n```\n\n```text {.output}\n1\n```\n'
    )
    assert html.count('<div class="cell">') == 1
    assert 'aria-label="Copy: A &lt;b&gt; &amp; c"' in html
    cell = html[html.index('<div class="cell">') :]
    assert cell.index("print") < cell.index('class="output output--checked"')
    assert cell.rstrip().endswith("</div></div>")  # the output is inside
    assert "<!--" not in html


@pytest.mark.parametrize("lines", [17, 18])
def test_a_long_cell_may_go_on_on_the_next_page_of_paper(lines: int) -> None:
    html = convert(
        "```python\n" + 9 * "x\n" + "```\n\n```text {.output}\n" + (lines - 7) * "1\n" + "```\n"
    )
    assert ('<div class="cell cell--long">' in html) == (lines == 18)


@pytest.mark.parametrize(
    ("kind", "how", "mark"),
    [
        (".raises", "raises", "raises, as it must"),
        (".check", "refuses", "what the check says of the stub"),
        (".mistake", "refuses", "what the check says of it"),
        (".gpu", "recorded", "recorded on an H100, 2026-11-21"),
    ],
)
def test_an_output_says_how_it_was_checked(kind: str, how: str, mark: str) -> None:
    record = ' device="an H100" date="2026-11-21"' if kind == ".gpu" else ""
    html = convert(f"```python {{{kind}}}\nx\n```\n\n```text {{.output{record}}}\n1\n```\n")
    assert f'class="output output--{how}"' in html
    assert f'<span class="output__mark">{mark}</span>' in html


@pytest.mark.parametrize(("kind", "tag"), [("gpu", "GPU"), ("triton", "Triton"), ("fresh", None)])
def test_a_cell_says_what_it_needs(kind: str, tag: str | None) -> None:
    html = convert(f"```python {{.{kind}}}\nx\n```\n")
    assert re.findall(r'<span class="cell__tag">(.*?)</span>', html) == ([tag] if tag else [])
    assert ("cell__script" in html) == (kind != "gpu")


def test_an_output_of_one_page_knows_nothing_of_another() -> None:
    from mkdocs.config import load_config

    config = load_config(str(CONFIG), strict=False)
    md = Markdown(extensions=config["markdown_extensions"], extension_configs=config["mdx_configs"])
    md.convert("```python {.gpu}\nx\n```\n")
    md.reset()
    assert "output--checked" in md.convert("```text {.output}\n1\n```\n")


def test_what_gives_an_exercise_away_is_folded() -> None:
    html = convert("```python {.solution}\nx = 1\n```\n\nText.\n")
    assert '<details class="solution"><summary>Solution</summary><div class="cell' in html
    assert html.count("</details>") == 1
    assert html.index("</details>") < html.index("Text.")


def test_a_fold_of_the_page_is_not_folded_twice() -> None:
    html = convert('??? success "Mine"\n\n    ```python {.solution}\n    x = 1\n    ```\n')
    assert html.count("<details") == 1


def test_only_a_drawing_is_folded() -> None:
    drawing = 'fig.savefig("x.svg")'
    folded = convert(f"```python\n{drawing}\n```\n")
    assert "<summary>How it is drawn</summary>" in folded
    printing = convert(f"```python\n{drawing}\nprint(1)\n```\n\n```text {{.output}}\n1\n```\n")
    assert "<details" not in printing


def test_an_unknown_option_is_not_a_cell() -> None:
    assert "cell" not in convert('```python titel="x"\nx\n```\n')


def test_parts_of_attention_have_their_hue_in_code_and_prose() -> None:
    html = convert(
        "The **query** and `keys`, not a *value*.\n\n"
        "```python\nquery @ k\nquest\nlayer.weight\n```\n"
    )
    assert '<strong class="query">query</strong>' in html
    assert '<code class="key">keys</code>' in html
    assert '<span class="n query">query</span>' in html
    assert '<span class="n key">k</span>' in html
    assert "\nquest\n" in html  # no element: it has the colour of the text
    assert '<span class="o">.</span>weight' in html
    assert "<em>value</em>" in html


def test_a_spliced_source_is_a_block_of_its_own_number() -> None:
    """The blocks after it keep the numbers that their scripts have."""
    html = convert(
        '```python {.source of="attention.heads.fold"}\npass\n```\n\n```python\nx = 1\n```\n'
    )
    assert '<span class="cell__title">attention.heads.fold</span>' in html
    assert re.findall(r'href="(block-\d+\.py)"', html) == ["block-02.py"]
