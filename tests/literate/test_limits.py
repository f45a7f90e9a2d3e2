"""Descriptions at their limits, names in their hues, and what faults say in full."""

import re
import threading
from pathlib import Path

import pytest
from test_extensions import PREDICTION, convert

from literate.extensions import attention_tables, maths
from literate.extensions.description import LONGEST, SHORTEST, described
from literate.extensions.fault import Fault


def sentence(length: int) -> str:
    return "A" + "a" * (length - 2) + "."


def test_sentences_are_taken_as_long_as_they_fit() -> None:
    assert (SHORTEST, LONGEST) == (50, 160)
    first = sentence(SHORTEST)
    assert described(f"{first} {sentence(109)} More.") == f"{first} {sentence(109)}"
    assert described(f"{first} {sentence(110)} More.") == first
    # Not a later one in the place of one that is too long.
    assert described(f"{sentence(60)} {sentence(100)} {sentence(20)}") == sentence(60)


def test_too_short_a_sentence_is_not_enough() -> None:
    short, rest = sentence(SHORTEST - 1), "b" * 200
    assert described(f"{short} {rest}") == f"{short}…"
    assert described(f"{sentence(SHORTEST)} {rest}") == sentence(SHORTEST)


def test_words_are_cut_to_the_limit() -> None:
    assert described("ab " * 53) == " ".join(["ab"] * 53)
    assert described("ab " * 54) == " ".join(["ab"] * 53) + "…"
    assert described("abcd " * 40) == " ".join(["abcd"] * 31) + "…"
    assert described("a " * 79 + "bc") == " ".join(["a"] * 79) + "…"  # 160 characters


def test_the_limit_is_160_characters_and_no_comma_stands_before_the_dots() -> None:
    assert described("a" * 79 + " " + "b" * 79 + " c") == "a" * 79 + "…"
    assert described("a" * 79 + " " + "b" * 78 + ", c") == "a" * 79 + "…"
    assert described("a" * 79 + ",;: " + "b" * 100) == "a" * 79 + "…"
    assert described("a" * 79 + " " + "b" * 80 + " c") == "a" * 79 + "…"
    assert described("a " * 79 + "c") == "a " * 79 + "c"
    assert described("a " * 80) == ("a " * 80).strip()


def test_a_page_without_a_heading_or_words_has_no_description() -> None:
    assert "data-description" not in convert("Only words.\n")
    assert convert("# Only a title\n").startswith("<h1 id=")


def test_the_lede_is_described_and_else_the_first_paragraph() -> None:
    text = "# Title\n\nFirst words.\n\nSecond words.\n"
    assert 'data-description="First words."' in convert(text)
    lede = text.rstrip() + "\n{ .lede }\n"
    assert 'data-description="Second words."' in convert(lede)


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


# --- faults, in full


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            PREDICTION.replace("(x)", "( )"),
            "a prediction is one list whose items begin with ( ), and one of them with (x)",
        ),
        (
            PREDICTION.replace(": it is.", ""),
            "a choice needs an answer: ( ) the choice: what is said to it",
        ),
        (
            "# T\n\n## One { .step }\n",
            "a numbered heading needs a chapter: # Title { data-chapter=1 }",
        ),
        (
            "<div>0.5<!--= x --></div>\n",
            "this check stays a comment: `markdown` is missing in the tag around it",
        ),
        (
            r"$\mathbf{q}_{$",
            r"this formula is not TeX: Expected '}', got 'EOF' at end of input: \mathbf{q}_{",
        ),
    ],
)
def test_what_a_fault_says(text: str, says: str) -> None:
    with pytest.raises(Fault) as raised:
        convert(text)
    assert str(raised.value) == says


def test_a_question_is_named_without_its_markup() -> None:
    broken = PREDICTION.replace("Which?", "Which *one*, or `b`?").replace("(x)", "( )")
    with pytest.raises(Fault) as raised:
        convert(broken)
    assert raised.value.words == "Which one, or b?"


def test_an_answer_may_end_in_markup_and_a_heading_begin_with_it() -> None:
    html = convert(PREDICTION.replace("it is.", "it *is*"))
    assert "<b>Yes: </b>it <em>is</em></span>" in html
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


def test_without_katex_a_formula_says_what_sets_it_up(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(maths, "MODULES", tmp_path)
    monkeypatch.setattr(maths, "ENGINES", threading.local())
    with pytest.raises(FileNotFoundError) as raised:
        maths.render("x + 1000001", display=False)
    script = tmp_path / "katex/dist/katex.min.js"
    assert str(raised.value) == f"{script} is not there: `make site` sets it up"


def test_katex_starts_once(monkeypatch) -> None:
    maths.render("x + 1000002", display=False)
    before = maths.ENGINES.context
    maths.render("x + 1000003", display=False)
    assert maths.ENGINES.context is before


# --- attention tables


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
