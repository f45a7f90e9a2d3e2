"""The notation on the site: cells, steps, predictions, attention views, formulas, numbers."""

import re
import xml.etree.ElementTree as etree
from pathlib import Path

import pytest
from markdown import Markdown

from literate.extensions import arcs, attention_tables
from literate.extensions.fault import Fault

CONFIG = Path(__file__).parents[3] / "mkdocs.yml"


def convert(text: str) -> str:
    """The HTML of a page, by the extensions that the book is built with."""
    from mkdocs.config import load_config

    config = load_config(str(CONFIG), strict=False)
    md = Markdown(extensions=config["markdown_extensions"], extension_configs=config["mdx_configs"])
    return md.convert(text)


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()


# --- cells


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


# --- chapters


def test_steps_and_exercises_are_numbered() -> None:
    html = convert(
        "# Title { data-chapter=4 }\n\n## One { .step }\n\n## Other\n\n## Two { .step }\n\n"
        "### Try { .exercise }\n"
    )
    assert plain(html) == "Title ¶ 4.1 One ¶ Other ¶ 4.2 Two ¶ Exercise 4.1 Try ¶"
    assert '<h2 class="step" id="one">' in html  # links stay when a step comes before it


def test_a_step_needs_a_chapter() -> None:
    with pytest.raises(Fault, match="needs a chapter: # Title"):
        convert("# Title\n\n## One { .step }\n")


# --- predictions

PREDICTION = """!!! predict "Which?"

    - ( ) This *one*: no, `a:b` is.
    - (x) That: it is.
"""


def test_a_prediction_answers() -> None:
    html = convert(PREDICTION)
    assert html.count('type="radio"') == 2
    assert len(set(re.findall(r'name="(predict-\d+)"', html))) == 1
    assert html.count('<li class="choice choice--right">') == 1
    assert plain(html) == "Predict Which? This one Not so: no, a:b is. That Right: it is."
    ids = re.findall(r'id="(predict-\d+-\d+)"', html)
    assert ids == re.findall(r'for="(predict-[\d-]+)"', html)


def test_a_colon_within_a_number_ends_no_choice() -> None:
    html = convert(PREDICTION.replace("That: it", "As 1:3 and *2*:1, at 9:30: it"))
    assert plain(html).endswith("As 1:3 and 2 :1, at 9:30 Right: it is.")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(x)", "( )", "one of them with"),
        ("( )", "(x)", "one of them with"),
        ("( ) ", "", "items begin with"),
        (": it is.", "", "a choice needs an answer"),
    ],
)
def test_a_broken_prediction_says_so(old: str, new: str, says: str) -> None:
    with pytest.raises(Fault, match=says) as raised:
        convert(PREDICTION.replace(old, new))
    assert raised.value.words == "Which?"


# --- formulas


def test_a_formula_is_rendered_with_its_hues() -> None:
    html = convert(r"So $\alpha_j = \mathbf{q} \cdot \mathbf{K}$." + "\n")
    assert "<math" in html
    for name in ("weight", "query", "key"):
        assert f'class="enclosing {name}"' in html
    assert "$" not in plain(html).replace(r"\alpha", "")


def test_a_displayed_formula_can_be_reached_by_keyboard() -> None:
    html = convert("$$\nx = 1\n$$\n")
    assert '<div class="maths maths--display"' in html
    assert 'tabindex="0"' in html


@pytest.mark.parametrize(
    ("tex", "says"),
    [
        (r"\frac{1}{2", "expected '}' at end of input"),
        (r"\foo", r"Undefined control sequence: \\foo"),
        (r"x^2^3", "Double superscript"),
        (r"\alpha_{", "Expected '}'"),
    ],
)
def test_a_formula_that_is_not_tex_says_so(tex: str, says: str) -> None:
    with pytest.raises(Fault, match=says) as raised:
        convert(f"Text.\n\n${tex}$\n")
    assert raised.value.words == tex


# --- numbers


def test_a_number_opens_to_its_expression_and_a_claim_disappears() -> None:
    html = convert("It is 0.25<!--= 1 / 4 -->, which is less<!--= 1 < 4 -->.\n")
    assert 'data-expression="1 / 4"' in html
    assert ">0.25</data>" in html
    assert plain(html) == "It is 0.25 , which is less."


def test_a_formula_on_its_own_lines_opens_to_what_computes_it() -> None:
    html = convert(
        '$$\na < b\n$$\n\n<!--= formula(a=1, b=x["<"]) -->\n\nAnd $a$<!--= formula(a=2) == 2 -->.\n'
    )
    assert html.count("data-expression") == 1
    assert 'data-expression="formula(a=1, b=x[&quot;&lt;&quot;])"' in html
    assert 'aria-label="computed"' in html
    assert "computed" not in plain(html)
    assert "<!--" not in html


def test_a_number_opens_to_its_source() -> None:
    html = convert("It has 12,288<!-- source: Brown et al. (2020), table 2.1 --> numbers.\n")
    assert 'aria-description="source: Brown et al. (2020), table 2.1"' in html
    assert ">12,288</data>" in html


def test_a_number_in_a_description_of_an_image_is_text() -> None:
    html = convert("![A bar of 0.25<!--= 1 / 4 -->](x.svg)\n")
    assert 'alt="A bar of 0.25"' in html


# --- attention views

VIEW = """<figure class="attn" data-query="b" data-max="1" markdown>

| | a | b |
| --- | --- | --- |
| a | 0.30 | 0.70 |
| b | 0.20 | 0.80 |

<figcaption>Caption.</figcaption>
</figure>
"""


def test_a_view_shows_arcs_tokens_a_sentence_and_the_matrix() -> None:
    html = convert(VIEW)
    assert html.count("<path") == 4
    assert html.count('type="radio"') == 2
    assert re.search(r'checked="checked"[^>]*value="1"', html)
    said = plain(html)
    assert "b attends most to itself , 0.80 ." in said
    assert "a attends most to b , 0.70 ; to itself, 0.30 ." in said
    assert re.findall(r"--t:(\d+)%", html) == ["30", "70", "20", "80"]
    assert html.count('scope="row"') == html.count('scope="col"') == 2
    assert "Caption." in said


HEADS = VIEW.replace(
    "\n| | a | b |\n",
    "\n**One**\n\n| | a | b |\n| --- | --- | --- |\n| a | 1 | 0 |\n| b | 0.5 | 0.5 |\n"
    "\n**Two**\n\n| | a | b |\n",
)


def test_a_view_of_two_heads_has_the_arcs_and_the_matrix_of_each() -> None:
    html = convert(HEADS)
    assert html.count('type="radio"') == 4
    assert re.findall(r'checked="checked"[^>]*value="(\w+)"', html) == ["h0", "1"]
    assert html.count("<svg") == 1
    for head, arcs_there in (("0", 3), ("1", 4)):
        group = re.search(rf'<g data-h="{head}">.*?</g></g>', html, re.S)
        assert group
        assert group[0].count("<path") == arcs_there
        assert html.count(f'data-h="{head}"') == 3  # arcs, sentences, matrix
    assert 'aria-label="Attention weights of Two"' in html
    assert "b attends most to a , 0.5 ; to itself, 0.5 ." in plain(html)
    assert "b attends most to itself , 0.80 ." in plain(html)
    assert "<strong>One" not in html


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("**Two**", "**One**", "it has 2 tables: expected at most 8, a name of its own in bold"),
        ("**Two**\n\n", "", "it has 2 tables: expected at most 8, a name of its own in bold"),
        ("| a | 1 | 0 |", "| a | 1 | 1 |", "the weights of a sum to 2.0000, not to 1"),
        (
            "| | a | b |\n| --- | --- | --- |\n| a | 1 | 0 |\n| b |",
            "| | a | c |\n| --- | --- | --- |\n| a | 1 | 0 |\n| c |",
            "Two has other tokens than One",
        ),
    ],
)
def test_heads_that_do_not_go_together(old: str, new: str, says: str) -> None:
    with pytest.raises(Fault, match=re.escape(says)):
        convert(HEADS.replace(old, new, 1))


@pytest.mark.parametrize("count", [2, 24])
def test_a_view_of_two_to_twenty_four_tokens(count: int) -> None:
    tokens = [f"t{i}" for i in range(count)]
    rows = "".join(f"| {t} |" + " 1 |" + " 0 |" * (count - 1) + "\n" for t in tokens)
    head = f"| | {' | '.join(tokens)} |\n|{' --- |' * (count + 1)}\n"
    text = f'<figure class="attn" markdown>\n\n{head}{rows}\n</figure>\n'
    html = convert(text)
    assert html.count('type="radio"') == count
    assert ("attn__body--long" in html) == (count > 8)
    if count == 24:
        longer = text.replace("t23", "t23 | t24").replace(" 0 |\n", " 0 | 0 |\n")
        with pytest.raises(Fault):
            convert(longer)


def test_arcs_leave_a_bar_of_width_one() -> None:
    box = etree.Element("div")
    arcs.arcs(box, [[0.3, 0.7], [0.2, 0.8]])
    bars = [float(bar.get("width", 0)) for bar in box.iter("rect") if bar.get("class") == "query"]
    assert bars == [arcs.UNIT, arcs.UNIT]
    wide = [float(path.get("stroke-width", 0)) + arcs.GAP for path in box.iter("path")]
    assert wide == pytest.approx([arcs.UNIT * w for w in (0.3, 0.7, 0.8, 0.2)], abs=0.011)


def test_a_query_that_may_attend_to_nothing_has_no_arcs() -> None:
    html = convert(VIEW.replace("0.30 | 0.70", "0 | 0"))
    assert html.count("<path") == 2
    assert "a may attend to nothing." in plain(html)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("| b | 0.20", "| c | 0.20", "its columns are a, b but its rows a, c"),
        ("0.70", "0.60", "the weights of a sum to 0.9000, not to 1"),
        ("0.30 | 0.70", "1 | 1", "the weights of a sum to 2.0000, not to 1"),
        ("0.30 | 0.70", "0.3 | 0.8", "the weights of a sum to 1.1000, not to 1"),
        ('data-max="1"', 'data-max="0.75"', "its data-max 0.75 is less than the weight 0.8"),
        ('data-max="1"', 'data-max="0"', "its data-max 0 is less than the weight 0.8"),
        ("0.70", "1.70", "a weight is between 0 and 1, not 1.70"),
        ("0.70", "much", "'much' is not a number"),
        ('data-query="b"', 'data-query="c"', "its data-query 'c' is none of a, b"),
        (" markdown>", ">", "`markdown` is missing in its tag"),
        ("| a | 0.30 | 0.70 |\n| b | 0.20 | 0.80 |\n", "", "but its rows "),
        (VIEW[VIEW.index("|") : VIEW.rindex("|") + 1], "", "it has no table"),
    ],
)
def test_a_broken_view_says_so(old: str, new: str, says: str) -> None:
    with pytest.raises(Fault, match=re.escape(says)):
        convert(VIEW.replace(old, new))


def test_a_view_has_as_many_tokens_as_the_style_sheet() -> None:
    css = (CONFIG.parent / "docs/assets/css/attention.css").read_text("utf-8")
    chosen = re.findall(r'\[value="(\d+)"\]:checked\) \[data-i="\1"\]', css)
    assert chosen == [str(i) for i in range(attention_tables.MOST)]
    hidden = re.findall(r'\[value="h(\d+)"\]:checked\) \[data-h\]:not\(\[data-h="\1"\]\)', css)
    assert hidden == [str(h) for h in range(attention_tables.HEADS)]


def test_a_spliced_source_is_a_block_of_its_own_number() -> None:
    """The blocks after it keep the numbers that their scripts have."""
    html = convert(
        '```python {.source of="attention.heads.fold"}\npass\n```\n\n```python\nx = 1\n```\n'
    )
    assert '<span class="cell__title">attention.heads.fold</span>' in html
    assert re.findall(r'href="(block-\d+\.py)"', html) == ["block-02.py"]
