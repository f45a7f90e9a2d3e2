"""Masks × heads × layouts × dtypes × sizes, against float64 and against FlexAttention."""

from itertools import product

import pytest
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, Documents, Padding, PrefixLM, SlidingWindow, dot_product_attention

pytestmark = pytest.mark.slow  # what laws.md asks of fewer

LENGTHS = torch.tensor([5, 2])
IDS = torch.tensor([[0, 0, 1, 1, 1], [3, 3, 3, 2, 2]])
MASKS = {  # for 5 keys, and 2 sequences where they differ
    "none": None,
    "causal": Causal(),
    "window": Causal() & SlidingWindow(2),
    "right": Padding(LENGTHS),
    "left": Padding(LENGTHS, side="left") & Causal(),
    "documents": Documents(IDS),
    "prefix": PrefixLM(2) & ~Documents(IDS),
}
HEADS = [(2, 2), (4, 2), (3, 1), (1, 1)]
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


def layout(tensor: Tensor, name: str) -> Tensor:
    if name == "transposed":  # as a projection leaves it: (batch, tokens, heads, width) in memory
        return tensor.transpose(1, 2).contiguous().transpose(1, 2)
    if name == "expanded":  # one token, many times, in the memory of one
        return tensor[..., :1, :].expand_as(tensor)
    return tensor


@pytest.mark.parametrize("backend", ["loops", "eager", "fused"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_backend_is_the_same_function(backend: str, dtype: torch.dtype, draw) -> None:
    """Against torch in float64: an error of one rounding of each value's own size, no more."""
    eps = max(torch.finfo(dtype).eps, 2e-15 if dtype == torch.float64 else 2e-6)
    cases = list(product(MASKS, HEADS, (1, 2, 5, 7)))
    # Loops are slow: one case of five, a step that meets every mask, every group and every size.
    for n, (name, (heads, kv_heads), queries) in enumerate(cases):
        if backend == "loops" and n % 5:
            continue
        how = ("plain", "transposed", "expanded")[n % 3]
        shapes = (heads, queries, 3), (kv_heads, 5, 3), (kv_heads, 5, 3 + n % 7 // 4)
        inputs = [layout(draw(2, *shape, dtype=dtype, grad=False), how) for shape in shapes]
        mask = None if MASKS[name] is None else MASKS[name].to(inputs[0].device)
        got = dot_product_attention(*inputs, mask, backend=backend)
        query, key, value = (tensor.double() for tensor in inputs)
        keep = None if mask is None else mask.to_tensor(queries, 5, device=query.device)
        want = scaled_dot_product_attention(query, key, value, attn_mask=keep, enable_gqa=True)
        size = scaled_dot_product_attention(
            query, key, value.abs(), attn_mask=keep, enable_gqa=True
        )
        assert got.dtype == dtype
        # The kernel rounds weights and context, each to half a unit; scores add less.
        assert ((got.double() - want).abs() <= 2 * eps * size + 1e-15).all()


@pytest.mark.parametrize("backend", ["loops", "eager", "fused"])
@pytest.mark.parametrize("sizes", [(0, 2, 3, 5), (2, 0, 3, 5), (2, 2, 0, 5), (2, 2, 3, 0)])
def test_size_zero(backend: str, sizes: tuple[int, ...], draw) -> None:
    batch, heads, queries, keys = sizes
    query, key = draw(batch, heads, queries, 4), draw(batch, heads, keys, 4)
    value = draw(batch, heads, keys, 3)
    for mask in (None, Causal(), PrefixLM(1) & SlidingWindow(2)):
        got = dot_product_attention(query, key, value, mask, backend=backend)
        assert got.shape == (batch, heads, queries, 3)
        assert not got.any()
        got.sum().backward()


@pytest.mark.untyped  # FlexAttention counts a rule's parameters, which beartype hides
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("queries", [2, 5])
def test_agrees_with_flex_attention(name: str, queries: int, draw) -> None:
    """Uncompiled; its rule is ours, and its own blocks are skipped."""
    mask = None if MASKS[name] is None else MASKS[name].to(draw(1).device)
    query, key = draw(2, 4, queries, 4, grad=False), draw(2, 2, 5, 4, grad=False)
    value = draw(2, 2, 5, 4, grad=False)
    blocks = None if mask is None else mask.block_mask(queries, 5, device=query.device)
    theirs = flex_attention(query, key, value, block_mask=blocks, scale=0.3, enable_gqa=True)
    for backend in ("loops", "eager", "fused"):
        ours = dot_product_attention(query, key, value, mask, scale=0.3, backend=backend)
        torch.testing.assert_close(ours, theirs)
