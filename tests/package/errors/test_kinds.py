"""What came, as a message names it."""

import numpy as np
import pytest
import torch
from torch import nn

from attention import Causal, Documents, Padding
from attention.checks.kinds import brief, kind


class Xylophone: ...


class Alike: ...


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"),
        (1, "an int"),
        ([], "a list"),
        (Alike(), "an Alike"),
        (Xylophone(), "a Xylophone"),
        (nn.LSTM(1, 1), "an LSTM"),
        (nn.Linear(1, 1), "a Linear"),
        (np.zeros(1), "an ndarray"),
        (np.bool_(True), "a numpy.bool"),
        (np.int64(1), "an int64"),
    ],
)
def test_it_has_an_article(value: object, said: str) -> None:
    assert kind(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (Causal(), "Causal()"),
        ("top", "'top'"),
        (torch.arange(5000), "tensor([…])"),
        (torch.zeros(3, 4, dtype=torch.int8), "tensor([…], dtype=torch.int8)"),
        (torch.zeros(2, 0), "tensor([…], size=(2, 0))"),
        (
            nn.Parameter(torch.ones(9, 9)),
            "Parameter containing: tensor([…], requires_grad=True)",
        ),
        (torch.ones(2, requires_grad=True) * 2, "tensor([…], grad_fn=<MulBackward0>)"),
        (
            Causal() & Padding(torch.arange(512), side="left") | ~Documents(torch.ones(1, 3).int()),
            "((Causal() & Padding(lengths=tensor([…]), side='left')) "
            "| ~Documents(ids=tensor([…], dtype=torch.int32)))",
        ),
    ],
)
def test_the_numbers_of_a_tensor_are_left_out(value: object, said: str) -> None:
    assert brief(value) == said
