"""What nobody sees may be anything, and what sees nothing hears nothing."""

import math

import pytest
import torch

from attention import Causal, Mask, Padding, SlidingWindow, dot_product_attention


@pytest.mark.parametrize("backend", ["eager", "fused", "loops"])
@pytest.mark.parametrize("wild", [float("inf"), float("nan"), 1e30])
def test_a_bias_below_a_mask_is_not_read(backend: str, wild: float, device: str) -> None:
    x = torch.randn(2, 3, 4, device=device, requires_grad=True)
    keep = torch.ones(3, 3, dtype=torch.bool, device=device)
    keep[0], keep[1, 2] = False, False
    bias = torch.zeros(3, 3, device=device, requires_grad=True)
    filled = bias.masked_fill(~keep, wild)
    context = dot_product_attention(x, x, x, keep, bias=filled, backend=backend)
    assert (context[:, 0] == 0).all()
    for grad in torch.autograd.grad(context.square().sum(), (x, bias)):
        assert grad.isfinite().all()
    torch.testing.assert_close(context, dot_product_attention(x, x, x, keep))


@pytest.mark.parametrize("mask", [None, Padding(torch.tensor([0]), side="left"), "every query"])
@pytest.mark.parametrize("learns", [False, True])
def test_nan_that_hears_nothing_gets_zeros(mask, learns: bool) -> None:
    """Without keys, and where a rule leaves none; a mask of one column may stand for none."""
    keys = 1 if isinstance(mask, Padding) else 0
    query = torch.full((1, 1, 2, 4), math.nan, requires_grad=learns)
    x = torch.full((1, 1, keys, 4), math.nan)
    mask = torch.ones(2, 1, dtype=torch.bool) if mask == "every query" else mask
    assert torch.equal(dot_product_attention(query, x, x, mask), torch.zeros(1, 1, 2, 4))


@pytest.mark.parametrize("keys", [1, 3, 15, 16, 17])
@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("heads", [(), (2,), (1, 2)])
def test_nan_that_is_seen_stays(heads: tuple[int, ...], keys: int, mask, device: str) -> None:
    """Torch's CPU kernel makes zeros of a row of NaN that is shorter than a register."""
    query, key, value = torch.randn(3, *heads, keys, 4, device=device)
    want = dot_product_attention(query, key, value, mask)
    query[..., -1, 0] = math.nan
    context = dot_product_attention(query, key, value, mask)
    assert context[..., -1, :].isnan().all()
    torch.testing.assert_close(context[..., :-1, :], want[..., :-1, :])


@pytest.mark.parametrize("keys", [4, 16])
def test_a_hidden_score_may_be_infinite(keys: int, device: str) -> None:
    """Finite queries and keys, of which a causal mask hides the pair that overflows."""
    query, key = torch.ones(2, keys, 4, device=device)
    query[0] = key[-1] = 1e20
    value = torch.randn(keys, 4, device=device)
    torch.testing.assert_close(dot_product_attention(query, key, value, Causal())[0], value[0])


def test_a_narrow_block_does_not_lose_nan() -> None:
    """Two rows that grow by a key: a block with the first key alone, and a triangle."""
    query, key = torch.randn(1, 2, 4), torch.randn(1, 3, 4)
    key[:, 0, 1] = math.nan
    assert dot_product_attention(query, key, key, Causal(), backend="spans").isnan().all()


HOLES = {
    "a key that nobody sees": lambda query, key: key != 1,
    "a query that sees nothing": lambda query, key: query != 4,
}


class Hole(Mask):
    """A rule of which nothing is known but what it answers."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, batch, head, query, key):
        return HOLES[self.name](query, key)


def wild(name: str, queries: int) -> list[torch.Tensor]:
    keys = max(queries, 5)
    query, key, value = (torch.randn(1, 2, size, 4) for size in (queries, keys, keys))
    if "key" in name:
        key[..., 1, :], value[..., 1, :] = math.nan, math.inf
    else:
        query[..., 4 - keys, :] = math.nan  # at position 4, counted from the end
    return [query, key, value]


@pytest.mark.parametrize("name", HOLES)
@pytest.mark.parametrize("queries", [1, 5, 600])  # decoding, a small mask, one that is not kept
def test_what_a_rule_hides_may_be_anything(name: str, queries: int) -> None:
    assert dot_product_attention(*wild(name, queries), Hole(name)).isfinite().all()


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("name", HOLES)
def test_what_a_compiled_rule_hides_may_be_anything(name: str) -> None:
    torch._dynamo.reset()
    attend = torch.compile(dot_product_attention, fullgraph=True, backend="eager")
    assert attend(*wild(name, 5), Hole(name)).isfinite().all()


@pytest.mark.parametrize("backend", ["eager", "fused", "tiled"])
def test_a_key_that_no_head_of_a_group_sees_may_be_anything(backend: str) -> None:
    query, key = torch.randn(1, 4, 3, 8), torch.randn(1, 2, 5, 8)
    keep = torch.ones(4, 3, 5, dtype=torch.bool)
    keep[:2, :, 1] = False  # the heads that read key head 0
    want = dot_product_attention(query, key, key, keep, backend="loops")
    key[0, 0, 1] = math.nan
    got = dot_product_attention(query, key, key, keep, backend=backend)
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("backend", ["auto", "fused", "eager", "tiled"])
@pytest.mark.parametrize("mask", [None, Padding(torch.tensor([0]))], ids=["no keys", "none seen"])
@pytest.mark.parametrize("heads", [1, 2])
def test_a_bias_that_learns_where_no_key_is_left(backend: str, mask, heads: int) -> None:
    query = torch.randn(1, 2, 3, 4)
    keys = 0 if mask is None else 3
    key = torch.randn(1, 2, keys, 4)
    bias = torch.randn(heads, 3, keys, requires_grad=True)
    context = dot_product_attention(query, key, key, mask, bias=bias, backend=backend)
    assert torch.equal(context, torch.zeros_like(query))
    (grad,) = torch.autograd.grad(context.sum(), bias)
    assert torch.equal(grad, torch.zeros_like(bias))


@pytest.mark.parametrize("backend", ["auto", "fused", "eager", "tiled"])
@pytest.mark.parametrize(("batch", "heads", "queries"), [(0, 2, 3), (2, 0, 3), (2, 2, 0)])
@pytest.mark.parametrize("mask", [None, Causal()], ids=["none", "causal"])
def test_a_bias_that_learns_where_no_query_is(
    backend: str, batch: int, heads: int, queries: int, mask
) -> None:
    query, key = torch.randn(batch, heads, queries, 4), torch.randn(batch, heads, 5, 4)
    bias = torch.randn(queries, 5, requires_grad=True)
    context = dot_product_attention(query, key, key, mask, bias=bias, backend=backend)
    (grad,) = torch.autograd.grad(context.sum(), bias)
    assert torch.equal(grad, torch.zeros_like(bias))


@pytest.mark.parametrize("backend", ["auto", "fused", "eager", "tiled", "spans"])
@pytest.mark.parametrize("kv_heads", [4, 2])
def test_of_a_query_that_sees_nothing_no_gradient_gets_out(backend: str, kv_heads: int) -> None:
    query = torch.randn(2, 4, 40, 8, requires_grad=True)
    key, value = torch.randn(2, 2, kv_heads, 40, 8, requires_grad=True)
    mask = SlidingWindow(6) & Padding(torch.tensor([20, 40]))
    idle = ~mask.to_tensor(40, 40).any(dim=-1)  # (batch, 1, queries)
    context = dot_product_attention(query, key, value, mask, backend=backend)
    want = torch.autograd.grad(context.sum(), (query, key, value), retain_graph=True)
    some = torch.ones_like(context).masked_fill(idle[..., None], math.nan)
    got = torch.autograd.grad(context, (query, key, value), some)
    for one, other in zip(got, want, strict=True):
        torch.testing.assert_close(one, other)
