"""Any queries, keys and values: every backend gives what float64 loops give, or says why not."""

import math
from collections.abc import Iterator

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from inputs import DTYPES, WILD, examples, masks, ours, shapes, tensors
from torch import Tensor

from attention import Mask, dot_product_attention

# Under beartype as well, by hand: it finds nothing that the other tests do not.
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.slow, pytest.mark.untyped]
BACKENDS = ["auto", "eager", "fused", "tiled", "spans"]
UNPLANNED = ["stretches of keys a query at most", "tells them apart", "apart on four axes"]
SCALES = st.none() | st.sampled_from([0.0, 1.0, -0.5, 1e-30, 20.0])
SOFTCAPS = st.none() | st.sampled_from([1e-6, 1.0, 50.0])


@st.composite
def broadcast(draw: st.DrawFn, scores: tuple[int, ...]) -> tuple[int, ...]:
    shape = tuple(draw(st.sampled_from([1, n])) for n in scores)
    return shape[draw(st.integers(0, len(scores) - 2)) :]


@st.composite
def laid_over(
    draw: st.DrawFn, scores: tuple[int, ...], dtype: torch.dtype
) -> tuple[Mask | Tensor | None, Tensor | None]:
    """A mask, and a bias with some −∞; either may be missing."""
    mask, bias = None, None
    kind = draw(st.sampled_from(["none", "rule", "tensor"]))
    if kind == "rule":
        batch = scores[-4] if len(scores) > 3 else 1
        mask = draw(masks(batch, scores[-3] if len(scores) > 2 else 1, scores[-1]))
    elif kind == "tensor":
        mask = draw(tensors(draw(broadcast(scores)), torch.float32)) > 0
    if draw(st.booleans()):
        bias = draw(tensors(draw(broadcast(scores)), dtype))
        bias = bias.masked_fill(draw(tensors(bias.shape, torch.float32)) > 0.5, float("-inf"))
    return mask, bias


def fits(mask: Mask | Tensor | None, scores: tuple[int, ...]) -> bool:
    """A mask that tells sequences apart needs a batch, one that tells heads apart needs heads."""
    return not isinstance(mask, Mask) or len(mask.shape(*scores[-2:])) <= len(scores)


def found(
    query: Tensor, key: Tensor, value: Tensor, mask, bias=None, scale=None, softcap=None
) -> Iterator[tuple[str, Tensor]]:
    """What each backend gives that can; the others refuse, and name one that can."""
    for backend in BACKENDS:
        call = {"bias": bias, "scale": scale, "softcap": softcap, "backend": backend}
        can = backend not in ("fused", "spans") or softcap is None
        if backend == "spans":
            can &= bias is None and isinstance(mask, Mask)
        context = ours(lambda call=call: dot_product_attention(query, key, value, mask, **call))
        if isinstance(context, Tensor):
            assert can, backend
            assert context.dtype == query.dtype
            yield backend, context
        else:
            assert not can or any(why in str(context) for why in UNPLANNED), context


def largest(tensor: Tensor | None) -> float:
    if tensor is None or not tensor.numel():
        return 0.0
    return float(tensor.detach().nan_to_num(0, 0, 0).abs().max())


def rounding(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, scale: float | None
) -> float:
    """How far float arithmetic may be off: by the error of the scores, and that of the sums."""
    scale = max(query.shape[-1], 1) ** -0.5 if scale is None else scale
    score = abs(scale) * query.shape[-1] * largest(query) * largest(key) + largest(bias)
    precise = torch.finfo(torch.promote_types(query.dtype, torch.float32)).eps
    own = torch.finfo(query.dtype)
    return largest(value) * (8 * (1 + score) * precise + 8 * own.eps) + 4 * own.tiny


@examples(150)
@given(shapes(), st.sampled_from(DTYPES), SCALES, SOFTCAPS, st.data())
def test_every_backend_gives_what_float64_loops_give(sizes, dtype, scale, softcap, data) -> None:
    query, key, value = (data.draw(tensors(size, dtype)) for size in sizes)
    scores = (*query.shape[:-1], key.shape[-2])
    mask, bias = data.draw(laid_over(scores, dtype))
    call = {"scale": scale, "softcap": softcap}
    if not fits(mask, scores):
        with pytest.raises(ValueError, match="mask has shape .*: expected"):
            dot_product_attention(query, key, value, mask, bias=bias, **call)
        return
    exact = [x if x is None else x.double() for x in (query, key, value, bias)]
    call |= {"return_weights": True}
    want, shares = dot_product_attention(*exact[:3], mask, bias=exact[3], backend="loops", **call)
    assert want.isfinite().all()
    off = rounding(query, key, value, bias, scale)
    for backend, got in found(query, key, value, mask, bias, scale, softcap):
        torch.testing.assert_close(got.double(), want, atol=off, rtol=0, msg=backend)
    context, weights = dot_product_attention(query, key, value, mask, bias=bias, **call)
    torch.testing.assert_close(context.double(), want, atol=off, rtol=0)
    off = rounding(query, key, torch.ones(1), bias, scale)
    torch.testing.assert_close(weights.double(), shares, atol=off, rtol=0)


def seen(mask, bias, scores: tuple[int, ...], kv_heads: int) -> tuple[Tensor, Tensor]:
    """Which queries see a key, and which keys are seen."""
    keep = torch.ones(scores, dtype=torch.bool)
    if mask is not None:
        keep = keep & (mask.to_tensor(*scores[-2:]) if isinstance(mask, Mask) else mask)
    if bias is not None:
        keep = keep & (bias != float("-inf"))
    read = keep.any(dim=-2)
    if len(scores) > 2 and kv_heads:
        read = read.unflatten(-2, (kv_heads, -1)).any(dim=-2)
    return keep.any(dim=-1, keepdim=True), read[..., None]


@examples(150)
@given(shapes(), st.sampled_from([torch.float64, torch.float32]), st.sampled_from(WILD), st.data())
def test_what_takes_no_part_may_hold_anything(sizes, dtype, wild, data) -> None:
    """No context hears it, and no gradient: also where there is no key at all."""
    query, key, value = (data.draw(tensors(size, dtype)) for size in sizes)
    scores = (*query.shape[:-1], key.shape[-2])
    mask, bias = data.draw(laid_over(scores, dtype).filter(lambda over: fits(over[0], scores)))
    listens, heard = seen(mask, bias, scores, key.shape[-3] if key.ndim > 2 else 1)
    exact = [x.double().requires_grad_() for x in (query, key, value)]
    more = None if bias is None else bias.double()
    want = dot_product_attention(*exact, mask, bias=more, backend="loops")
    probe = torch.linspace(-1, 1, want.numel()).view(want.shape)
    slopes = torch.autograd.grad(want, exact, probe.double())
    loud = [query.masked_fill(~listens, wild), *(x.masked_fill(~heard, wild) for x in (key, value))]
    off = rounding(query, key, value, bias, None)
    steep = rounding(query, key, torch.ones(1), bias, None)
    steep *= 64 * (1 + largest(query)) * (1 + largest(key)) * (1 + largest(value))
    for backend, got in found(*loud, mask, bias):
        torch.testing.assert_close(got.double(), want.detach(), atol=off, rtol=0, msg=backend)
    learned = [x.requires_grad_() for x in loud]
    for backend, got in found(*learned, mask, bias):
        torch.testing.assert_close(got.double(), want, atol=off, rtol=0, msg=backend)
        for grad, slope in zip(
            torch.autograd.grad(got, learned, probe.to(dtype)), slopes, strict=True
        ):
            torch.testing.assert_close(grad.double(), slope, atol=steep, rtol=0, msg=backend)


@examples(150)
@given(shapes(), st.sampled_from(DTYPES), SOFTCAPS, st.sampled_from(WILD[:3]), st.data())
def test_what_is_seen_is_never_lost(sizes, dtype, softcap, wild, data) -> None:
    """NaN is NaN in every backend. Of infinite scores the softmax is NaN, or nothing: zeros.

    Infinite values times a weight that single precision rounds to 0 are NaN.
    """
    query, key, value = (data.draw(tensors(size, dtype)).contiguous() for size in sizes)
    for _ in range(data.draw(st.integers(1, 3))):
        tensor = data.draw(st.sampled_from([query, key, value]))
        if tensor.numel():
            tensor.view(-1)[data.draw(st.integers(0, tensor.numel() - 1))] = wild
    want = dot_product_attention(
        *(x.double() for x in (query, key, value)), softcap=softcap, backend="loops"
    )
    off = rounding(query, key, value, None, None)
    for backend, got in found(query, key, value, None, softcap=softcap):
        if not math.isnan(wild):
            undefined = (want.isnan() & (got == 0)) | (want.isinf() & got.isnan())
            got = got.double().where(~undefined, want)
        torch.testing.assert_close(
            got.double(), want, atol=off, rtol=0, equal_nan=True, msg=f"{backend}: {got}, {want}"
        )


@examples(100)
@given(
    st.integers(1, 20), st.integers(1, 20), st.integers(-140, 120),
    st.sampled_from(DTYPES[:2]), st.integers(0, 99),
)  # fmt: skip
def test_scores_of_any_size(queries: int, keys: int, power: int, dtype, seed: int) -> None:
    """Whole numbers and powers of 2, so that scores are exact: whatever their size, no overflow."""
    generator = torch.Generator().manual_seed(seed)
    query, key = (
        torch.randint(-3, 4, (2, count, 4), generator=generator).to(dtype)
        for count in (queries, keys)
    )
    value = torch.randn(2, keys, 4, generator=generator).to(dtype)
    scale = 2.0**power
    want = dot_product_attention(
        *(x.double() for x in (query, key, value)), scale=scale, backend="loops"
    )
    for backend, got in found(query, key, value, None, scale=scale):
        off = 1e-5 if dtype == torch.float32 else 1e-13
        torch.testing.assert_close(got.double(), want, atol=off, rtol=0, msg=backend)
