"""Attention by products of oneDNN: the same."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention import Causal, Documents, SlidingWindow, dot_product_attention
from attention.blocks import slabs

from .built import needs_onednn
from .exact import MASKS, SHAPES, Holes, drawn, exact, found, torchs_own

pytestmark = needs_onednn


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slabs of few queries, so that a small table has several."""
    monkeypatch.setattr(slabs, "ROWS", 70)
    monkeypatch.setattr(slabs, "LEAST_ROWS", 3)
    slabs.kept.made.clear()
    yield
    slabs.kept.made.clear()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", [*MASKS, "none"])
@pytest.mark.parametrize(("queries", "heads", "kv_heads"), SHAPES)
def test_the_same_as_all_scores_at_once(name: str, queries: int, heads: int, kv_heads: int) -> None:
    query = drawn(2, heads, queries, 16)
    key, value = drawn(2, kv_heads, 300, 16, seed=1), drawn(2, kv_heads, 300, 16, seed=2)
    mask = MASKS.get(name)
    ours = found(query, key, value, mask, "onednn")
    for one, other in zip(ours, exact(query, key, value, mask), strict=True):
        torch.testing.assert_close(one, other.float(), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("name", ["window", "documents", "prefix", "causal", "left"])
def test_no_more_than_twice_the_error_of_torch(name: str) -> None:
    """Contexts and gradients, with the rule of FlashAttention's own tests."""
    query, key, value = (drawn(2, 4, 300, 32, seed=n) for n in range(3))
    mask = MASKS[name]
    want, ours = exact(query, key, value, mask), found(query, key, value, mask, "onednn")
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        torchs = torchs_own(query, key, value, mask.to_tensor(300, 300))
    for one, other, true in zip(ours, torchs, want, strict=True):
        assert (one - true).abs().max() <= 2 * (other - true).abs().max()


@pytest.mark.usefixtures("small")
def test_what_takes_no_part_may_be_anything() -> None:
    """Keys that nobody sees, and queries that see nothing, among others of a slab."""
    inputs = [drawn(2, 2, 300, 16, seed=n) for n in range(3)]
    want = found(*inputs, Holes(), "onednn")
    query, key, value = (x.clone() for x in inputs)
    query[:, :, 20::64] = float("nan")
    key[:, :, 34::64], value[:, :, 34::64] = float("inf"), float("nan")
    ours = found(query, key, value, Holes(), "onednn")
    assert not ours[0][:, :, 20::64].any()
    for one, other in zip(ours, want, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("scale", [0.0, 1.0, -0.3])
def test_a_scale_that_is_given(scale: float) -> None:
    inputs = [drawn(1, 2, 100, 16, seed=n).requires_grad_() for n in range(3)]
    mask, both = Causal() & SlidingWindow(20), []
    for name in ("onednn", "eager"):
        context = dot_product_attention(*inputs, mask, scale=scale, backend=name)
        both.append([context, *torch.autograd.grad(context, inputs, context.detach().sin())])
    for one, other in zip(*both, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_strides_widths_and_missing_axes_do_not_matter() -> None:
    query, key, value = drawn(300, 3, 2, 16).permute(1, 2, 0, 3)  # as one projection gives them
    value = value[..., :7]
    mask = Causal() & SlidingWindow(40)
    want = dot_product_attention(query, key, value, mask, backend="eager")
    for inputs in (
        (query, key, value),
        tuple(x.mT.contiguous().mT for x in (query, key, value)),
        tuple(x[None, None].expand(2, 2, *x.shape) for x in (query, key, value)),
    ):
        got = dot_product_attention(*inputs, mask, backend="onednn")
        torch.testing.assert_close(got, want.expand(got.shape))
    one = dot_product_attention(query[0], key[0], value[0], mask, backend="onednn")
    torch.testing.assert_close(one, want[0])


@pytest.mark.parametrize("shape", [(2, 3, 0), (0, 3, 4), (2, 0, 4)])
def test_what_is_empty(shape: tuple[int, ...]) -> None:
    x = torch.ones(shape, requires_grad=True)
    for mask in (None, Causal()):
        context = dot_product_attention(x, x, x, mask, backend="onednn")
        assert context.shape == shape
        context.sum().backward()


def test_without_keys_there_are_zeros() -> None:
    query, key = drawn(2, 3, 4), torch.ones(2, 0, 4)
    for mask in (None, SlidingWindow(2)):
        assert not dot_product_attention(query, key, key, mask, backend="onednn").any()


@pytest.mark.parametrize("name", ["causal", "window", "documents"])
def test_what_is_hidden_moves_no_bit(name: str) -> None:
    """However large it is: neither contexts nor gradients of those who cannot hear it."""
    documents = Documents(torch.arange(300)[None] // 200)
    mask = {"causal": Causal(), "window": SlidingWindow(40), "documents": documents}[name]
    mask = Causal() & mask
    inputs = [drawn(1, 2, 300, 64, seed=n) for n in range(3)]
    reach = 200 if name == "documents" else 250  # who stands before hears nothing of what comes
    before = found(*inputs, mask, "onednn")
    inputs[1][..., 250:, :] += 100
    inputs[2][..., 250:, :] = 1e30
    context, of_query, *_ = found(*inputs, mask, "onednn")
    for one, other in zip((context, of_query), before[:2], strict=True):
        assert torch.equal(one[..., :reach, :], other[..., :reach, :])
        assert not torch.equal(one[..., 250:, :], other[..., 250:, :])


@pytest.mark.parametrize("threads", [1, 2])
def test_many_gradients_at_once(threads: int) -> None:
    torch.set_num_threads(threads)
    x = drawn(1, 2, 300, 8).requires_grad_()
    out = dot_product_attention(x, x, x, Causal(), backend="onednn")
    several = drawn(2, *out.shape, seed=1)
    (got,) = torch.autograd.grad(out, x, several, is_grads_batched=True, retain_graph=True)
    for one, want in zip(got, several, strict=True):
        torch.testing.assert_close(one, torch.autograd.grad(out, x, want, retain_graph=True)[0])
