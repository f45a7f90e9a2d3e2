"""What holds is held; with another value, or with something gone, it is not."""

import math

import pytest
import torch
from formulas_of import SQUARE, A, S, W, X, Y, formula

from literate.formulas.tokens import signs
from literate.formulas.tree import Unread


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
