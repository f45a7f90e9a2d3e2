"""Every backend computes the same function as torch's own, forward and backward."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, SlidingWindow, dot_product_attention

pytestmark = pytest.mark.slow

BACKENDS = ["loops", "eager", "tiled", "fused", "auto"]
WEIGHING = ["loops", "eager", "auto"]  # those that return weights
BATCHES = [(), (2,), (2, 3), (0,), (1, 1, 2), (2, 0, 3)]
SIZES = [(1, 1), (3, 3), (2, 5), (5, 2), (7, 7)]
GROUPS = [(4, 4), (4, 2), (4, 1), (3, 1)]
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


def grads(out: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    probe = torch.linspace(-1, 1, out.numel(), dtype=out.dtype, device=out.device)
    return torch.autograd.grad(out, inputs, probe.view_as(out), retain_graph=True)


def same(ours: Tensor, theirs: Tensor, *inputs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs)
    for one, other in zip(grads(ours, *inputs), grads(theirs, *inputs), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("over", ["nothing", "mask", "bias", "both"])
def test_agrees_with_torch(backend: str, over: str, draw) -> None:
    """SDPA takes four axes here, so that its mask has one meaning."""
    for (queries, keys), scale in zip(SIZES, (1.0, None, -0.5, 0.3, None), strict=True):
        query, key = draw(2, 3, queries, 4), draw(2, 3, keys, 4)
        value = draw(2, 3, keys, 3)
        keep = torch.ones(queries, keys, dtype=torch.bool, device=query.device)
        keep = keep.tril(keys - queries)
        keep[:, 0] = True  # rows that see nothing are tested below
        bias = draw(3, queries, keys)
        inputs = [query, key, value]
        mask = keep if over in ("mask", "both") else None
        theirs = mask
        if over in ("bias", "both"):
            inputs.append(bias)
            theirs = bias if mask is None else bias.masked_fill(~mask, -math.inf)
        ours = dot_product_attention(
            query, key, value, mask, scale=scale, backend=backend,
            bias=bias if over in ("bias", "both") else None,
        )  # fmt: skip
        want = scaled_dot_product_attention(query, key, value, attn_mask=theirs, scale=scale)
        same(ours, want, *inputs)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("heads", "kv_heads"), GROUPS)
def test_grouped_heads_agree_with_torch(backend: str, heads: int, kv_heads: int, draw) -> None:
    """Against torch's own groups, and against keys repeated by hand, in this order."""
    query, key, value = draw(2, heads, 3, 4), draw(2, kv_heads, 5, 4), draw(2, kv_heads, 5, 3)
    keep = torch.rand(2, heads, 3, 5, generator=torch.Generator().manual_seed(1)) < 0.6
    keep[0, :, :, 0], keep[1, 0] = True, False
    keep = keep.to(query.device)
    for mask in (None, keep, keep[:, :1], keep[0], keep[0, 0]):
        ours = dot_product_attention(query, key, value, mask, backend=backend)
        theirs = scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)
        same(ours, theirs, query, key, value)
        repeated = [x.repeat_interleave(heads // kv_heads, dim=1) for x in (key, value)]
        plain = dot_product_attention(query, *repeated, mask, backend=backend)
        same(ours, plain, query, key, value)


@pytest.mark.parametrize("wide", [1, 9])
def test_a_bias_goes_with_the_keys_that_a_window_leaves(wide: int, device: str) -> None:
    """Also one number for a whole row; and weights are those of all keys."""
    query, key, value = (torch.randn(2, 3, n, 4, device=device) for n in (2, 9, 9))
    bias, mask = torch.randn(3, 2, wide, device=device), Causal() & SlidingWindow(3)
    keep = mask.to_tensor(2, 9, device=device)
    want = dot_product_attention(query, key, value, keep, bias=bias, backend="eager")
    for backend in ("auto", *BACKENDS):
        got = dot_product_attention(query, key, value, mask, bias=bias, backend=backend)
        torch.testing.assert_close(got, want)
    _, weights = dot_product_attention(query, key, value, mask, bias=bias, return_weights=True)
    assert weights.shape[-1] == 9


@pytest.mark.parametrize("backend", ["eager", "tiled", "fused"])
def test_grouped_heads_do_not_copy_keys(backend: str) -> None:
    """What a call allocates is smaller than the keys, of which one head serves 64."""
    query, key, value = (
        torch.ones(1, 64, 1, 8),
        torch.ones(1, 1, 4096, 8),
        torch.ones(1, 1, 4096, 8),
    )
    with torch.profiler.profile(profile_memory=True) as profile:
        dot_product_attention(query, key, value, backend=backend)
    largest = max(event.self_cpu_memory_usage for event in profile.key_averages())
    copies = 64 * key.numel() * key.element_size()
    assert largest < copies / 2


@pytest.mark.parametrize("backend", [*WEIGHING, "tiled"])
@pytest.mark.parametrize("softcap", [0.5, 2.0])
def test_softcap(backend: str, softcap: float, draw) -> None:
    """No score beyond the cap; the bias comes after it."""
    query, key, value, bias = draw(2, 3, 4), draw(2, 5, 4), draw(2, 5, 3), draw(3, 5)
    scores = softcap * torch.tanh(query @ key.mT / 2 / softcap) + bias
    ours = dot_product_attention(query, key, value, bias=bias, softcap=softcap, backend=backend)
    same(ours, scores.softmax(-1) @ value, query, key, value, bias)


@pytest.mark.parametrize("batch", BATCHES)
def test_any_batch_axes(batch: tuple[int, ...], draw) -> None:
    for queries, keys in SIZES:
        query, key, value = draw(*batch, queries, 4), draw(*batch, keys, 4), draw(*batch, keys, 3)
        keep = torch.ones(*batch[-1:], queries, keys, dtype=torch.bool, device=query.device)
        keep[..., 0] = False
        for mask in (Causal(), keep):
            context, weights = dot_product_attention(query, key, value, mask, return_weights=True)
            assert context.shape == (*batch, queries, 3)
            assert weights.shape == (*batch, queries, keys)
            torch.testing.assert_close(weights @ value, context)
            for backend in BACKENDS:
                other = dot_product_attention(query, key, value, mask, backend=backend)
                torch.testing.assert_close(other, context)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_low_precision_is_the_rounded_truth(backend: str, dtype: torch.dtype, draw) -> None:
    """Many small weights: only a sum in float32 is right to the last digit of a half."""
    query, key, value = (draw(n, 4, dtype=dtype) for n in (2, 1024, 1024))
    got = dot_product_attention(query, key, value, Causal(), backend=backend)
    exact = [tensor.double() for tensor in (query, key, value)]
    want, shares = dot_product_attention(*exact, Causal(), return_weights=True)
    assert got.dtype == dtype
    eps = max(torch.finfo(dtype).eps, 2e-6)
    # torch's kernel rounds each weight before it averages: an error of each value's own size.
    slack = eps * (shares @ exact[2].abs()) if backend in ("fused", "auto") else 2e-6
    assert ((got.double() - want).abs() <= eps * want.abs() + slack).all()
    if backend in WEIGHING:
        _, weights = dot_product_attention(
            query, key, value, Causal(), backend=backend, return_weights=True
        )
        assert weights.dtype == dtype
        torch.testing.assert_close(weights.double(), shares, rtol=eps, atol=1e-7)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("scale", [None, 4.0, -4.0, 1e-8])
def test_large_half_scores_do_not_overflow(backend: str, scale: float | None, device: str) -> None:
    query = torch.full((1, 4), 3e4, dtype=torch.float16, device=device)
    key = torch.tensor([[3e4] * 4, [2e4] * 4], dtype=torch.float16, device=device)
    value = torch.tensor([[1.0], [2.0]], dtype=torch.float16, device=device)
    want = dot_product_attention(query.double(), key.double(), value.double(), scale=scale)
    got = dot_product_attention(query, key, value, scale=scale, backend=backend)
    assert got.item() == want.half().item()
    with torch.autocast(device, torch.float16):
        got = dot_product_attention(query, key, value, scale=scale, backend=backend)
    assert got.item() == want.half().item()


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_nobody_sees_may_be_anything(backend: str, device: str) -> None:
    """Not one NaN of a key without readers, or of a query without keys, gets out."""
    query, key, value = torch.randn(3, 2, 3, 4, device=device)
    query[:, 0], key[:, 2], value[:, 2] = math.nan, math.inf, math.nan
    for tensor in (query, key, value):
        tensor.requires_grad_()
    mask = torch.tensor([[False] * 3, [True, False, False], [True, True, False]], device=device)
    context = dot_product_attention(query, key, value, mask, backend=backend)
    assert torch.equal(context[:, 0], torch.zeros(2, 4, device=device))
    for tensor in (context, *grads(context, query, key, value)):
        assert tensor.isfinite().all()
    # Nor one of its gradient, as of a norm of zeros.
    of_context = torch.randn_like(context)
    of_context[:, 0] = math.nan
    for gradient in torch.autograd.grad(context, (query, key, value), of_context):
        assert gradient.isfinite().all()
    # One key head for both: its third key is read by neither.
    context = dot_product_attention(query, key[:1], value[:1], mask, backend=backend)
    assert context.isfinite().all()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("queries", "keys"), [(2, 3), (0, 3), (2, 0), (0, 0)])
@pytest.mark.parametrize("masked", [True, False])
def test_nothing_to_attend_to_is_still_differentiable(
    backend: str, queries: int, keys: int, masked: bool, draw
) -> None:
    query, key, value = draw(2, queries, 4), draw(2, keys, 4), draw(2, keys, 3)
    mask = torch.zeros(queries, keys, dtype=torch.bool, device=query.device)
    use = masked or (queries and keys)
    context = dot_product_attention(query, key, value, mask if use else None, backend=backend)
    assert context.shape == (2, queries, 3)
    assert not context.any()
    for gradient in grads(context, query, key, value):
        assert not gradient.any()


@pytest.mark.parametrize("backend", ["loops", "eager"])
def test_gradients_by_finite_differences(backend: str, draw) -> None:
    query, key, value, bias = draw(2, 3, 2), draw(1, 4, 2), draw(1, 4, 1), draw(3, 4)
    mask = torch.tensor([[True, True, False, True], [False] * 4, [False, True, True, True]])
    mask = mask.to(query.device)

    def both(query: Tensor, key: Tensor, value: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        return dot_product_attention(
            query, key, value, mask, bias=bias, softcap=2.0, return_weights=True, backend=backend
        )

    assert torch.autograd.gradcheck(both, (query, key, value, bias))
    assert torch.autograd.gradgradcheck(both, (query, key, value, bias))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("by", ["mask", "bias", "rest of the bias"])
def test_an_empty_row_is_zero_with_zero_gradients(
    backend: str, dtype: torch.dtype, by: str, draw
) -> None:
    query, key, value = draw(3, 4, dtype=dtype), draw(2, 4, dtype=dtype), draw(2, 3, dtype=dtype)
    keep = torch.tensor([[False, False], [True, False], [True, True]], device=query.device)
    inputs, given = [query, key, value], {"mask": keep}
    if by != "mask":
        bias = torch.zeros_like(keep, dtype=dtype).masked_fill(~keep, -math.inf)
        mask = None
        if by == "rest of the bias":  # neither alone empties the row
            mask = torch.tensor([[False, True], [True, True], [True, True]], device=query.device)
            bias[0, 0] = 0.0
        given = {"bias": bias.requires_grad_(), "mask": mask}
        inputs.append(bias)
    with torch.autograd.detect_anomaly(check_nan=True):  # no NaN on the way either
        context = dot_product_attention(query, key, value, **given, backend=backend)
        gradients = grads(context, *inputs)
    assert not context[0].any()
    assert context[1:].any()
    assert not gradients[0][0].any()
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert by == "mask" or not gradients[3][0].any()
    if backend in WEIGHING:
        _, weights = dot_product_attention(
            query, key, value, **given, backend=backend, return_weights=True
        )
        assert not weights[0].any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_strides_do_not_matter(backend: str, draw) -> None:
    query, key, value = draw(2, 4, 4), draw(2, 4, 4), draw(2, 4, 4)
    plain = dot_product_attention(query, key, value, Causal(), backend=backend)
    turned = [tensor.mT.contiguous().mT for tensor in (query, key, value)]
    torch.testing.assert_close(dot_product_attention(*turned, Causal(), backend=backend), plain)
    wide = query[:1].expand(2, 4, 4)
    one = dot_product_attention(wide, wide, value, backend=backend)
    same(one, dot_product_attention(wide.clone(), wide.clone(), value), query, value)
