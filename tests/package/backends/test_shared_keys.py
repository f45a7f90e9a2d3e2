"""One query of each head on keys that heads share: one row of each, of a head of keys."""

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, dot_product_attention
from attention.backends import sdpa

Inputs = tuple[Tensor, Tensor, Tensor]


def given(batch: int = 1) -> Inputs:
    """Two heads of 96 keys, each of which four heads of queries share."""
    key, value = torch.randn(2, batch, 2, 96, 16)
    return torch.randn(batch, 8, 1, 16), key, value


@pytest.mark.parametrize("scale", [None, 2.0, -0.3])
@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("batch", [1, 3])
def test_rows_err_no_more_than_heads(batch: int, mask: Causal | None, scale: float | None) -> None:
    ours = theirs = 0.0  # one kernel may be luckier in a draw, and the formula is what both compute
    for _ in range(20):
        query, key, value = given(batch)
        double = query.double(), key.double(), value.double()
        exact = scaled_dot_product_attention(*double, scale=scale, enable_gqa=True)
        heads = scaled_dot_product_attention(query, key, value, scale=scale, enable_gqa=True)
        plain = dot_product_attention(query, key, value, scale=scale, backend="eager")
        context = dot_product_attention(query, key, value, mask, scale=scale)
        far, near, formula = ((x - exact).abs().max() for x in (context, heads, plain))
        assert far <= 2 * max(near, formula) + 1e-7
        ours, theirs = ours + far, theirs + near
    assert ours <= 2 * theirs


def test_a_cache_with_room_is_not_read_beyond_what_it_holds() -> None:
    query, key, value = given(batch=2)
    room = [torch.cat([x, x.new_full((2, 2, 32, 16), torch.nan)], dim=2) for x in (key, value)]
    context = dot_product_attention(query, *(x[:, :, :96] for x in room))
    torch.testing.assert_close(context, dot_product_attention(query, key, value))


def test_nan_stays_with_the_heads_that_share_its_key() -> None:
    query, key, value = given()
    key[0, 1, 5, 3] = torch.nan
    context = dot_product_attention(query, key, value)
    assert context[0, 4:].isnan().all()
    assert context[0, :4].isfinite().all()


@pytest.mark.parametrize(
    ("like", "masked", "folded"),
    [
        ({"device": "cuda", "dtype": torch.bfloat16}, False, False),
        ({"device": "cuda", "dtype": torch.bfloat16}, True, True),
        ({"device": "cuda", "dtype": torch.float32}, False, True),
        ({"device": "cpu", "dtype": torch.bfloat16}, False, True),
    ],
)
def test_kernels_that_know_groups_get_them(
    like: dict, masked: bool, folded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those for halves on a GPU, which split the keys of few heads; under a mask not all do."""
    asked: list[tuple[torch.Size, bool]] = []

    def kernel(query: Tensor, *given: object, enable_gqa: bool, **rest: object) -> Tensor:
        asked.append((query.shape, enable_gqa))
        return query

    monkeypatch.setattr(sdpa, "scaled_dot_product_attention", kernel)
    with FakeTensorMode():
        query, key = torch.empty(1, 8, 1, 16, **like), torch.empty(1, 2, 96, 16, **like)
        over = torch.ones(1, 1, 1, 96, dtype=torch.bool, device=like["device"]) if masked else None
        sdpa.sdpa(query, key, key, over, 0.25, 0.0)
    assert asked == [((1, 2, 4, 16), False) if folded else ((1, 8, 1, 16), True)]
