"""Whatever is made is made on the device of what came: on `meta`, which no CPU tensor can join."""

from dataclasses import dataclass

import pytest
import torch

from attention import (
    Causal,
    KVCache,
    Mask,
    MultiHeadAttention,
    RollingKVCache,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)


def empty(*shape: int) -> torch.Tensor:
    return torch.empty(*shape, device="meta")


class PerHead(Mask):
    """A mask that tells heads and sequences apart."""

    heads, batch = 2, 3

    def __call__(self, batch, head, query, key):
        return (batch + head + query >= key) & (key >= 0)


@dataclass(frozen=True, slots=True)
class Slots(Mask):
    """A mask that holds a tensor beside its `vars`."""

    width: torch.Tensor

    def __call__(self, batch, head, query, key):
        return query - key < self.width


def test_masks() -> None:
    assert Causal().to_tensor(2, 3, device="meta").is_meta
    made = PerHead().to_tensor(2, 4, device="meta")
    assert made.is_meta
    assert made.shape == (3, 2, 2, 4)


def test_attention_under_masks() -> None:
    query, key = empty(2, 2, 3, 4), empty(2, 2, 5, 4)
    for mask in (None, Causal(), SlidingWindow(2), SlidingWindow(99)):
        assert dot_product_attention(query, key, key, mask).is_meta
    assert dot_product_attention(key, key, key, Causal()).is_meta
    assert dot_product_attention(query[..., :1, :], key, key, Causal()).is_meta


def test_modules_and_all_that_they_hold() -> None:
    heads = MultiHeadAttention(8, 2, qk_norm=True, device="meta")
    single = SelfAttention(8, causal=True, device="meta")
    for module in (heads, single):
        assert all(held.is_meta for held in module.parameters())
    x = empty(2, 3, 8)
    assert heads(x, mask=Causal()).is_meta
    assert single(x, mask=torch.ones(3, 3, dtype=torch.bool, device="meta")).is_meta


@pytest.mark.parametrize("like", [{"device": "meta"}, {"dtype": torch.float64}])
def test_to_and_from_torch_s_own_module(like: dict) -> None:
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True, **like)
    ours = MultiHeadAttention.from_torch(theirs)
    for x in (*ours.parameters(), *ours.to_torch().parameters()):
        assert (x.device, x.dtype) == (theirs.out_proj.weight.device, theirs.out_proj.weight.dtype)


def test_caches_in_and_out_of_inference() -> None:
    for cache in (KVCache(), KVCache(capacity=8), RollingKVCache(3)):
        for count in (4, 1, 2):
            key, value = cache.update(empty(1, 2, count, 4), empty(1, 2, count, 5))
            assert key.is_meta
            assert value.is_meta
    with torch.inference_mode():
        for cache in (KVCache(capacity=8), RollingKVCache(3)):
            assert cache.update(empty(1, 1, 4, 4), empty(1, 1, 4, 4))[0].is_meta


def test_a_mask_goes_where_it_is_told_if_it_can() -> None:
    causal, held = Causal(), PerHead()
    assert causal.to("meta") is causal
    window = Slots(torch.tensor(2)).to("meta")
    assert window.to_tensor(2, 4, device="meta").is_meta
    held.tensor = torch.ones(3)
    assert held.to("meta").tensor.is_meta
    assert not held.tensor.is_meta


def test_tiles_have_gradients() -> None:
    x = empty(1, 2, 300, 8).requires_grad_()
    context = dot_product_attention(x, x, x, Causal(), backend="tiled")
    (grad,) = torch.autograd.grad(context.sum(), x)
    assert grad.is_meta
    assert grad.shape == x.shape


@pytest.mark.slow
def test_tiles_have_no_values_to_look_at() -> None:
    x = empty(1, 8, 2048, 64)
    both = PerHead() & Causal()
    for mask in (None, Causal(), SlidingWindow(100), both):
        query = empty(3, 2, 2048, 64) if mask is both else x
        assert dot_product_attention(query, query, query, mask, softcap=50.0).shape == query.shape
