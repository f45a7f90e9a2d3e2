"""Recorded, and on tensors that have only a shape: the same function, and no warning."""

import warnings

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

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

pytestmark = pytest.mark.usefixtures("no_warning")


@pytest.mark.parametrize("backend", ["eager", "fused", "auto"])
def test_meta(backend: str) -> None:
    query, key = torch.empty(2, 4, 5, 4, device="meta"), torch.empty(2, 2, 5, 4, device="meta")
    mask = (Causal() & Padding(torch.tensor([1, 2]))).to("meta")
    context = dot_product_attention(query, key, key, mask, backend=backend)
    assert context.device.type == "meta"
    assert context.shape == (2, 4, 5, 4)


LARGE = {"causal": Causal(), "window": Causal() & SlidingWindow(64)}


@pytest.mark.parametrize("name", LARGE)
def test_tensors_that_have_only_a_shape(name: str) -> None:
    """Before a call with values and after it: nothing is kept of one for the other."""
    x = torch.randn(1, 8, 512, 4)
    for _ in range(2):
        with FakeTensorMode():
            fake = torch.empty(1, 8, 512, 4)
            assert dot_product_attention(fake, fake, fake, LARGE[name]).shape == x.shape
        dot_product_attention(x, x, x, LARGE[name])


@pytest.mark.parametrize("mask", [None, Causal()], ids=["none", "causal"])
def test_a_module_of_tensors_that_have_only_a_shape_outside_of_their_mode(mask) -> None:
    x = torch.randn(1, 8, 12)
    with FakeTensorMode(allow_non_fake_inputs=True):
        attend = MultiHeadAttention(12, 3)
        fake = torch.empty(1, 8, 12)
    assert attend(fake, mask=mask).shape == x.shape


@pytest.mark.untyped  # a size that is a symbol is no int
@pytest.mark.parametrize("tracing", ["real", "fake", "symbolic"])
@pytest.mark.parametrize("name", LARGE)
def test_recorded(name: str, tracing: str) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, LARGE[name])

    x = torch.randn(1, 8, 512, 4)
    torch.testing.assert_close(make_fx(attend, tracing_mode=tracing)(x)(x), attend(x))


@pytest.mark.untyped
@pytest.mark.parametrize("mask", [None, Causal()], ids=["none", "causal"])
@pytest.mark.parametrize("tracing", ["real", "fake"])
def test_what_was_recorded_of_few_tokens_holds_for_others(mask, tracing: str) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, mask)

    recorded = make_fx(attend, tracing_mode=tracing)(torch.randn(1, 2, 5, 4))
    for count in (7, 40):
        x = torch.randn(1, 2, count, 4)
        torch.testing.assert_close(recorded(x), attend(x))


@pytest.mark.untyped
@pytest.mark.parametrize("queries", [512, 1, 3])
@pytest.mark.parametrize(
    ("backend", "mask"),
    [
        ("auto", Causal()),
        ("auto", Causal() & SlidingWindow(64)),
        ("auto", Padding(torch.tensor([500]))),
        ("tiled", Causal()),
        ("tiled", Causal() & SlidingWindow(64)),  # tensors of a mask torch.jit does not find there
    ],
)
def test_traced(backend, mask, queries: int) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x[:, :, -queries:], x, x, mask, backend=backend)

    x, other = torch.randn(2, 1, 8, 512, 4)
    torch.testing.assert_close(traced(attend, x)(other), attend(other))


@pytest.mark.untyped
@pytest.mark.parametrize("inner", [MultiHeadAttention(8, 2), SelfAttention(8, causal=True)])
def test_modules_are_traced_with_their_weights(inner: torch.nn.Module) -> None:
    class Weights(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return self.inner(x, return_weights=True)

    attend, (x, other) = Weights(), torch.randn(2, 2, 5, 8)
    torch.testing.assert_close(traced(attend, x)(other), attend(other))


@pytest.mark.untyped
@pytest.mark.parametrize("positions", [Rotary(), ALiBi()], ids=repr)
def test_modules_are_traced_with_their_positions(positions) -> None:
    attend = MultiHeadAttention(8, 2, positions=positions).requires_grad_(False)
    x, longer = torch.randn(2, 5, 8), torch.randn(2, 7, 8)
    torch.testing.assert_close(traced(attend, x)(longer), attend(longer))


def traced(attend, x: Tensor):
    """By torch.jit, which compares what it recorded with what is computed anew."""
    with warnings.catch_warnings(action="ignore"):  # it is old, and warns that sizes are fixed
        return torch.jit.trace(attend, x)


@pytest.mark.untyped
@pytest.mark.parametrize("tracing", ["real", "fake", "symbolic"])
def test_tiles_recorded(tracing: str) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, LARGE["window"], backend="tiled")

    x = torch.randn(1, 8, 512, 4)
    torch.testing.assert_close(make_fx(attend, tracing_mode=tracing)(x)(x), attend(x))


def test_a_softcap_on_tensors_that_have_only_a_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention.dispatch.choice.LARGE", 1)
    with FakeTensorMode():
        x = torch.randn(1, 2, 16, 4)
        assert dot_product_attention(x, x, x, Causal(), softcap=30.0).shape == x.shape
        with pytest.raises(ValueError, match="plans with values, which are not there yet"):
            dot_product_attention(x, x, x, Causal(), backend="spans")


def test_caches_of_tensors_that_have_only_a_shape() -> None:
    with FakeTensorMode():
        cache = KVCache()
        cache.update(*torch.randn(2, 2, 1, 3, 4))
        cache.reorder(torch.tensor([1, 1]))
        assert cache.length == 3
        mask = Causal() & SlidingWindow(3) & Padding(torch.tensor([3, 2]))
        attend = MultiHeadAttention(8, 2)
        x = torch.randn(2, 3, 8)
        assert attend(x, mask=mask, cache=RollingKVCache(3)).shape == x.shape
