"""An attention view: arcs, tokens, a sentence and the matrix, or what is wrong with it."""

import re
import xml.etree.ElementTree as etree

import pytest
from notation import CONFIG, convert, plain

from literate.extensions import arcs, attention_tables
from literate.extensions.fault import Fault

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
