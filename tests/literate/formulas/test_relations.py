"""What a relation, a sum, a column or a formula without a relation comes to."""

import pytest
import torch
from formulas_of import SQUARE, S, W, X, alone, formula

from literate.formulas.tree import Unread

ALLOWED = r"\alpha_{ij} = \frac{\exp(s_{ij})}{\sum_{n \text{ allowed}} \exp(s_{in})}"


@pytest.mark.parametrize(
    ("latex", "given", "holds"),
    [
        (r"a < b > c", {"a": 1, "b": 3, "c": 2}, True),
        (r"a < b > c", {"a": 1, "b": 3, "c": 4}, False),
        (r"a < b < c", {"a": 1, "b": 3, "c": 2}, False),
        (r"a \le b", {"a": 1, "b": 1}, True),
        (r"a \ge b", {"a": 1, "b": 1}, True),
        (r"a \le b", {"a": 2, "b": 1}, False),
        (r"a \ge b", {"a": 1, "b": 2}, False),
        (r"a < b", {"a": 1, "b": 1}, False),
        (r"a > b", {"a": 1, "b": 1}, False),
        (r"a \ne b", {"a": 1, "b": 1}, False),
        (r"a \ne b", {"a": 1, "b": 2}, True),
        (r"a = b", {"a": 1, "b": 1 + 1e-6}, True),
        (r"a = b", {"a": 1, "b": 1 + 1e-4}, False),
        (r"a = 0", {"a": 1e-7}, True),
        (r"a = 0", {"a": 1e-5}, False),
        (r"s_{i+1} = s_i + 2", {"s": [1, 3, 5, 7]}, True),
        (r"s_{i+1} = s_i + 2", {"s": [1, 3, 5, 8]}, False),
        (r"s_{i-1} = s_i - 2", {"s": [2, 3, 5, 7]}, False),
        (r"+a - \big(b - \Big(c\Big)\big) = 4", {"a": 1, "b": 2, "c": 5}, True),
        (r"\ln a = 1", {"a": torch.e}, True),
        (r"\log_2 a = 3", {"a": 8}, True),
        (r"\max_i s_i = 3", {"s": [1, 3, 2]}, True),
        (r"\min(a, b) = 1", {"a": 1, "b": 3}, True),
        (r"s_i = i", {"s": [0, 1, 2]}, True),
        (r"a = e", {"a": torch.e}, True),
        (r"a = e", {"a": 2, "e": 2}, True),
        (
            r"\frac{\partial \mathcal{L}}{\partial s_j} = L_j",
            {"dloss_ds": [1, 2], "L": [1, 2]},
            True,
        ),
        (r"\sum_j \mathbf{x}_j \cdot \mathbf{y}_j = 32", {"x": [[1], [2]], "y": [[2], [15]]}, True),
    ],
)
def test_what_a_relation_comes_to(latex: str, given: dict, holds: bool) -> None:
    assert alone(latex, **given) is holds


def test_what_a_sum_is_over_may_be_computed() -> None:
    assert formula(r"c_i = \sum_{j=i+1}^{3} s_j", c=[S[i + 1 :].sum() for i in range(3)], s=S)
    assert formula(r"c = \sum_{j < 2n} s_j", c=S[:2].sum(), s=S, n=1)
    assert not formula(r"c = \sum_{j < 1.5} s_j", c=S[0], s=S)


def test_columns_and_lines_are_formulas_of_their_own() -> None:
    numbers = {"a": 1.0, "b": 2.5, "c": 3.0}
    for beside in (r"a &= b & c &= 3", r"c &= 3 \\ -a &= b"):
        assert not formula(rf"\begin{{aligned}} {beside} \end{{aligned}}", **numbers)
    assert formula(r"\begin{aligned} & c = 3 & & b = 2.5 \\ & -a = -1 \end{aligned}", **numbers)
    assert formula(r"\begin{aligned} d &= b \\ & \quad + c \end{aligned}", d=5.5, **numbers)


def test_what_is_infinite_or_of_another_shape_is_not_held() -> None:
    assert not formula(r"\ln a = -b / a", a=0.0, b=1.0)
    assert not formula(r"X \ne \mathbf{y}", X=[[1, 2], [3, 4]], y=[1, 2])
    assert formula(r"a \ne b", a=1, b=2)


def test_a_value_has_a_name_before_a_function_has() -> None:
    assert formula(r"2 \text{max} (a + b) = y", y=30.0, max=3.0, a=1.5, b=3.5)


def test_a_softmax_of_large_scores() -> None:
    scores = torch.tensor([[1000.0, 999.0]])
    assert alone(r"P = \operatorname{softmax}(S)", P=scores.softmax(dim=-1), S=scores) is True


def test_without_a_relation_it_has_a_value() -> None:
    assert formula(r"n(n + 1)/2", n=9) == 45
    assert formula(r"n(n + 1)/2", {"n": 3}, {"n": 9}) == [6, 45]
    assert formula(r"a \quad\text{and}\quad a^2.", a=3) == [3, 9]
    assert formula(r"s_{ij} - s_{ji}", s=[[1, 2], [5, 4]]) == [[0, -3], [3, 0]]
    assert formula(r"2 \mathbf{x}_j", x=[[1, 2], [3, 4]]) == [[[2, 4]], [[6, 8]]]


def test_only_for_these_indices() -> None:
    may = torch.ones(4, 4, dtype=torch.bool).tril()
    alpha = SQUARE.masked_fill(~may, -torch.inf).softmax(dim=-1)
    given = {"alpha": alpha, "s": SQUARE, "allowed": lambda i, n: may[i, n]}
    assert formula(ALLOWED, **given) is False
    assert formula(ALLOWED, **given, where=lambda i, j: may[i, j]) is True
    with pytest.raises(Unread, match="no value"):
        formula(ALLOWED, **given, where=lambda i, j: False)
    with pytest.raises(Unread, match="no index"):
        formula(ALLOWED, **given, where=lambda i, k: may[i, k])
    with pytest.raises(Unread, match="allowed asks for k, which is no index"):
        formula(ALLOWED, **given | {"allowed": lambda i, k: may[i, k]})
    with pytest.raises(Unread, match="no condition is given for allowed"):
        formula(ALLOWED, alpha=alpha, s=SQUARE)
    two = ALLOWED + r" \qquad z_i = \sum_l s_{il}"  # the second has no j: it holds for all
    given["z"] = SQUARE.sum(dim=1)
    assert formula(two, **given, where=lambda i, j: may[i, j]) is True
    given["z"] = given["z"] + torch.tensor([0, 0, 0, 1])
    assert formula(two, **given, where=lambda i, j: may[i, j]) is False
    with pytest.raises(Unread, match="i for j|j for i"):  # asked of neighbours as well
        formula(r"s_{ij} = 2 t_{ij}", s=SQUARE, t=SQUARE / 2, where=lambda i, j: i == j)


def test_vectors_as_columns() -> None:
    with pytest.raises(Unread, match="times"):
        formula(r"\mathbf{y} = W \mathbf{x}", y=W @ X[0], W=W, x=X[0])
    assert formula(r"\mathbf{y} = W \mathbf{x}", y=W @ X[0], W=W, x=X[0], columns=True)
