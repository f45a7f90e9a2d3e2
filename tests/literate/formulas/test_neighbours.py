"""No formula that is nearly the same may hold as well."""

import re

import pytest
import torch
from formulas_of import formula

from literate.formulas import check, held
from literate.formulas.tokens import signs
from literate.formulas.tree import Unread


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
