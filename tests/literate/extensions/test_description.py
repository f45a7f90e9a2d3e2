"""Which words of a page describe it."""

import pytest
from notation import convert

from literate.extensions.description import LONGEST, SHORTEST, described

LONG = "A sentence that goes on, and on, and on, and does not end " + "again " * 30 + "here."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Short.", "Short."),
        ("One sentence of\nmore than fifty characters, all told. " + LONG,
         "One sentence of more than fifty characters, all told."),
        ("Is it “this?” Or that, which is long enough to be said on its own? Yes.",
         "Is it “this?” Or that, which is long enough to be said on its own? Yes."),
        (r"Why is the sum of the products of two vectors divided? By \(d\), or not.",
         "Why is the sum of the products of two vectors divided?"),
    ],
)  # fmt: skip
def test_whole_sentences_that_fit(text: str, says: str) -> None:
    assert described(text) == says


def test_a_long_sentence_is_cut_at_a_word() -> None:
    said = described(LONG)
    assert len(said) <= LONGEST
    assert said.endswith("again…")
    assert described(r"Short. And then \(x\) comes.") == "Short. And then"


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
    # Of 160 characters, and no comma before the dots.
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
