"""What an expression of a page is as a number."""

import numpy
import pytest
import torch

from literate.rules.values import as_number


@pytest.mark.parametrize("value", [2**63 - 1, torch.tensor(2**63 - 1), numpy.int64(2**63 - 1)])
def test_a_whole_number_has_all_its_digits(value: object) -> None:
    assert as_number(value) == 2**63 - 1
    assert isinstance(as_number(value), int)


@pytest.mark.parametrize("value", [0.5, torch.tensor(0.5), numpy.float32(0.5)])
def test_any_other_is_a_float(value: object) -> None:
    assert as_number(value) == 0.5


@pytest.mark.parametrize(
    "value", [True, torch.tensor(True), "1", None, [1], 10**400, float("nan"), torch.zeros(2)]
)
def test_what_is_none(value: object) -> None:
    assert as_number(value) is None
