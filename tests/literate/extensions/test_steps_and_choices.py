"""Steps and exercises are numbered, and a prediction answers."""

import re

import pytest
from notation import PREDICTION, convert, plain

from literate.extensions.fault import Fault


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
