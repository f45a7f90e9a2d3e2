"""What the site says of notation that is broken."""

import pytest
from notation import PREDICTION, convert

from literate.extensions.fault import Fault


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
