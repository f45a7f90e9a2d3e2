"""An attention view of two heads, element for element; its arcs are in `test_arcs.py`."""

import re
from pathlib import Path

import pytest
from markdown import Markdown

from literate.extensions import attention_tables
from literate.extensions.fault import Fault

VIEW = """<figure class="attn" data-query="b" data-max="1" markdown>

**One**

| | a | b |
| --- | --- | --- |
| a | 1.0 | 0 |
| b | 0.75 | 0.25 |

**Two**

| | a | b |
| --- | --- | --- |
| a | 0 | 0 |
| b | 0.2 | 0.8 |

<figcaption>Words.</figcaption>
</figure>
"""


def convert(text: str) -> str:
    names = ["attr_list", "md_in_html", "tables", "literate.extensions.attention_view"]
    return Markdown(extensions=names).convert(text)


def test_a_view_is_a_form_and_a_table_a_head() -> None:
    html = re.sub(r"<svg.*?</svg>", "<svg/>", convert(VIEW), flags=re.S)
    lines = re.sub(r"(?<!^)(<(?!/))", r"\n\1", html) + "\n"
    assert lines == Path(__file__).with_name("view.html").read_text("utf-8")


@pytest.mark.parametrize("count", [5, 6, 7, 8, 9])
def test_what_is_wide_may_scroll(count: int) -> None:
    tokens = [f"t{i}" for i in range(count)]
    rows = "".join(f"| {t} |" + " 0.5 |" * 2 + " 0 |" * (count - 2) + "\n" for t in tokens)
    table = f"| | {' | '.join(tokens)} |\n|{' --- |' * (count + 1)}\n{rows}"
    html = convert(f'<figure class="attn" data-max="0.5" markdown>\n\n{table}\n</figure>\n')
    assert ('tabindex="0"' in html) == (count > 6)
    assert ('class="attn__body attn__body--long"' in html) == (count > 8)
    assert ('class="attn__body"' in html) == (count <= 8)
    assert '<input checked="checked" name="attn-1" type="radio" value="0" />' in html
    assert html.count("<span>0.5</span>") == 1  # the end of the scale
    assert html.count("--t:100%") == 2 * count
    assert "data-h" not in html
    assert 'aria-label="Attention weights"' in html


@pytest.mark.parametrize(
    ("text", "says", "occurrence"),
    [
        (VIEW.replace(" markdown>", ">"), "this attention view stays a text: `markdown` is", 1),
        (VIEW.replace('"b"', '"c"'), "this attention view: its data-query 'c' is none of a, b", 1),
        (VIEW + VIEW.replace('"b"', '"c"'), "this attention view: its data-query 'c'", 2),
        ("<figure>\n</figure>\n\n" + VIEW.replace("0.8", "0.9"), "this attention view: the ", 1),
    ],
)
def test_a_fault_is_found_by_its_words(text: str, says: str, occurrence: int) -> None:
    with pytest.raises(Fault) as error:
        convert(text)
    assert str(error.value).startswith(says)
    assert error.value.words.startswith('<figure class="attn')
    assert error.value.occurrence == occurrence


def view(tokens: list[str], row: str) -> str:
    rows = "".join(f"| {token} | {row} |\n" for token in tokens)
    head = f"| | {' | '.join(tokens)} |\n|{' --- |' * (len(tokens) + 1)}\n"
    return f'<figure class="attn" markdown>\n\n{head}{rows}\n</figure>\n'


@pytest.mark.parametrize("count", [1, attention_tables.MOST + 1])
def test_a_view_of_too_few_or_too_many_tokens(count: int) -> None:
    tokens = [f"t{i}" for i in range(count)]
    text = view(tokens, " | ".join(["1", *["0"] * (count - 1)]))
    with pytest.raises(Fault, match=f"expected 2 to {attention_tables.MOST} tokens, got {count}$"):
        convert(text)


def test_a_view_of_eight_heads_and_no_more_named_with_markup() -> None:
    head, matrix = view(["a*b*", "c"], "1 | 0").split("markdown>")
    matrix, end = matrix.split("</figure>")
    names = [f"**Head {i} `of`**" for i in range(attention_tables.HEADS)]
    text = head + "markdown>" + "".join(f"\n\n{name}\n{matrix}" for name in names)
    html = convert(text + "</figure>" + end)
    assert "Attention weights of Head 0 of" in html
    assert "ab attends most to itself" in re.sub(r"<[^>]+>", "", html)
    with pytest.raises(Fault, match="it has 9 tables: expected at most 8"):
        convert(text + f"\n\n**One more**\n{matrix}</figure>\n")


def test_a_view_without_a_table() -> None:
    with pytest.raises(Fault) as raised:
        convert('<figure class="attn" markdown>\n\nWords.\n\n</figure>\n')
    assert str(raised.value) == "this attention view: it has no table"


@pytest.mark.parametrize(
    ("row", "right"),
    [
        ("0.5 | 0.5", True),
        ("0.33 | 0.66", True),  # two numbers may be off by 0.005 each
        ("0.33 | 0.65", False),
        ("0.333 | 0.666", True),
        ("0.3 | 0.695", False),
        ("0.9 | 0", False),
        ("0.333 | 0.665", False),
        ("0.3 | 0.6", False),  # never by more than 0.01
        ("0.3 | 0.69", True),
        ("0.3 | 0.689", False),
        ("1 | 0", True),
        ("0 | 0", True),
    ],
)
def test_a_row_adds_up_to_one_as_far_as_its_digits_say(row: str, right: bool) -> None:
    if right:
        convert(view(["a", "b"], row))
    else:
        with pytest.raises(Fault, match="not to 1"):
            convert(view(["a", "b"], row))
