"""A formula of a page is computed, and none that is nearly the same may hold as well."""

import math
import re
from pathlib import Path

import pytest
import torch

from literate.formulas import check, held
from literate.formulas.tokens import signs
from literate.formulas.tree import Reader, Unread
from literate.pages.page import Page, PageError
from literate.rules.guards import uncomputed

S = torch.tensor([0.3, -1.2, 0.8, 0.1])
A = S.softmax(dim=0)
SQUARE = torch.randn(4, 4, generator=torch.Generator().manual_seed(0))
X, Y = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(1))
W = torch.randn(3, 3, generator=torch.Generator().manual_seed(2))


def formula(latex: str, *cases: dict, **given: object) -> object:
    """What a check says that asks for the formula with these values."""
    return held(latex, lambda formula: formula(*cases, **given))


def alone(latex: str, **given: object) -> object:
    """What the formula comes to, without asking its neighbours."""
    return check.formula(signs(latex), **given)


def gates(s, new):
    cell = [torch.tensor(0.5)]
    for t in range(1, len(s)):
        cell.append(s[t].sigmoid() * cell[-1] + new[t])
    return torch.stack(cell)


GATED = r"""
\begin{aligned}
& \text{cell}_t = \text{gate}_t \cdot \text{cell}_{t-1} + \text{new}_t \\
& \text{gate}_t = \frac{1}{1 + \exp(-s_t)}
\end{aligned}
"""
NOT_CLEAR = "whether {} is of '{}' too is not clear"
ALLOWED = r"\alpha_{ij} = \frac{\exp(s_{ij})}{\sum_{n \text{ allowed}} \exp(s_{in})}"
HOLD = [
    (r"\alpha_j = \frac{\exp(s_j)}{\sum_l \exp(s_l)}", {"alpha": A, "s": S}),
    (r"\alpha_j = \frac{\exp(s_j)}{\sum_{l=0}^{3} \exp(s_l)}", {"alpha": A, "s": S}),
    (
        r"\alpha^{(2)}_{ij} = \sum_{l} \alpha_{il} \, \alpha_{lj}",
        {"alpha2": SQUARE @ SQUARE, "alpha": SQUARE},
    ),
    (r"\mathbf{q} = \mathbf{x} W_q", {"q": X[0] @ W, "x": X[0], "W_q": W}),
    (r"m' = \max_l s_l", {"m_prime": S.max(), "m": 0.2, "s": S}),
    (r"c = \cos(a) + \ln b", {"c": math.cos(0.3) + math.log(0.7), "a": 0.3, "b": 0.7}),
    (r"c = \sqrt{a} - b", {"c": 0.8, "a": 2.25, "b": 0.7}),
    (r"\alpha_{i,j} = s_{j,i}", {"alpha": SQUARE.T, "s": SQUARE}),
    (r"s_{ij} = \mathbf{x}_i \cdot \mathbf{y}_j", {"s": X @ Y.T, "x": X, "y": Y}),
    (r"s_{ij} = \mathbf{x}_i \mathbf{y}_j^\top", {"s": X @ Y.T, "x": X, "y": Y}),
    (r"M = (W^{-\top})^\top", {"M": W.inverse(), "W": W}),
    (r"|\mathbf{a} - \mathbf{b}|^2 = c", {"c": (X[0] - X[1]).square().sum(), "a": X[0], "b": X[1]}),
    (r"c = \lVert \mathbf{a} \rVert", {"c": X[0].norm(), "a": X[0]}),
    (
        r"\operatorname{f}(X) = \operatorname{softmax}(X X^\top / \sqrt{d})\, X",
        {"d": 3, "X": X, "f": lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x)},
    ),
    (
        r"s \ \text{becomes}\ c \tanh(s / c)",
        {"s_new": 2 * torch.tensor(0.6).tanh(), "s": 1.2, "c": 2.0},
    ),
    (
        r"\tilde{\alpha}_j = \frac{m_j}{1 - p}\, \alpha_j",
        {"alpha_tilde": A * 2, "m": torch.ones(4), "alpha": A, "p": 0.5},
    ),
    (
        r"\frac{\partial \alpha_j}{\partial s_j} = \alpha_j (1 - \alpha_j)",
        {"dalpha_ds": A.diag() - A.outer(A), "alpha": A},
    ),
    (
        r"\partial \alpha_j / \partial s_j = \alpha_j - \alpha_j^2",
        {"dalpha_ds": A.diag() - A.outer(A), "alpha": A},
    ),
    (r"y = \log_2 x + \ln x", {"y": torch.tensor(5.0).log2() + torch.tensor(5.0).log(), "x": 5.0}),
    (r"y = e^{x \ln a}", {"y": 3**1.5, "x": 1.5, "a": 3.0}),
    (
        r"[\mathbf{a} \;\; \mathbf{b}]\, W = \mathbf{a} W_0 + \mathbf{b} W_1",
        {
            "W": SQUARE.repeat(2, 1)[:6],
            "a": X[0],
            "b": X[1],
            "W_0": SQUARE.repeat(2, 1)[:3],
            "W_1": SQUARE.repeat(2, 1)[3:6],
        },
    ),
    (r"\sum_{j \ne i} s_{ij} = z_i", {"s": SQUARE, "z": SQUARE.sum(1) - SQUARE.diag()}),
    (
        r"s_{ij} = \mathbf{x}_i \cdot \mathbf{y}_j - m \cdot (i - j)",
        {
            "s": X @ Y.T - 0.5 * (torch.arange(4)[:, None] - torch.arange(4)),
            "x": X,
            "y": Y,
            "m": 0.5,
        },
    ),
    (GATED, {"s": S, "gate": S.sigmoid(), "new": A, "cell": gates(S, A)}),
    (r"\begin{aligned} a & + b \\ & \quad = c \end{aligned}", {"c": 3.5, "a": 1.5, "b": 2.0}),
]


@pytest.mark.parametrize(("latex", "given"), HOLD, ids=[latex for latex, _ in HOLD])
def test_what_holds_holds_and_with_another_value_it_does_not(latex: str, given: dict) -> None:
    assert formula(latex, **given) is True
    name, value = next(iter(given.items()))
    other = torch.as_tensor(value, dtype=torch.float64) * 1.5 + 0.1
    assert formula(latex, **given | {name: other}) is False


@pytest.mark.parametrize(("latex", "given"), HOLD, ids=[latex for latex, _ in HOLD])
def test_a_factor_a_subscript_or_a_bracket_that_is_gone_is_noticed(latex: str, given: dict) -> None:
    said = signs(latex)
    for place, sign in enumerate(said):
        if sign.kind == "name" and sign.text != "becomes" and not sign.below:
            left = [*said[:place], *said[place + 1 :]]
            text = " ".join(spelt(one) for one in left)
            with pytest.raises((Unread, AssertionError)):
                assert formula(text, **given) is True


def spelt(sign) -> str:
    if sign.kind == "name" and len(sign.text) > 1:
        return rf"\text{{{sign.text}}}"
    return sign.text


@pytest.mark.parametrize(
    ("latex", "given", "change"),
    [
        (r"a + b = c", {"a": 1.0, "b": 0.0, "c": 1.0}, "c for a"),
        (r"2 a + b = 3", {"a": 1.5, "b": 0.0}, "- for +"),
        (r"s_{ij} = 2 t_{ij}", {"s": torch.ones(2, 2), "t": torch.ones(2, 2) / 2}, "j for i"),
        (r"a b = 4", {"a": 2.0, "b": 2.0}, "b for a"),
        (r"0 \cdot 0 = 0", {}, "1 for 0"),
        (r"\tanh a = b", {"a": 0.0, "b": 0.0}, r"\tanh left out"),
        (r"X^\top = 2 Y", {"X": 2 * torch.eye(2), "Y": torch.eye(2)}, r"\top left out"),
        (r"\max(a, b) = 2", {"a": 1.0, "b": 2.0}, "b for a"),
        (r"a < b", {"a": 1.0, "b": 1.5}, None),
        (r"a - 1 < b", {"a": 1.0, "b": 2.5}, "b for a"),
    ],
)
def test_values_under_which_another_formula_would_hold_are_refused(latex, given, change) -> None:
    if change is None:
        assert formula(latex, **given) is True
    else:
        with pytest.raises(Unread, match=re.escape(f"with {change} it would be so too")):
            formula(latex, **given)


def test_what_one_case_leaves_open_another_decides() -> None:
    latex, larger = r"c = 2 \max(a, b)", {"a": 3.0, "b": 2.0, "c": 6.0}
    with pytest.raises(Unread, match="with a for b"):
        formula(latex, larger)
    assert formula(latex, larger, {"a": 1.0, "b": 2.0, "c": 4.0}) is True
    assert formula(latex, larger, {"a": 1.0, "b": 2.0, "c": 2.0}) is False


def test_two_that_say_the_same() -> None:
    latex = r"\frac{T}{R} \cdot 2TD < 4T^2, \qquad \text{that is} \quad R > \frac{D}{2}"
    cases = [{"R": rows} for rows in (3, 4, 5)]
    assert formula(latex, *cases, T=12, D=8) is True
    assert formula(latex.replace("{2}", "{3}"), *cases, T=12, D=8) is False


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


def test_what_is_changed_for_a_neighbour() -> None:
    latex = r"\sum_j \alpha_{ij} + 120 \sin x^2 \le \max(a, -b)^\top"
    found = {change for _, change in check.neighbours(signs(latex))}
    expected = {r"\sum left out", "i for j", "j for i", "ji for ij", "- for +", "+ for -"}
    expected |= {"132 for 120", r"\cos for \sin", "3 for 2", "^ left out", r"\ge for \le"}
    expected |= {r"\min for \max", r"\top left out", "x for a", "b for alpha", "alpha for x"}
    assert expected <= found
    assert "ij for ji" not in found
    assert not any("i for x" in change for change in found)


def test_a_value_is_held_as_well_as_its_check_asks() -> None:
    assert held(r"2 T^2 d", lambda formula: formula(T=8, d=512) == 65536) is True
    with pytest.raises(Unread, match="with 3 for 2"):
        held(r"2 T^2 d", lambda formula: formula(T=8, d=512) > 0)


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


def page(text: str) -> Page:
    return Page(Path("p.md"), text)


def test_a_check_asks_about_the_formula_before_it() -> None:
    alone = "$$\nc\n$$\n\n<!--= formula(c=1) -->"
    checks = page(f"Here $a b$<!--= formula(a=1, b=2) == 2 -->.\n\n{alone}").checks
    assert [check.formula for check in checks] == ["a b", "\nc\n"]
    with pytest.raises(PageError, match="no formula stands before"):
        page("Here $a b$ and<!--= formula(a=1, b=2) -->.")
    assert page("Here $a b$ and<!--= x == 3 -->.").checks[0].formula == ""


def test_a_formula_of_its_own_lines_has_a_check_or_a_reason() -> None:
    bare = "$$\na\n$$\n\n"
    assert [*uncomputed(page(f"One.\n\n{bare}And.\n"))] == [3]
    assert [*uncomputed(page(f"{bare}<!--= len(x) == 2 -->\n"))] == [1]
    assert not [*uncomputed(page(f"{bare}<!--= formula(a=2) == b -->\n"))]
    assert not [*uncomputed(page(f"{bare}<!-- not computed: of random numbers -->\n"))]
    assert [*uncomputed(page(f"{bare}<!-- not computed: -->\n"))] == [1]
    assert not [*uncomputed(page("In a line $a$.\n"))]
