"""What is not in the notation is refused, and what is wrong is named."""

import pytest
import torch
from formulas_of import X, Y, formula

from literate.formulas.tokens import signs
from literate.formulas.tree import Reader, Unread

NOT_CLEAR = "whether {} is of '{}' too is not clear"


@pytest.mark.parametrize(
    ("latex", "given", "said"),
    [
        (r"a = b", {"a": 1}, "no value is given for b"),
        (r"a = \frac{1}{2", {"a": 1}, "'}' is missing before 'the end'"),
        (
            r"a / b c",
            {"a": 1, "b": 2, "c": 3},
            "what the fraction before 'c' ends with is not clear",
        ),
        (
            r"a / b / c",
            {"a": 1, "b": 2, "c": 3},
            "what the fraction before '/' ends with is not clear",
        ),
        (r"a \oplus b", {"a": 1, "b": 2}, "'\\\\oplus' is not read"),
        (r"a = )", {"a": 1}, "')' is not read"),
        (r"a =", {"a": 1}, "it ends too early"),
        (
            r"\mathbf{x} \cdot \mathbf{y}",
            {"x": [1, 2], "y": [1, 2, 3]},
            "no vectors of one size: (1, 2) and (1, 3)",
        ),
        (r"X + Y", {"X": [[1, 2]], "Y": [[1], [2]]}, "(1, 2) and (2, 1) are not added"),
        (r"X^2", {"X": [[1, 2], [3, 4]]}, "only a number has a power, and is one"),
        (r"1 / X", {"X": [[1, 2], [3, 4]]}, "only a number divides"),
        (r"x_{ij}", {"x": [1, 2]}, "x has 1 axes, and 2 indices"),
        (r"x", {"x": torch.ones(2, 2, 2)}, "x has 3 axes where it stands"),
        (r"s_i = t_i", {"s": [1, 2], "t": [1, 2, 3]}, "i stands at 2 values, and at 3"),
        (r"\mathbf{a} = 1", {"a": 1}, "a is a number, and bold"),
        (r"a = 1", {"a": [1, 2]}, "a is a vector, and not bold"),
        (r"a = {b + 1}^2", {"a": 1, "b": 0}, "braces are not seen: write brackets"),
        (r"a = x^10", {"a": 1, "x": 1}, "only the first digit of 10 is placed: write braces"),
        (
            r"a = s_10",
            {"a": 1, "s": [1] * 11},
            "only the first digit of 10 is placed: write braces",
        ),
        (r"a = M_{2i}", {"a": 1, "M": X}, "2i in a subscript is a product: write a comma"),
        (r"a = s_{i+j}", {"a": 1, "s": [1]}, "'j' is no step of an index"),
        (r"a = s_{i", {"a": 1, "s": [1]}, "'the end' in a subscript is not read"),
        (r"a = s_+", {"a": 1, "s": [1]}, "'+' in a subscript is not read"),
        (
            r"a = \sum_{j \ne 0}^{2} s_j",
            {"a": 1, "s": [1, 2, 3]},
            "a sum up to a number begins at one",
        ),
        (r"s_j = \sum_j s_j", {"s": [1, 2]}, "j is free, and that of a sum"),
        (r"a = \sum_j b", {"a": 1, "b": 1}, "nothing stands at j"),
        (r"a = \sin_i b", {"a": 1, "b": 1}, "'_' is not read"),
        (r"a = \log b", {"a": 1, "b": 1}, "'_' is missing before 'b'"),
        (r"a = \exp b c", {"a": 1, "b": 1, "c": 1}, "whether \\exp is of 'c' too is not clear"),
        (r"a = \ln b / c", {"a": 1, "b": 1, "c": 1}, "whether \\ln is of '/' too is not clear"),
        (r"a = b \/ c", {"a": 1, "b": 1, "c": 1}, "'\\\\/' is not read"),
        (r"M^{-1}", {"M": torch.ones(2, 2)}, "it has no inverse"),
        (r"M^{-1}", {"M": torch.ones(2, 3)}, "it has no inverse"),
        (
            r"\frac{\partial a^2}{\partial b}",
            {"a": 1, "b": 1},
            "only a name has a slope, for a name",
        ),
        (r"\operatorname{softmax}(a)", {"a": 1}, "the softmax of a column, or of a number, is 1"),
        (r"|a|", {"a": 1}, "only a vector has a length"),
        (r"a^X", {"a": 1, "X": X}, "only a number has a power, and is one"),
        (r"X \cdot Y", {"X": X, "Y": Y}, "no vectors of one size: (4, 3) and (4, 3)"),
        (
            r"a = s_{9}",
            {"a": 1, "s": [1]},
            "it is not read: IndexError('index 9 is out of bounds for axis 0 with size 1')",
        ),
        (
            r"a = \sum_{j=0}^{9} s_j",
            {"a": 1, "s": [1]},
            "it is not read: IndexError('index 1 is out of bounds for axis 0 with size 1')",
        ),
        (
            r"a = \exp(b, c)",
            {"a": 1, "b": 1, "c": 1},
            "exp is of one, and 2 are given",
        ),
        (r"a = \partial b", {"a": 1, "b": 1}, "it is not read: KeyError('change')"),
        (r"1 + 2 \ \text{becomes}\ 3", {}, "only a name becomes something"),
        (r"\sum_{j < 0} s_j = 0", {"s": [1, 2]}, "j has no value"),
        (r"x_{1.5} = 3", {"x": [1, 3]}, "'1.5' in a subscript is not read"),
        (r"c = \sum_{j=0.5}^{1} s_j", {"c": 3, "s": [1, 2]}, "a sum from 0.5 to 1 is not read"),
        (
            r"c = \sum_{j=0}^{n/2} s_j",
            {"c": 1, "s": [1, 2], "n": 1},
            "a sum from 0 to 0.5 is not read",
        ),
        (r"c = \sum_{j=0}^{1} s_{j-1}", {"c": 3, "s": [1, 2]}, "nothing stands at -1"),
        (r"a \text{ } = b \text{} )", {"a": 1, "b": 1}, "')' is not read"),
        (r"n = 1\,024", {"n": 24}, "a number before 024 is seen as one with it"),
        (r"n = 2 3", {"n": 6}, "a number before 3 is seen as one with it"),
        (r"y = x^(a)", {"y": 1, "x": 1, "a": 1}, "'(' without braces is not read"),
        (r"y = x^", {"y": 1, "x": 1}, "'the end' without braces is not read"),
        (r"y_i = x^a_i", {"y": [1], "x": 1, "a": [1]}, "'_' is not read"),
        (r"y = \exp a \cdot b", {"y": 1, "a": 0, "b": 1}, NOT_CLEAR.format(r"\exp", r"\\cdot")),
        (r"y = \max_l s_l b", {"y": 1, "s": [1], "b": 1}, NOT_CLEAR.format(r"\max", "b")),
        (r"y = \mathcal{A} + A", {"y": 2, "A": 1}, "no value is given for A_cal"),
        (r"y = x_{2-1}", {"y": 1, "x_2": 1}, "no value is given for x"),
        (r"y = \log_2(a, b)", {"y": 1, "a": 2, "b": 2}, "log is of one, and 2 are given"),
        (
            r"\begin{aligned} a &= b \quad c &= 6 \end{aligned}",
            {"a": 6, "b": 2, "c": 3},
            "'\\\\quad' is not read",
        ),
        (
            r"\begin{aligned} a &= b \qquad c &= 6 \end{aligned}",
            {"a": 6, "b": 2, "c": 3},
            "'=' is not read",
        ),
    ],
)
def test_what_is_not_in_the_notation_says_so(latex: str, given: dict, said: str) -> None:
    with pytest.raises(Unread) as told:
        formula(latex, **given)
    assert str(told.value) == said


def test_a_product_of_letters_and_a_call() -> None:
    assert Reader(signs("g(x)"), ()).all() == [
        ("times", ("name", "g", [], False), ("name", "x", [], False))
    ]
    assert Reader(signs("g(x)"), {"g"}).all() == [("call", "g", None, ("name", "x", [], False))]
