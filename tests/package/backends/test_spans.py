"""Structured masks on torch's CPU kernel, block by block: the same, and only where it can."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.backends.spans import hidden
from attention.blocks import Blocks, cached, equal
from attention.blocks.equal import Every, Tables
from attention.dispatch import choice
from attention.dispatch.call import Call
from attention.kept import Kept

pytestmark = pytest.mark.slow

IDS = torch.tensor([[5] * 70 + [2] + [3] * 129 + [9] * 100, [0] * 30 + [7] * 270])


class Comb(Mask):
    """All see the first keys, and every second query others as well."""

    def __call__(self, batch, head, query, key):
        return (key < 50) | ((key >= 100) & (key < 200) & (query % 2 == 0))

    def intervals(self, query: Tensor, keys: int) -> list:
        return [(0, 50), (100, torch.where(query % 2 == 0, 200, 100))]


MASKS = {
    "causal": Causal(),
    "window": Causal() & SlidingWindow(100),
    "both sides": SlidingWindow(70),
    "padded window": Causal() & SlidingWindow(100) & Padding(torch.tensor([300, 170])),
    "padding": Padding(torch.tensor([0, 133])),
    "left": Causal() & Padding(torch.tensor([0, 133]), side="left"),
    "documents": Causal() & Documents(IDS),
    "prefix": PrefixLM(130),
    "narrow prefix": PrefixLM(8),
    "comb": Comb(),
    "sink": Causal() & (SlidingWindow(64) | ~SlidingWindow(150)),
    "later": ~Causal(),
}
SHAPES = [(300, 4, 4), (300, 8, 2), (60, 4, 2), (1, 4, 4), (400, 2, 2)]


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def exact(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> list[Tensor]:
    """Context and gradients in float64, by the backend that forms all scores."""
    wide = [x.detach().double().requires_grad_() for x in (query, key, value)]
    context = dot_product_attention(*wide, mask, backend="eager")
    return [context, *torch.autograd.grad(context, wide, context.detach().sin())]


def found(query: Tensor, key: Tensor, value: Tensor, mask: Mask | Tensor, backend: str) -> list:
    inputs = [x.detach().requires_grad_() for x in (query, key, value)]
    context = dot_product_attention(*inputs, mask, backend=backend)
    return [context, *torch.autograd.grad(context, inputs, context.detach().sin())]


def torchs_own(query: Tensor, key: Tensor, value: Tensor, keep: Tensor) -> list[Tensor]:
    inputs = [x.detach().requires_grad_() for x in (query, key, value)]
    context = scaled_dot_product_attention(*inputs, keep)
    return [context, *torch.autograd.grad(context, inputs, context.detach().sin())]


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


class Holes(Mask):
    """A window in which nobody sees every 64th key, and every 64th query sees nothing."""

    def __call__(self, batch, head, query, key):
        return (abs(query - key) < 5) & (query % 64 != 20) & (key % 64 != 34)

    def intervals(self, query: Tensor, keys: int) -> list:
        start, stop = query - 4, torch.where(query % 64 == 20, query - 4, query + 5)
        hole = start + (34 - start) % 64
        return [(start, stop.minimum(hole)), (hole + 1, stop)]


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


FAR = Causal() & SlidingWindow(800)


def shapes(queries: int, keys: int, width: int = 64, wide: int = 64, kv: int = 8, **like) -> dict:
    """Queries, keys and values of 8 heads."""
    return {
        "query": torch.zeros(1, 8, queries, width, **like),
        "key": torch.zeros(1, kv, keys, width, **like),
        "value": torch.zeros(1, kv, keys, wide, **like),
    }


def taken(**given) -> str:
    """The backend that auto takes for a call, by default one under a window."""
    query = given.pop("query", torch.zeros(1, 2, 1024, 16))
    call: dict = {"key": query, "value": query, "mask": Causal() & SlidingWindow(64), **given}
    return choice.auto(Call(query, **call))[0]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "spans"),
        ({"mask": Causal() & Documents(torch.arange(1024)[None] // 100)}, "spans"),
        ({"mask": Padding(torch.tensor([512]))}, "fused"),  # torch is given those keys alone
        (
            {"mask": Padding(torch.tensor([512, 100])), "query": torch.zeros(2, 2, 1024, 16)},
            "spans",
        ),
        ({"mask": Padding(torch.tensor([1024]))}, "fused"),  # nothing to leave out
        ({"mask": Causal()}, "fused"),  # too few scores to gain on torch's own causal mask
        ({"mask": Causal(), "query": torch.zeros(1, 8, 512, 16)}, "spans"),
        ({"mask": Causal(), "query": torch.zeros(1, 8, 511, 16)}, "fused"),
        ({"mask": Causal(), "query": torch.zeros(8, 8, 2048, 16)}, "fused"),  # nor on long texts
        ({"mask": Causal(), "query": torch.zeros(1, 8, 512, 16, requires_grad=True)}, "fused"),
        ({"query": torch.zeros(1, 2, 1024, 16, dtype=torch.float16)}, "spans"),
        (
            {"query": torch.zeros(1, 2, 1024, 16).bfloat16(), "mask": Padding(torch.tensor([600]))},
            "fused",
        ),
        ({"mask": None}, "fused"),
        ({"mask": torch.ones(1024, 1024, dtype=torch.bool)}, "fused"),
        ({"mask": Documents(torch.arange(1024)[None] % 2)}, "fused"),  # no stretches
        ({"query": torch.zeros(1, 2, 64, 16)}, "fused"),  # too few scores
        ({"query": torch.zeros(1, 1, 512, 16)}, "spans"),  # just enough
        ({"query": torch.zeros(1, 1, 511, 16)}, "fused"),
        ({"query": torch.zeros(2, 4, 512, 16), "mask": PrefixLM(400)}, "spans"),
        ({"query": torch.zeros(2, 4, 512, 16), "mask": PrefixLM(480)}, "fused"),
        ({"query": torch.zeros(1, 2, 1024, 16, device="meta")}, "fused"),
        ({"bias": torch.zeros(1, 1)}, "fused"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1024, 1)}, "tiled"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1023, 1)}, "fused"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1024, 1), "mask": None}, "fused"),
        ({"bias": torch.zeros(1, 1), "query": torch.zeros(1, 9, 1024, 1, device="meta")}, "fused"),
        (  # six of ten tiles are left
            {"bias": torch.zeros(1, 1), "query": torch.zeros(1, 4, 1280, 1), "mask": Causal()},
            "fused",
        ),
        ({"dropout_p": 0.1}, "eager"),
        ({"dropout_p": 0.1, "query": torch.zeros(1, 2, 1024, 16, device="meta")}, "fused"),
        ({"value": torch.zeros(1, 2, 1024, 8)}, "spans"),
        ({"value": torch.zeros(1, 2, 1024, 8), "mask": None}, "fused"),
        (
            {
                "query": torch.zeros(1, 2, 511, 8),
                "key": torch.zeros(1, 2, 511, 8),
                "value": torch.zeros(1, 2, 511, 9),
                "mask": None,
            },
            "eager",
        ),
        (  # sequences on two axes, which a plan does not tell apart
            {"query": torch.zeros(1, 2, 2, 512, 16), "mask": Padding(torch.tensor([256, 256]))},
            "fused",
        ),
        # Copies of all keys, for few queries on few of them.
        ({**shapes(4, 16384), "mask": FAR}, "fused"),
        ({**shapes(64, 16384, dtype=torch.bfloat16), "mask": FAR}, "fused"),
        ({**shapes(64, 16384, dtype=torch.float16), "mask": FAR}, "fused"),
        ({**shapes(64, 16384, wide=32), "mask": FAR}, "eager"),
        ({**shapes(1024, 1024, wide=32), "mask": Causal() & SlidingWindow(200)}, "spans"),
        # Values of another width.
        ({**shapes(1024, 1024, wide=32), "mask": None}, "fused"),
        ({**shapes(1023, 1024, wide=32), "mask": None}, "eager"),
        ({**shapes(1024, 1023, wide=32), "mask": None}, "eager"),
        ({**shapes(1024, 1024, 128, 192), "mask": None}, "fused"),
        ({**shapes(1024, 1024, 16, 128), "mask": None}, "eager"),
        ({**shapes(1448, 1448, 16, 128), "mask": None}, "eager"),
        ({**shapes(1449, 1449, 16, 128), "mask": None}, "tiled"),
        ({**shapes(1449, 1449, 16, 128), "mask": None, "dropout_p": 0.1}, "eager"),
        # The same under a bias, where heads share keys.
        ({**shapes(255, 64, wide=32, kv=2), "mask": None, "bias": torch.zeros(1, 1)}, "eager"),
        ({**shapes(255, 64, wide=32, kv=4), "mask": None, "bias": torch.zeros(1, 1)}, "eager"),
        ({**shapes(256, 64, wide=32, kv=2), "mask": None, "bias": torch.zeros(1, 1)}, "fused"),
        ({**shapes(255, 64, wide=32, kv=8), "mask": None, "bias": torch.zeros(1, 1)}, "fused"),
        ({**shapes(255, 64, kv=2), "mask": None, "bias": torch.zeros(1, 1)}, "fused"),
        # A softcap, on the keys that are in sight.
        ({**shapes(64, 32768), "mask": FAR, "softcap": 1.0}, "eager"),
        ({**shapes(64, 32768), "mask": None, "softcap": 1.0}, "tiled"),
        ({"return_weights": True}, "eager"),
        ({"softcap": 1.0}, "eager"),
        ({"softcap": 1.0, "query": torch.zeros(1, 16, 1024, 1)}, "tiled"),
        ({"softcap": 1.0, "query": torch.zeros(1, 16, 1024, 1), "mask": None}, "tiled"),
        ({"softcap": 1.0, "query": torch.zeros(1, 4, 1024, 1)}, "tiled"),
        ({"softcap": 1.0, "query": torch.zeros(1, 4, 1024, 1), "mask": Causal()}, "eager"),
        ({"softcap": 1.0, "query": torch.zeros(1, 16, 1024, 1), "dropout_p": 0.1}, "eager"),
    ],
)
def test_auto_takes_it_only_where_it_can_and_gains(given: dict, name: str) -> None:
    assert taken(**given) == name


@pytest.mark.parametrize("tokens", [8, 1024])
def test_a_mask_of_more_axes_than_the_queries_is_refused_at_any_length(tokens: int) -> None:
    query, mask = torch.zeros(tokens, 16), Documents(torch.zeros(1, tokens, dtype=torch.int64))
    with pytest.raises(ValueError, match=rf"mask has shape \(1, 1, {tokens}, {tokens}\): expected"):
        dot_product_attention(query, query, query, Causal() & mask)


@pytest.mark.parametrize("mask", [Causal() & SlidingWindow(64), PrefixLM(100), ~Causal()])
def test_another_device_may_be_the_default(mask: Mask) -> None:
    query = torch.randn(1, 2, 600, 16, requires_grad=True)
    with torch.device("meta"):
        context = dot_product_attention(query, query, query, mask)
        context.sum().backward()
    assert context.is_cpu
    keep = mask.to_tensor(600, 600)
    torch.testing.assert_close(context, dot_product_attention(query, query, query, keep))


def test_auto_is_eager_under_torch_func(generator: torch.Generator) -> None:
    query = torch.randn(3, 1, 2, 512, 8, generator=generator)
    mask = Causal() & SlidingWindow(64)
    one = torch.vmap(lambda x: dot_product_attention(x, x, x, mask))(query)
    torch.testing.assert_close(one, dot_product_attention(query, query, query, mask))


@pytest.mark.parametrize("backend", ["spans", "fused"])
def test_a_second_derivative_names_a_backend_that_has_one(
    backend: str, generator: torch.Generator
) -> None:
    query = torch.randn(1, 2, 64, 8, generator=generator, requires_grad=True)
    mask = Causal() & SlidingWindow(8)
    context = dot_product_attention(query, query, query, mask, backend=backend)
    (grad,) = torch.autograd.grad(context.sum(), query, create_graph=True)
    with pytest.raises(RuntimeError, match="twice: expected backend eager, tiled or loops"):
        torch.autograd.grad(grad.sum(), query)
