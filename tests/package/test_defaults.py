"""What is so if nobody says otherwise, and sentences, to their last word."""

import re

import numpy as np
import pytest
import torch
from torch import nn

from attention import (
    AttentionGraph,
    AttentionTable,
    Causal,
    KVCache,
    MultiHeadAttention,
    Positions,
    PrefixLM,
    RollingKVCache,
    Rotary,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
    sinusoidal,
)
from attention.cache.base import Cache

pytestmark = pytest.mark.untyped  # what is wrong is so on purpose
X = torch.linspace(-1, 1, 40).reshape(5, 8)


def says(error: type[Exception], sentence: str):
    return pytest.raises(error, match=f"^{re.escape(sentence)}$")


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.* is deprecated")  # torch's own use
@pytest.mark.parametrize("backend", ["fused", "tiled", "spans", "triton"])
def test_what_does_not_work_under_torch_func(backend: str) -> None:
    why = f"backend '{backend}' works neither under torch.func nor in forward mode: expected eager"
    for transform in (torch.func.vmap, torch.func.grad, torch.func.jacfwd):
        with says(ValueError, why):
            transform(lambda x: dot_product_attention(x, x, x, Causal(), backend=backend))(X[None])


@pytest.mark.parametrize("backend", ["spans", "triton"])
def test_what_does_not_compile(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    what = "plans with values, which are not there yet"
    with says(ValueError, f"backend '{backend}' {what}: expected fused"):
        dot_product_attention(X, X, X, Causal(), backend=backend)


def test_a_mask_is_neither_true_nor_false() -> None:
    with says(TypeError, "a mask is neither true nor false: combine masks with &, | and ~"):
        bool(Causal())


def test_torch_s_kernel_has_no_second_derivative() -> None:
    x = X.expand(2, 5, 8).clone().requires_grad_()
    which = "expected backend eager, tiled or loops; of a module, return_weights=True"
    for rows in (5, 1):  # of a group, one query is folded and unfolded again
        context = dot_product_attention(x[:, :rows], x[:1], x[:1], backend="fused")
        (grad,) = torch.autograd.grad(context.sum(), x, create_graph=True)
        with says(RuntimeError, f"this kernel cannot be differentiated twice: {which}"):
            grad.sum().backward()


class Half(Cache):
    """A cache whose author stopped."""


def test_an_unfinished_cache_says_what_it_lacks() -> None:
    for name, arguments in {"join": (X, X), "_held": (X,)}.items():
        with says(NotImplementedError, f"Half does not define {name}"):
            getattr(Half, name)(Half.__new__(Half), *arguments)


def test_the_bounds_belong_to_what_is_taken() -> None:
    weights, tokens = torch.eye(2), ["a", "b"]
    assert AttentionGraph(weights, tokens, at_least=1).edges
    assert "1.000000" in AttentionTable(weights, tokens, digits=6).markup()


def test_modules_return_contexts_alone() -> None:
    assert SelfAttention(8, 4)(X).shape == (5, 4)
    assert MultiHeadAttention(8, 2)(X).shape == (5, 8)


def test_blocks_of_a_block_mask_have_128_rows() -> None:
    assert Causal().block_mask(256, 256).BLOCK_SIZE == (128, 128)


def test_norms_of_queries_and_keys_are_like_the_module() -> None:
    module = MultiHeadAttention(8, 2, qk_norm=True, dtype=torch.float64)
    for norm in (module.query_norm, module.key_norm):
        assert norm.eps == 1e-6
        assert norm.weight.dtype == torch.float64


def test_what_a_module_says_of_itself() -> None:
    said = repr(MultiHeadAttention(8, 2, positions=Rotary(width=4)))
    assert said.splitlines()[1].startswith(
        "  num_heads=2, num_kv_heads=2, head_dim=4, dropout=0.0, positions=Rotary("
    )

    class Learned(nn.Module, Positions):
        pass

    assert repr(MultiHeadAttention(8, 2, positions=Learned())).count("Learned()") == 1


@pytest.mark.parametrize("whole", [np.int64, np.int32, np.uint8])
def test_whole_numbers_of_numpy_become_those_of_python(whole: type) -> None:
    made = MultiHeadAttention(whole(8), whole(2), num_kv_heads=whole(1), head_dim=whole(6))
    assert str(made) == str(MultiHeadAttention(8, 2, num_kv_heads=1, head_dim=6))
    assert type(made.embed_dim) is type(made.head_dim) is type(made.num_kv_heads) is int
    assert str(SelfAttention(whole(8), whole(4))) == str(SelfAttention(8, 4))
    assert str(Rotary(width=whole(4))) == str(Rotary(width=4))
    assert str(SlidingWindow(whole(3)) & PrefixLM(whole(2))) == str(SlidingWindow(3) & PrefixLM(2))
    assert str(RollingKVCache(whole(3))) == str(RollingKVCache(3))
    assert torch.equal(sinusoidal(X.long()[0], whole(4)), sinusoidal(X.long()[0], 4))
    assert torch.equal(Causal().to_tensor(whole(2), whole(3)), Causal().to_tensor(2, 3))
    assert str(Causal().block_mask(whole(2), whole(3), block_size=whole(2))) == str(
        Causal().block_mask(2, 3, block_size=2)
    )
    assert AttentionTable(X.softmax(dim=-1), list("abcdefgh"), digits=whole(3)).digits == 3
    cache = KVCache(whole(8), fixed=True)
    made(X, cache=cache)
    cache.crop(whole(2))
    assert str(cache) == "KVCache(length=2, capacity=8, fixed=True)"


@pytest.mark.parametrize("name", ["key", "value"])
def test_a_module_names_the_input_that_is_wrong(name: str) -> None:
    given = {"query": X, "key": X, "value": X, name: X[:, :4]}
    with pytest.raises(ValueError, match=f"^{name} has width 4: expected "):
        MultiHeadAttention(8, 2)(**given)
    given[name] = X.expand(2, 5, 8)
    with pytest.raises(ValueError, match=rf"^{name} has batch axes \(2,\) but query has \(\): "):
        MultiHeadAttention(8, 2)(**given)


def test_a_cache_names_what_is_no_tensor() -> None:
    rows = X[None]
    with says(TypeError, "key is a list: expected a torch.Tensor"):
        KVCache().update([], rows)
    with says(TypeError, "value is a list: expected a torch.Tensor"):
        KVCache().update(rows, [])
