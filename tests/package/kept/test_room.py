"""How much is kept, in bytes, and what is too large."""

import pytest
import torch

from attention import Causal, Documents, PrefixLM, SlidingWindow, blocks, dot_product_attention
from attention.blocks import cached
from attention.dispatch import route
from attention.fingerprint import MAX_BYTES
from attention.kept import Kept

from .asked import Named


def test_a_large_mask_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers would have to be compared in each call, and be held after it."""
    monkeypatch.setattr(route, "kept", Kept(16))
    x = torch.randn(1, 1, 8, 4)
    kept, large = Named(back=2), Named(back=2, more=torch.zeros(MAX_BYTES + 1, dtype=torch.uint8))
    one = Named(back=2, more=torch.zeros(MAX_BYTES, dtype=torch.uint8))
    for mask, count in ((large, 0), (kept, 1), (one, 2)):
        dot_product_attention(x, x, x, mask, backend="fused")
        assert len(route.kept.made) == count


def test_plans_are_kept_up_to_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    masks = [PrefixLM(length) & SlidingWindow(64) for length in (300, 310, 320)]
    sizes = [plan.nbytes for mask in masks if (plan := blocks.plan(mask, 512, 512))]
    kept = Kept(32, sizes[0] + sizes[1], cached.kept.nbytes)
    monkeypatch.setattr(cached, "kept", kept)
    for mask, count in zip(masks, (1, 2, 2), strict=True):
        blocks.plan(mask, 512, 512)
        assert len(kept.made) == count
    kept.most_bytes = sizes[0] - 1
    blocks.plan(masks[0], 512, 512)  # one too large is made anew each time, and throws none out
    assert len(kept.made) == 2


def test_the_tensors_that_it_is_kept_by_take_bytes_too() -> None:
    kept: Kept[int] = Kept(16, 2 * 64 + 3, nbytes=lambda made: made)
    for place in range(4):
        made = kept.get(Documents(torch.full((1, 8), place)), "beside", lambda: 1)
        assert made == 1
        assert len(kept.made) == min(place + 1, 2)
    assert kept.get(Documents(torch.zeros(1, 17).long()), "beside", lambda: 1) == 1
    assert kept.total() == 2 * (64 + 1)  # that one was too large
    just: Kept[int] = Kept(16, 64 + 1, nbytes=lambda made: made)
    just.get(Documents(torch.zeros(1, 8).long()), "beside", lambda: 1)
    assert len(just.made) == 1


def test_the_bytes_of_a_plan_are_those_of_its_tables() -> None:
    plan = blocks.plan(Causal(), 512, 512)
    assert plan
    # Strips of two triangles, which are equal: a truth value and a number for each score.
    assert plan.nbytes == (1 + 4) * 64 * (64 + 128 + 192 + 256)
