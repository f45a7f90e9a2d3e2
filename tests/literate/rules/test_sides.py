"""A value lies on the side of a number that the words before it say."""

import pytest
from helpers import failures

from literate.rules.sides import beyond, unsided


@pytest.mark.parametrize(("words", "printed", "unit", "value", "side"), [
    ("It is more than ", "0.9", "", 0.88346, "more than"),
    ("It is at least **", "4.5", "", 4.487, "at least"),
    ("It is no\nless than ", "90", " %", 0.8951, "no less than"),
    ("It is up to ", "0.18", "", 0.18451, "up to"),
    ("It is less than ", "90", "%", 0.9049, "less than"),
    ("Fewer than ", "3", "×", 3.2, "fewer than"),
    ("At<!-- a word --> most ", "12,288", "", 12288.4, "at most"),
    ("It is not more than ", "−0.9", "", -0.88346, "not more than"),
    ("It is more than ", "0.9", "", 0.9, ""),
    ("It is more than ", "0.9", "", 0.91, ""),
    ("It is more than ", "0.9", "", 0.8999999, ""),  # as float32 has it
    ("It is no more than ", "0.9", "", 0.88, ""),
    ("It is not less than ", "0.9", "", 0.91, ""),
    ("It is up to ", "0.9", "", 0.88, ""),
    ("It is more than twice ", "0.9", "", 0.88, ""),
    ("It is more than\n\n", "0.9", "", 0.88, ""),
    ("The furthermore than ", "0.9", "", 0.88, ""),
    ("It is above ", "0.9", "", 0.88, "above"),
    ("It is over ", "0.9", "", 0.88, "over"),
    ("It is longer than ", "0.9", "", 0.88, "longer than"),
    ("It is below ", "0.9", "", 0.91, "below"),
    ("It is under ", "0.9", "", 0.91, "under"),
    ("It exceeds ", "0.9", "", 0.88, "exceeds"),
    ("It is short of ", "0.9", "", 0.91, "short of"),
    ("It is no smaller than ", "0.9", "", 0.88, "no smaller than"),
])  # fmt: skip
def test_a_value_lies_on_the_side_that_the_words_say(
    words: str, printed: str, unit: str, value: float, side: str
) -> None:
    assert beyond(words, printed, unit, value) == side


@pytest.mark.parametrize(("words", "expression", "side"), [
    ("It is more than ", "x", "more than"),
    ("It is at least ", "x.max()", "at least"),
    ("It is at least ", "x.min()", ""),
    ("It is at least ", "torch.amin(x).item()", ""),
    ("It is more than ", "x // 1", ""),
    ("It is more than ", "x.min()", "more than"),  # which is at least that
    ("It is less than ", "max(x)", "less than"),
    ("It is more than ", "x // 2", "more than"),
    ("It is more than ", "(lambda y: y.floor())(x)", ""),
    ("It is less than ", "x // 1", "less than"),
    ("It is no more than ", "x // 1", "no more than"),
    ("It is no more than ", "x.ceil()", ""),
    ("It is up to ", "max(x)", ""),
    ("It is up to ", "min(x)", "up to"),
    ("It is under ", "x", "under"),
    ("The mean over ", "x", ""),  # across them
    ("It is ", "x", ""),
])  # fmt: skip
def test_of_a_number_that_is_the_value_the_expression_tells_the_side(
    words: str, expression: str, side: str
) -> None:
    assert unsided(words, "20", "", 20.0, expression) == side
    assert not unsided(words, "20", "", 20.4, expression)


def test_a_side_that_nothing_tells_fails_at_its_line(run) -> None:
    text = "# Page\n\n```python\nx = 20\n```\n\nMore than 20<!--= x -->.\n"
    said = "page.md:7: the page says more than 20, but x is 20: let it ask for more than in a claim"
    assert said in failures(run(text)[0])[0]


def test_a_value_on_the_other_side_fails_at_its_line(run) -> None:
    text = "# Page\n\n```python\nx = 0.88346\n```\n\nMore than 0.9<!--= x -->.\n"
    said = "page.md:7: the page says more than 0.9, but x is 0.88346"
    assert said in failures(run(text)[0])[0]
    assert said in failures(run(text, "--update-docs")[0])[0]
