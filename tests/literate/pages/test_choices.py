"""The right choice of a prediction is shown to be right, once its answer has been computed."""

import re
from pathlib import Path

import pytest
from helpers import failures, page

from literate.pages.choices import undecided
from literate.pages.page import Page

BOX = """# Page

```python
numbers = [1, 2, 3]
```

!!! predict "What do they sum to?"

    - ( ) Five: one is left out.
    - (x) Six{right}: all three.
    - ( ) More{wrong}: nothing else comes in.

```python
total = sum(numbers)
```
"""


def found(right: str = "", wrong: str = "") -> list[str]:
    it = page(BOX.replace("{right}", right).replace("{wrong}", wrong))
    return [message for _, message in undecided(it.prose, it.predictions, it.checks)]


def test_the_right_choice_needs_a_check_in_its_words() -> None:
    assert found("<!--= total == 6 -->") == []
    assert found(" or 6<!--= total -->") == []
    (message,) = found()
    assert message.startswith("nothing shows that this choice is right")
    assert len(found(": since it is 6<!--= total -->")) == 1  # in the answer
    assert found(": a run gave it<!-- source: somewhere -->") == []


@pytest.mark.parametrize(
    "colon", ["`a: b`", "$a: b$", "<!-- a: b -->", "<!--= (lambda: 6)() == 6 -->"]
)
def test_a_colon_in_code_ends_no_words(colon: str) -> None:
    assert found(f"{colon}<!--= total == 6 -->") == []


def test_a_wrong_choice_is_not_said_to_be_true() -> None:
    (message,) = found("<!--= total == 6 -->", "<!--= total > 5 -->")
    assert message == "total > 5 stands in the words of a wrong choice"


def test_among_numbers_a_number_decides_nothing() -> None:
    (message,) = found(" or 6<!--= total -->", " or 9<!--= total + 3 -->")
    assert message.startswith("another choice has a number too")
    assert found(" or 6<!--= total -->, all<!--= total == 6 -->", " or 9<!--= total + 3 -->") == []


def test_predictions_are_told_apart() -> None:
    it = page(BOX.replace("{right}", "").replace("{wrong}", "") * 2)
    assert [[choice.right for choice in one] for one in it.predictions] == 2 * [
        [False, True, False]
    ]
    lines = it.text.split("\n")
    for choice in it.predictions[1]:
        words = it.text[choice.start : choice.colon]
        assert words in ("Five", "Six", "More")
        assert f") {words}:" in lines[choice.line - 1]


def test_it_is_asked_behind_the_block_that_answers(run) -> None:
    right = BOX.replace("{wrong}", "")
    assert failures(run(right.replace("{right}", "<!--= total == 6 -->"))[0]) == []
    message = failures(run(right.replace("{right}", "<!--= total > 6 -->"))[0])[0]
    assert "page.md:10: the claim total > 6 is False" in message
    # Any other check is asked where it stands.
    early = right.replace("{right}", "<!--= total == 6 -->")
    message = failures(run(early.replace("all three", "all six<!--= total == 6 -->"))[0])[0]
    assert "NameError" in message


def test_only_the_check_of_a_right_choice_waits() -> None:
    text = BOX.replace("{right}", "<!--= numbers -->: at once<!--= numbers -->")
    it = page(text.replace("{wrong}", " or 3<!--= len(numbers) -->"))
    assert [check.line for check in it.checks] == [10, 10, 11]
    assert [check.asked for check in it.checks] == [15, 10, 11]
    assert [type(step).__name__ for step in it.steps] == [
        "Block",
        "Check",
        "Check",
        "Block",
        "Check",
    ]


@pytest.mark.parametrize("kind", ["notest", "exercise"])
def test_a_block_that_does_not_run_answers_nothing(kind: str) -> None:
    text = BOX.replace("{right}", "<!--= numbers -->").replace("{wrong}", "")
    box, _, block = text.rpartition("```python")
    it = page(f"{box}```python {{.{kind}}}\nother = 1\n```\n\n```python{block}")
    (check,) = it.checks
    assert it.text.split("\n")[check.asked - 2] == "total = sum(numbers)"


def test_every_choice_of_the_book_is_decided() -> None:
    boxes = 0
    for path in sorted(Path("docs").rglob("*.md")):
        it = Page.read(path)
        boxes += len(it.predictions)
        assert [*undecided(it.prose, it.predictions, it.checks)] == [], path
        marks = re.findall(r"^ *[-*] \(x\) ", it.prose, re.M)
        assert len(marks) == len(it.predictions)
    assert boxes > 100
