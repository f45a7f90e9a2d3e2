"""Structured masks on torch's CPU kernel, block by block: the same."""

import math

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention import Causal, SlidingWindow, dot_product_attention
from attention.backends.spans import hidden
from attention.blocks import Blocks, cached, equal
from attention.blocks.equal import Every, Tables
from attention.kept import Kept

from .exact import MASKS, SHAPES, Holes, exact, found, torchs_own

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize(("queries", "heads", "kv_heads"), SHAPES)
def test_the_same_as_all_scores_at_once(
    name: str, queries: int, heads: int, kv_heads: int, generator: torch.Generator
) -> None:
    mask, shape = MASKS[name], {"generator": generator, "dtype": torch.float64}
    query = torch.randn(2, heads, queries, 16, **shape)
    key, value = (torch.randn(2, kv_heads, 300, 16, **shape) for _ in range(2))
    ours = found(query, key, value, mask, "spans")
    for one, other in zip(ours, exact(query, key, value, mask), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["window", "documents", "prefix", "causal"])
@pytest.mark.parametrize("backend", ["spans", "tiled", "eager", "auto"])
def test_no_more_than_twice_the_error_of_torch(
    backend: str, name: str, dtype: torch.dtype, generator: torch.Generator
) -> None:
    """Contexts and gradients, with the rule of FlashAttention's own tests.

    Two matrix products are held against torch's own two: with MKL's sums for AVX-512, their
    gradients of the values err up to four times as much as those of torch's fused kernel.
    """
    query, key, value = (
        torch.randn(2, 4, 300, 32, generator=generator, dtype=dtype) for _ in range(3)
    )
    mask = MASKS[name]
    want = exact(query, key, value, mask)
    ours = found(query, key, value, mask, backend)
    with sdpa_kernel(SDPBackend.MATH if backend == "eager" else SDPBackend.FLASH_ATTENTION):
        torchs = torchs_own(query, key, value, mask.to_tensor(300, 300))
    for one, other, true in zip(ours, torchs, want, strict=True):
        # float64 is its own truth here: what two orders of the same sums differ by.
        least = 1e-14 if dtype == torch.float64 else 0.0
        assert (one - true).abs().max() <= 2 * (other - true).abs().max() + least


def test_what_takes_no_part_may_be_anything(generator: torch.Generator) -> None:
    """Keys that nobody sees and queries that see nothing: inside of each block, and of the last."""
    inputs = [torch.randn(2, 2, 300, 16, generator=generator) for _ in range(3)]
    want = found(*inputs, Holes(), "spans")
    inputs[0][:, :, 20::64] = math.nan
    inputs[1][:, :, 34::64] = math.nan
    inputs[2][:, :, 34::64] = math.inf
    ours = found(*inputs, Holes(), "spans")
    assert not ours[0][:, :, 20::64].any()
    for one, other in zip(ours, want, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("scale", [0.0, 1.0, -0.3])
def test_a_scale_that_is_given(scale: float, generator: torch.Generator) -> None:
    shape = {"generator": generator, "dtype": torch.float64, "requires_grad": True}
    inputs = [torch.randn(1, 2, 100, 16, **shape) for _ in range(3)]
    mask, both = Causal() & SlidingWindow(20), []
    for backend in ("spans", "eager"):
        context = dot_product_attention(*inputs, mask, scale=scale, backend=backend)
        both.append([context, *torch.autograd.grad(context, inputs, context.detach().sin())])
    for one, other in zip(*both, strict=True):
        torch.testing.assert_close(one, other)


def test_what_is_added_to_scores_has_their_dtype() -> None:
    """The kernel reads it as if it had, whatever it has: also beyond its end."""
    for keep in (None, torch.ones(4, 3, dtype=torch.bool)):
        tables = Tables(keep, None, None)
        part = Blocks(Every(0, 4, 4), Every(0, 3, 3), 1, fresh=True, tables=tables)
        added = hidden(part, 1, torch.empty(0, 0, 0, dtype=torch.float64))
        assert added is not None
        assert added.dtype == torch.float64


@pytest.mark.parametrize("default", [torch.float32, torch.float64])
@pytest.mark.parametrize(("width", "small"), [(100, True), (1100, False)])
def test_what_a_table_adds_to_the_scores_is_held_if_it_is_small(
    width: int, small: bool, default: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In single precision, whatever the default; of a large one it is made in each call."""
    monkeypatch.setattr(cached, "kept", Kept(8))
    equal.again.cache_clear()
    mask = Causal() & SlidingWindow(width)
    torch.set_default_dtype(default)
    try:
        plan = cached.plan(mask, 1400, 1400)
        x = torch.randn(3, 1, 2, 1400, 8, dtype=torch.float32)
        got = dot_product_attention(*x, mask, backend="spans")
        want = dot_product_attention(*x, mask, backend="eager")
    finally:
        torch.set_default_dtype(torch.float32)
    assert plan
    tables = [block.tables.hidden for block in plan.parts[0][2] if block.tables.keep is not None]
    assert all(table is not None for table in tables) is small
    assert {table.dtype for table in tables if table is not None} == {torch.float32}
    torch.testing.assert_close(got, want)


def test_strides_and_missing_axes_do_not_matter(generator: torch.Generator) -> None:
    wide = torch.randn(300, 3, 2, 16, generator=generator)  # as a projection of all three gives it
    query, key, value = wide.permute(1, 2, 0, 3)
    mask = Causal() & SlidingWindow(40)
    want = dot_product_attention(query, key, value, mask, backend="eager")
    for inputs in (
        (query, key, value),
        (query[None], key[None], value[None]),
        tuple(x.mT.contiguous().mT for x in (query, key, value)),
        tuple(x[None, None].expand(2, 2, *x.shape) for x in (query, key, value)),
    ):
        got = dot_product_attention(*inputs, mask, backend="spans")
        torch.testing.assert_close(got, want.expand(got.shape))
    one = dot_product_attention(query[0], key[0], value[0], mask, backend="spans")
    torch.testing.assert_close(one, want[0])
