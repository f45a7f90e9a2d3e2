"""Anything at all as an argument: a result, or one sentence of ours."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from inputs import examples, ours

from attention import (
    ALiBi,
    AttentionGraph,
    AttentionTable,
    Causal,
    Documents,
    KVCache,
    MultiHeadAttention,
    Padding,
    PrefixLM,
    RollingKVCache,
    Rotary,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
    sinusoidal,
)
from attention.functional import NAMES
from attention.loading import from_bart, from_bloom, from_llama, from_modernbert
from attention.positions.alibi import slopes

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.slow, pytest.mark.untyped]
DTYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool, torch.uint8,
    torch.int8, torch.int64, torch.uint16, torch.complex64, torch.float8_e4m3fn,
]  # fmt: skip
SHAPES = st.lists(st.integers(0, 3), max_size=5).map(tuple)


@st.composite
def anything(draw: st.DrawFn):
    """Numbers, words, classes, tensors of any dtype and shape, and what is none of them."""
    plain = st.sampled_from(
        [None, True, False, 0, 1, 2, 3, -1, 0.0, 0.5, 1.0, -0.5, 1e-300, 1e300, math.nan,
         math.inf, -math.inf, 1j, "", "left", "tiled", b"x", [], [1.0], (), {}, Causal, Causal(),
         Rotary, Rotary(), ALiBi(), KVCache, KVCache(), RollingKVCache(2), SlidingWindow(1), object,
         torch.float32, torch.int64, torch.device("meta")]
    )  # fmt: skip
    if draw(st.booleans()):
        return draw(plain)
    dtype, shape = draw(st.sampled_from(DTYPES)), draw(SHAPES)
    device = "meta" if draw(st.integers(0, 9)) == 0 else "cpu"
    return torch.ones(shape, device=device).to(dtype)


def bent(draw, arguments: dict) -> dict:
    """Good arguments of which one or two are replaced by anything."""
    for name in draw(st.lists(st.sampled_from(sorted(arguments)), min_size=1, max_size=2)):
        arguments[name] = draw(anything())
    return arguments


@examples(120)
@given(st.data())
def test_dot_product_attention(data) -> None:
    query, key = torch.ones(2, 4, 3, 2), torch.ones(2, 2, 5, 2)
    call = bent(
        data.draw,
        {"query": query, "key": key, "value": key, "mask": None, "bias": None, "scale": None,
         "softcap": None, "dropout_p": 0.0, "backend": data.draw(st.sampled_from(NAMES))},
    )  # fmt: skip
    ours(lambda: dot_product_attention(**call))


@examples(80)
@given(st.data())
def test_modules(data) -> None:
    call = bent(
        data.draw,
        {"embed_dim": 4, "num_heads": 2, "num_kv_heads": 1, "head_dim": 2, "dropout": 0.0,
         "positions": None, "qk_norm": False, "softcap": None, "scale": None},
    )  # fmt: skip
    ours(lambda: MultiHeadAttention(**call))
    call = bent(data.draw, {"embed_dim": 4, "head_dim": None, "dropout": 0.0})
    ours(lambda: SelfAttention(**call))


@examples(80)
@given(st.data(), st.sampled_from([None, Rotary(), ALiBi()]))
def test_calls_of_modules(data, positions) -> None:
    attend, x = MultiHeadAttention(4, 2, positions=positions), torch.ones(2, 3, 4)
    call = bent(data.draw, {"query": x, "key": None, "value": None, "mask": None, "cache": None})
    ours(lambda: attend(**call))
    if positions is None:
        call = bent(data.draw, {"key": x, "value": None})
        ours(lambda: attend.remember(**call))
    alone = SelfAttention(4, causal=data.draw(st.booleans()))
    call = bent(data.draw, {"x": x, "mask": None})
    ours(lambda: alone(**call))


@examples(120)
@given(st.data())
def test_masks_positions_and_caches(data) -> None:
    x, at = torch.ones(2, 3, 4), torch.arange(3)
    calls = [
        (SlidingWindow, {"width": 2}),
        (PrefixLM, {"length": 2}),
        (Padding, {"lengths": at, "side": "left"}),
        (Documents, {"ids": at[None]}),
        (Causal().to_tensor, {"queries": 2, "keys": 3}),
        (Padding(at).to_tensor, {"queries": 2, "keys": 3}),
        (Documents(at[None]).to_tensor, {"queries": 2, "keys": 3}),
        (Causal().mask_mod, {"queries": 2, "keys": 3}),
        (lambda one, other: one & other, {"one": Causal(), "other": Padding(at)}),
        (lambda one, other: one | other, {"one": Documents(at[None]), "other": Causal()}),
        (Rotary, {"base": 10.0, "width": 2, "layout": "half"}),
        (Rotary().rotate, {"x": x, "at": at}),
        (Rotary(width=2).rotate, {"x": x, "at": at}),
        (sinusoidal, {"at": at, "width": 4, "base": 10.0, "dtype": torch.float32}),
        (slopes, {"heads": 3}),
        (KVCache, {"capacity": 4, "fixed": False}),
        (RollingKVCache, {"window": 4}),
        (KVCache().update, {"key": x, "value": x}),
        (RollingKVCache(2).update, {"key": x, "value": x}),
        (filled().update, {"key": x[None], "value": x[None]}),
        (filled().crop, {"length": 1}),
        (filled().reorder, {"index": torch.tensor([0])}),
    ]
    function, call = data.draw(st.sampled_from(calls))
    if "one" in call:
        call = {**call, "other": data.draw(anything())}
    else:
        call = bent(data.draw, dict(call))
    ours(lambda: function(**call))


def filled() -> KVCache:
    cache = KVCache()
    cache.update(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))
    return cache


STATES = ["q_proj.weight", "o_proj.bias", "k_norm.weight", "query_key_value.weight",
         "query_key_value.bias", "dense.weight", "Wqkv.weight", "Wo.weight", "x", 3]  # fmt: skip


@examples(80)
@given(st.data(), st.dictionaries(st.sampled_from(STATES), anything(), max_size=4))
def test_loading(data, theirs) -> None:
    theirs = data.draw(st.just(theirs) | anything())
    for load in (from_llama, from_bart, from_modernbert):
        ours(lambda load=load: load(theirs))
    heads = data.draw(anything())
    ours(lambda: from_bloom(theirs, heads))
    ours(lambda: MultiHeadAttention.from_torch(heads))


@examples(80)
@given(st.data(), st.sampled_from([AttentionGraph, AttentionTable]))
def test_views(data, view) -> None:
    call = {"weights": torch.full((2, 2), 0.5), "tokens": ["a", "b"], "queries": None}
    more = (
        {"at_least": 0.0, "strongest": None}
        if view is AttentionGraph
        else {"digits": 2, "full": 1.0}
    )
    call = bent(data.draw, call | more)
    made = ours(lambda: view(**call))
    if not isinstance(made, str):
        repr(made), made.markup()
