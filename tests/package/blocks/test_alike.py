"""Sequences that a mask treats alike share their blocks."""

import pytest
import torch

from attention import Causal, Documents, Mask, Padding, SlidingWindow, blocks, dot_product_attention
from attention.blocks import make
from attention.dispatch import plans

from .sequences import MASKS, Halves


def test_sequences_alike_are_one_part() -> None:
    plan = blocks.plan(MASKS["alike"], 300, 300)
    assert plan
    assert [part[:2] for part in plan.parts] == [(0, 2), (2, 3)]


def test_alike_sequences_share_their_calls() -> None:
    """So they are planned, however short; one unlike the others costs calls of its own."""
    key = torch.zeros(64, 2, 256, 4)
    mask = Causal() & SlidingWindow(32)
    lengths = torch.full((64,), 256)
    for first, kinds in ((256, 1), (200, 2)):
        lengths[0] = first
        plan = plans.plan(key, key, mask & Padding(lengths.clone()), False, 0.95 * 128 * 256**2)
        assert plan
        assert len(plan.parts) == kinds
    assert plans.plan(key[:2, :, :64], key[:2, :, :64], Padding(torch.tensor([30, 30])), False, 9.0)


def test_sequences_are_alike_if_all_their_stretches_are() -> None:
    plan = blocks.plan(Halves(), 64, 64)
    assert plan
    assert [(first, last) for first, last, _ in plan.parts] == [(0, 2), (2, 3)]
    x = torch.randn(3, 2, 64, 8)
    found = [dot_product_attention(x, x, x, Halves(), backend=name) for name in ("spans", "eager")]
    torch.testing.assert_close(*found)


UNLIKE = {
    "alike": (Padding(torch.tensor([5, 5, 5])), 1),
    "in turns": (Padding(torch.tensor([5, 3, 5, 5])), 3),
    "in any of them": (
        Padding(torch.tensor([5, 5, 3, 3])) & Documents(torch.tensor([[0], [1], [1], [1]])),
        3,
    ),
    "in one entry": (Documents(torch.tensor([[0, 0, 1], [0, 1, 1]])), 2),
    "one sequence": (Padding(torch.tensor([5])), 1),
    "for all": (Documents(torch.tensor([[0, 1, 1]])) & Padding(torch.tensor([2, 1])), 2),
    "not said": (Halves(), 1),
    "none": (Causal(), 1),
}


class Holder(Mask):
    """It holds something for each of three sequences."""

    batch = 3

    def __init__(self, held: torch.Tensor) -> None:
        self.held = held


UNLIKE |= {
    "in halves": (Holder(torch.tensor([1.0, 1.0, 2.0], dtype=torch.bfloat16)), 2),
    "a parameter": (Holder(torch.nn.Parameter(torch.tensor([[1.0, 2.0]] * 3))), 1),
    "booleans": (Holder(torch.tensor([True, False, True])), 3),
    "turned": (Holder(torch.tensor([[1, 2, 2], [3, 4, 4]]).T), 2),
    "a column": (Holder(torch.tensor([[1, 2, 2]]).T), 2),
    "a column of several": (Holder(torch.tensor([[1, 2, 2], [3, 4, 5]]).T[:, :1]), 2),
    "large": (Holder(torch.tensor([0, 1, 1]) + 2**40), 2),
    "sparse": (Holder(torch.eye(3).to_sparse()), 3),
    "nothing": (Holder(torch.zeros(3, 0)), 1),
    "more axes": (Holder(torch.eye(3)[:, None]), 3),
    "of another number": (Holder(torch.arange(4)), 1),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_kinds_of_sequences_by_what_a_mask_holds(name: str) -> None:
    mask, kinds = UNLIKE[name]
    assert make.unlike(mask) == kinds
    with torch.device("meta"):  # where another device is the default
        assert make.unlike(mask) == kinds
