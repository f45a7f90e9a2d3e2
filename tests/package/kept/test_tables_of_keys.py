"""The table of a mask, as torch's kernel is given it: its keys, its rows, its size."""

import pytest
import torch

from attention import Causal, Padding, SlidingWindow, dot_product_attention
from attention.dispatch import dense

from .asked import count


@pytest.mark.parametrize(("length", "numbers"), [(512, True), (513, False), (1024, False)])
def test_a_mask_is_kept_in_a_mebibyte(length: int, numbers: bool, monkeypatch) -> None:
    """And what is added to the scores beside it, four times as much, if that takes no more."""
    asked = count(monkeypatch)
    x = torch.randn(1, 1, length, 4)
    for _ in range(3):
        dot_product_attention(x, x, x, ~SlidingWindow(3) | Causal())
    [made] = [found for found, _ in dense.kept.made.values()]
    assert len(asked) == 1
    assert made.keep.shape == (length, length)
    assert made.keep.nbytes <= 1 << 20
    assert (made.added is not None) is numbers
    if numbers:
        assert made.added.shape == (1, 1, length, length)
        assert made.added.nbytes <= 1 << 20
        assert torch.equal(made.added == 0, made.keep[None, None])


@pytest.mark.parametrize(
    ("start", "stop", "keys", "wide"),
    [(0, 0, 9, (0, 0)), (3, 19, 40, (3, 19)), (3, 18, 40, (3, 19)), (3, 20, 40, (3, 35))]
    + [(30, 39, 40, (24, 40)), (2, 7, 9, (0, 9)), (20, 37, 40, (8, 40)), (0, 40, 40, (0, 40))],
)
def test_keys_fill_registers(start: int, stop: int, keys: int, wide: tuple[int, int]) -> None:
    assert dense.to_registers(start, stop, keys) == wide


@pytest.mark.parametrize(("padded", "first"), [(False, 896), (True, 888)])
def test_only_what_tells_sequences_apart_takes_hidden_keys(padded: bool, first: int) -> None:
    """Of other masks each key that is left is seen: so torch's kernel takes all as it is."""
    mask = Causal() & SlidingWindow(100)
    if padded:
        mask &= Padding(torch.tensor([1000, 990]))
    made = dense.make(mask, 5, 1000, torch.device("cpu"), True, torch.float32)
    assert made.columns == slice(first, 1000)
    assert made.whole is not padded


@pytest.mark.parametrize("shape", [(2, 3, 40, 8), (2, 3, 1200, 8)])
def test_a_row_for_all_queries_is_one_row(shape: tuple[int, ...]) -> None:
    """Where a rule asks no query, on the processor; what it gives is the same."""
    x, mask = torch.randn(*shape), Padding(torch.tensor([30, 17]))
    made = dense.dense(mask, shape[2], shape[2], x.device, True, x.dtype)
    assert made.keep is not None
    assert made.keep.shape == (2, 1, 1, 32)  # thirty keys, and two that fill the register
    assert (made.added is not None) is (shape[2] == 40)
    whole = mask.to_tensor(*shape[2:3] * 2)
    for bias in (None, torch.randn(3, shape[2], 1)):
        found = [
            dot_product_attention(x, x, x, keep, bias=bias, backend=name)
            for keep, name in ((mask, "fused"), (mask, "auto"), (whole, "eager"))
        ]
        for got in found[:2]:
            torch.testing.assert_close(got, found[2])
