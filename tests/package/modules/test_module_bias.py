"""A bias given to a module, alone and beside that of positions."""

import pytest
import torch

from attention import (
    ALiBi,
    Causal,
    KVCache,
    MultiHeadAttention,
    Padding,
    RollingKVCache,
    Rotary,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)

from .pairs import LENGTHS, inputs, pair


def test_a_bias_is_a_float_mask_of_torchs_module(device: str) -> None:
    """Also one for each head and sequence, with −∞, beside a mask; and its gradient."""
    ours, theirs = pair(device)
    query, key, _ = inputs(device)
    kinds = {"device": device, "dtype": torch.float64}
    same, each = torch.randn(4, 4, **kinds), torch.randn(2 * 3, 4, 5, requires_grad=True, **kinds)
    same[0, 2:] = -torch.inf
    known = torch.zeros(2, 5, **kinds)
    known[1, 3:] = -torch.inf
    apart = each.unflatten(0, (2, 3))
    for mine, told, their, asked in (
        ((query,), {"bias": same}, (query, query, query), {"attn_mask": same}),
        ((query[0],), {"bias": same}, (query[0],) * 3, {"attn_mask": same}),
        ((query, key), {"bias": apart}, (query, key, key), {"attn_mask": each}),
        ((query, key), {"bias": apart, "mask": Padding(LENGTHS).to(device)}, (query, key, key),
         {"attn_mask": each, "key_padding_mask": known}),
        ((query, key), {"bias": apart + known[:, None, None]}, (query, key, key),
         {"attn_mask": each, "key_padding_mask": known}),
    ):  # fmt: skip
        want, want_weights = theirs(*their, **asked, average_attn_weights=False)
        got, weights = ours(*mine, **told, return_weights=True)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(weights, want_weights)
        torch.testing.assert_close(ours(*mine, **told), want)
        if len(mine) == 2:
            wanted, gotten = (torch.autograd.grad(x.square().sum(), each) for x in (want, got))
            torch.testing.assert_close(gotten, wanted)


@pytest.mark.parametrize("kind", [KVCache, lambda: RollingKVCache(3)])
@pytest.mark.parametrize("positions", [None, Rotary(), ALiBi()], ids=repr)
def test_a_bias_is_added_to_that_of_positions(positions, kind, device: str) -> None:
    """With a cache it is about the keys that are held and those that come."""
    options = {"positions": positions, "device": device, "dtype": torch.float64}
    attend = MultiHeadAttention(12, 3, **options).requires_grad_(False)
    x, bias = torch.randn(2, 6, 12).to(attend.in_proj_weight), torch.randn(3, 6, 6).to(device)
    bias, mask, cache = bias.double(), Causal() & SlidingWindow(3), kind()
    whole = attend(x, mask=mask, bias=bias)
    first = attend(x[:, :4], mask=mask, bias=bias[:, :4, :4], cache=cache)
    rest = []
    for i in (4, 5):
        seen = bias[:, i : i + 1, i - cache.beside() : i + 1]
        rest.append(attend(x[:, i : i + 1], mask=mask, bias=seen, cache=cache))
    torch.testing.assert_close(torch.cat([first, *rest], dim=1), whole)
    assert not torch.allclose(whole, attend(x, mask=mask))
    if isinstance(positions, ALiBi):
        both = bias + positions.bias(torch.empty(3, 6, 4).to(bias), 6)
        attend.positions = None
        torch.testing.assert_close(attend(x, mask=mask, bias=both), whole)


def test_a_bias_that_learns_is_not_overwritten_by_a_cache(device: str) -> None:
    attend = MultiHeadAttention(12, 3, device=device).requires_grad_(False)
    x, cache = torch.randn(2, 6, 12, device=device), KVCache(6)
    bias = torch.zeros(1, 6, device=device, requires_grad=True)
    outs = [attend(x[:, i : i + 1], bias=bias[:, : i + 1], cache=cache) for i in range(6)]
    torch.cat(outs, dim=1).sum().backward()
    assert bias.grad.abs().sum() > 0


def test_a_bias_beside_that_of_positions_has_the_dtype_of_the_queries(device: str) -> None:
    attend = MultiHeadAttention(12, 3, positions=ALiBi(), device=device)
    x, bias = torch.randn(2, 5, 12, device=device), torch.randn(5, 5, device=device).half()
    with pytest.raises(TypeError, match=r"^bias has dtype torch\.float16 but query has"):
        attend(x, bias=bias)
    with torch.autocast(device, torch.bfloat16):  # which gives them one
        torch.testing.assert_close(attend(x, bias=bias), attend(x, bias=bias.bfloat16()))


def test_a_bias_of_one_head(device: str) -> None:
    attend = SelfAttention(12, 4, causal=True, device=device)
    x, bias = torch.randn(2, 5, 12, device=device), torch.randn(2, 1, 5, 5, device=device)
    rows = (layer(x) for layer in (attend.query_proj, attend.key_proj, attend.value_proj))
    want = dot_product_attention(*(row[:, None] for row in rows), Causal(), bias=bias)
    torch.testing.assert_close(attend(x, bias=bias), want[:, 0])
