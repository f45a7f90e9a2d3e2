"""A claim whose value is a text: the words before it must be that text."""

import pytest
from helpers import failures

PAGE = """```python
ends = ["first", "last"]
name = "in_proj_weight"
```

{}
"""


@pytest.fixture
def said(pytester: pytest.Pytester):
    """What fails of a sentence below a block that names two ends."""

    def said(sentence: str) -> list[str]:
        page = pytester.makefile(".md", page=PAGE.format(sentence))
        return failures(pytester.inline_run("-q", "--markdown-docs", "-p", "literate.runner", page))

    return said


@pytest.mark.parametrize(
    "sentence",
    [
        "It is the first<!--= ends[0] -->.",
        "First<!--= ends[0] --> it is asked.",
        "It is **the last**<!--= 'the ' + ends[1] -->.",
        "It is the [last](https://book.example/first)<!--= ends[1] -->.",
        "It is the\nlast<!--= 'the ' + ends[1] -->.",
        "The first<!--= ends[0] --> is before the last<!--= ends[1] -->.",
        "It is `in_proj_weight`<!--= name -->.",
    ],
)
def test_the_words_are_the_text(said, sentence: str) -> None:
    assert said(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("It is the last<!--= ends[0] -->.", "the page says 'last', but ends[0] is 'first'"),
        ("It is thefirst<!--= ends[0] -->.", "the page says 'thefirst'"),
        ("It is the first one<!--= ends[0] -->.", "the page says 'one'"),
        ("The first<!--= ends[0] -->, and<!--= ends[0] -->.", "the page says 'and'"),
        ("The first.\n\nIs<!--= ends[0] -->.", "the page says 'Is'"),
        ("It is [last](first)<!--= ends[0] -->.", "the page says 'last'"),
        ("It is not first<!--= ends[0] -->.", "the page says 'first', but ends[0] is 'first'"),
        ("It is the all-first<!--= ends[0] -->.", "the page says 'all-first'"),
        ("It is the FIRST<!--= ends[0] -->.", "the page says 'FIRST'"),
        ("It is the<!--= ends[0][5:] -->.", "the page says 'the', but ends[0][5:] is ''"),
    ],
)
def test_other_words_are_not(said, sentence: str, says: str) -> None:
    first, *_ = said(sentence)
    assert says in first


@pytest.mark.parametrize(
    "typed",
    ["'fi' + 'rst'", "f'{1}st'.replace('1', 'fir')", "''.join(c for c in 'first')", "'first' * 1"],
)
def test_a_text_that_is_typed_again_checks_nothing(said, typed: str) -> None:
    assert any(f"{typed} types its text" in one for one in said(f"It is first<!--= {typed} -->."))


def test_a_text_that_is_chosen_whatever_the_page_finds_checks_nothing(said) -> None:
    for typed in ("['first', ends][0]", "'first' if ends else 'first'"):
        assert any("checks nothing" in one for one in said(f"It is first<!--= {typed} -->."))


@pytest.mark.parametrize(
    "found", ["'first' if ends[1] == 'last' else 'last'", "f'{ends[0]}'", "min(ends)"]
)
def test_a_text_of_the_page_may_be_put_together(said, found: str) -> None:
    assert said(f"It is first<!--= {found} -->.") == []
