"""Which words of a page describe it."""

import pytest

from literate.extensions.description import LONGEST, described

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
