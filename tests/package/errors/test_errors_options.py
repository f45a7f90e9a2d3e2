"""Each bad bias, scale, softcap or dropout, and the one sentence that it gets."""

import math

import pytest
import torch

from .bad_calls import nested, said

pytestmark = pytest.mark.untyped

CASES = {
    "a nested bias": (
        {"bias": nested(torch.strided)},
        TypeError,
        "bias is a nested tensor: expected one tensor of all sequences, with Padding or Documents "
        "as the mask",
    ),
    "a tensor for a scale": (
        {"scale": torch.tensor(1.0)},
        TypeError,
        "scale is a Tensor: expected a number or None; multiply the query by it, with scale=1.0",
    ),
    "a yes for a scale": (
        {"scale": True},
        TypeError,
        "scale is a bool: expected a number or None",
    ),
    "a scale of nan": (
        {"scale": math.nan},
        ValueError,
        "scale is nan: expected a finite number of float32",
    ),
    "a scale that float32 cannot hold": (
        {"scale": 1e39},
        ValueError,
        "scale is 1e+39: expected a finite number of float32",
    ),
    "an integer that no float can hold": (
        {"scale": 10**400},
        ValueError,
        "scale is inf: expected a finite number of float32",
    ),
    "a list for a bias": (
        {"bias": [0.0]},
        TypeError,
        "bias is a list: expected a torch.Tensor or None",
    ),
    "a boolean bias": (
        {"bias": torch.ones(5, 6, dtype=torch.bool)},
        TypeError,
        "bias has dtype torch.bool: expected numbers to add; booleans are a mask",
    ),
    "a bias of another dtype": (
        {"bias": torch.ones(5, 6).double()},
        TypeError,
        "bias has dtype torch.float64 but query has torch.float32: expected one dtype",
    ),
    "a bias turned over": (
        {"bias": torch.ones(6, 5)},
        ValueError,
        "bias has shape (6, 5): expected (…, T, S), which broadcasts to (2, 8, 5, 6), "
        "and at least two axes",
    ),
    "a bias elsewhere": (
        {"bias": torch.ones(5, 6, device="meta")},
        ValueError,
        "bias is on meta but query is on cpu: expected one device",
    ),
    "a softcap of zero": (
        {"softcap": 0},
        ValueError,
        "softcap is 0: expected a number above 0, or None for no cap",
    ),
    "a negative softcap": (
        {"softcap": -30.0},
        ValueError,
        "softcap is -30: expected a number above 0, or None for no cap",
    ),
    "a string for a softcap": (
        {"softcap": "50"},
        TypeError,
        "softcap is a str: expected a number or None",
    ),
    "an endless softcap": (
        {"softcap": math.inf},
        ValueError,
        "softcap is inf: expected a finite number of float32",
    ),
    "a percentage for dropout": (
        {"dropout_p": 10},
        ValueError,
        "dropout_p is 10: expected a share of at least 0 and below 1",
    ),
    "all dropped": (
        {"dropout_p": 1.0},
        ValueError,
        "dropout_p is 1: expected a share of at least 0 and below 1",
    ),
    "a negative dropout": (
        {"dropout_p": -0.1},
        ValueError,
        "dropout_p is -0.1: expected a share of at least 0 and below 1",
    ),
    "no dropout as None": (
        {"dropout_p": None},
        TypeError,
        "dropout_p is None: expected a number",
    ),
    "weights by what is true": (
        {"return_weights": 1},
        TypeError,
        "return_weights is an int: expected True or False",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, error, message = CASES[name]
    assert said(given, error, monkeypatch) == message
