"""All of the notation on one page, element for element."""

import re
from pathlib import Path

import pytest
from notation import PREDICTION, convert


def test_the_notation_becomes_this_html() -> None:
    """`notation.html` is read when it changes: it is what the style sheets are written for."""
    here = Path(__file__)
    html = convert(here.with_name("notation.txt").read_text("utf-8"))
    html = re.sub(r"<math.*?</math>", "<math/>", html, flags=re.S)  # KaTeX's own
    lines = re.sub(r"(?<!^)(<(?!/))", r"\n\1", html) + "\n"
    assert lines == here.with_name("notation.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("query", "q Q query queries"),
        ("key", "k K key keys"),
        ("value", "v V value values"),
        ("weight", "weights weight"),
    ],
)
def test_each_name_has_the_hue_of_its_part(role: str, names: str) -> None:
    for name in names.split():
        html = convert(f"`{name}` and **{name}**\n\n```python\n{name}\n```\n")
        assert f'<code class="{role}">{name}</code>' in html
        assert f'<strong class="{role}">{name}</strong>' in html
        assert f'<span class="n {role}">{name}</span>' in html


def test_short_code_stays_on_one_line_with_its_mark() -> None:
    html = convert("A shape `(T, D)`, a name `scores` and `(batch, heads, queries, keys)`.\n")
    assert '<span class="bound"><code>(T, D)</code>,</span> a name <code>scores</code>' in html
    assert "and <code>(batch, heads, queries, keys)</code>." in html
    assert html.count("bound") == 1
    assert "bound" not in convert("```python\nx = 1\n```\n\n```text {.output}\n1 2\n```\n")


def test_a_long_name_goes_on_behind_a_dot() -> None:
    names = ["torch.nn.attention.bias", "attention/positions/rotary.py", "F.scaled_dot_product_all"]
    for name in names:
        assert f"<code>{name}</code>" in convert(f"`{name}`\n")
    html = convert("`torch.nn.attention.sdpa_kernel(0.5)`\n")
    assert "<code>torch.nn.<wbr>attention.<wbr>sdpa_kernel(0.5)</code>" in html


def test_an_answer_may_end_in_markup_and_a_heading_begin_with_it() -> None:
    html = convert(PREDICTION.replace("it is.", "it *is*"))
    assert "<b>Right: </b>it <em>is</em></span>" in html
    heading = convert("# T { data-chapter=1 }\n\n## `b` or *c* d { .step }\n")
    number = '<h2 class="step" id="b-or-c-d"><span class="step__n">1.1</span> <code>b</code>'
    assert number in heading


def test_an_output_without_a_block_and_a_record_without_a_device() -> None:
    assert convert("```text {.output}\n1\n```\n").strip() == (
        '<div class="output output--checked"><span class="output__mark">checked</span>'
        "<pre><code>1</code></pre></div>"
    )
    html = convert("```python {.gpu}\nx\n```\n\n```text {.output}\n1\n```\n")
    assert '<span class="output__mark">recorded on a GPU</span>' in html


def test_two_choices_in_one_box_of_which_one_marks_its_own_words() -> None:
    html = convert(PREDICTION.replace("This *one*", "This (x) one").replace("no, ", "no (x) "))
    assert "This (x) one" in html
    assert "no (x) " in html
