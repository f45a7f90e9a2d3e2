"""Every backend computes the same function as torch's own, forward and backward."""

import math
from itertools import product

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, dot_product_attention

BACKENDS = ["loops", "eager", "auto"]
BATCHES = [(), (2,), (2, 3), (0,), (1, 1, 2)]
SIZES = [(1, 1), (3, 3), (2, 5), (5, 2), (7, 7)]


def draw(batch: tuple[int, ...], queries: int, keys: int, dtype=torch.float64, value_dim=3):
    generator = torch.Generator().manual_seed(queries * 100 + keys)

    def normal(*shape: int) -> Tensor:
        numbers = torch.randn(*shape, generator=generator, dtype=torch.float64)
        return numbers.to(dtype).requires_grad_()

    return normal(*batch, queries, 4), normal(*batch, keys, 4), normal(*batch, keys, value_dim)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_torch(backend: str, masked: bool) -> None:
    """SDPA takes four axes here, so that its mask has one meaning."""
    for (queries, keys), scale in product(SIZES, (None, 1.0, -0.5)):
        query, key, value = draw((2, 3), queries, keys)
        keep = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
        keep[:, 0] = True  # SDPA and ours differ on a row that sees nothing, tested below
        mask = keep if masked else None
        ours = dot_product_attention(query, key, value, mask, scale=scale, backend=backend)
        theirs = scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale)
        torch.testing.assert_close(ours, theirs)
        probe = torch.randn_like(ours)
        for a, b in zip(
            torch.autograd.grad(ours, (query, key, value), probe),
            torch.autograd.grad(theirs, (query, key, value), probe),
            strict=True,
        ):
            torch.testing.assert_close(a, b)


@pytest.mark.parametrize("batch", BATCHES)
def test_any_batch_axes(batch: tuple[int, ...]) -> None:
    for queries, keys in SIZES:
        query, key, value = draw(batch, queries, keys)
        contexts = [
            dot_product_attention(query, key, value, Causal(), backend=name, return_weights=True)
            for name in BACKENDS
        ]
        for context, weights in contexts:
            assert context.shape == (*batch, queries, 3)
            assert weights.shape == (*batch, queries, keys)
            torch.testing.assert_close(context, contexts[0][0])
            torch.testing.assert_close(weights, contexts[0][1])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_low_precision_is_the_rounded_truth(backend: str, dtype: torch.dtype) -> None:
    """Many small weights: only a sum in float32 is right to the last digit of a half."""
    query, key, value = draw((), 2, 1024, dtype)
    got, weights = dot_product_attention(
        query, key, value, Causal(), backend=backend, return_weights=True
    )
    exact = [tensor.double() for tensor in (query, key, value)]
    want, shares = dot_product_attention(*exact, Causal(), return_weights=True)
    assert got.dtype == weights.dtype == dtype
    eps = max(torch.finfo(dtype).eps, 2e-6)
    torch.testing.assert_close(got.double(), want, rtol=eps, atol=2e-6)
    torch.testing.assert_close(weights.double(), shares, rtol=eps, atol=1e-7)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("scale", [None, 4.0, 1e-8])
def test_large_half_scores_do_not_overflow(backend: str, scale: float | None) -> None:
    query = torch.full((1, 4), 3e4, dtype=torch.float16)
    key = torch.tensor([[3e4] * 4, [2e4] * 4], dtype=torch.float16)
    value = torch.tensor([[1.0], [2.0]], dtype=torch.float16)
    got = dot_product_attention(query, key, value, scale=scale, backend=backend)
    want = dot_product_attention(query.double(), key.double(), value.double(), scale=scale)
    assert got.item() == want.half().item()


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_nobody_sees_may_be_anything(backend: str) -> None:
    """Not one NaN of a key without readers, or of a query without keys, gets out."""
    query, key, value = (tensor.detach() for tensor in draw((), 3, 3))
    query[0], key[2], value[2] = math.nan, math.inf, math.nan
    for tensor in (query, key, value):
        tensor.requires_grad_()
    mask = torch.tensor([[False] * 3, [True, False, False], [True, True, False]])
    context, weights = dot_product_attention(
        query, key, value, mask, return_weights=True, backend=backend
    )
    assert torch.equal(context[0], torch.zeros(3, dtype=torch.float64))
    (context.sum() + weights.square().sum()).backward()
    for tensor in (context, weights, query.grad, key.grad, value.grad):
        assert tensor is not None
        assert tensor.isfinite().all()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("queries", "keys"), [(2, 3), (0, 3), (2, 0)])
def test_nothing_to_attend_to_is_still_differentiable(
    backend: str, queries: int, keys: int
) -> None:
    query, key, value = draw((2,), queries, keys)
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    dot_product_attention(query, key, value, mask, backend=backend).sum().backward()
    for tensor in (query, key, value):
        assert tensor.grad is not None
        assert not tensor.grad.any()


@pytest.mark.untyped  # beartype's checks are not to be traced
@pytest.mark.parametrize("mask", [None, Causal()])
def test_compiles_whole_for_any_length(mask: Causal | None) -> None:
    """One graph, without a break, also when the second length makes sizes symbolic."""
    torch.compiler.reset()

    def attend(*inputs: Tensor) -> Tensor:
        return dot_product_attention(*inputs, mask)

    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
    for tokens in (3, 5, 8):
        inputs = torch.randn(3, 2, tokens, 4)
        torch.testing.assert_close(compiled(*inputs), attend(*inputs))


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_by_finite_differences(backend: str) -> None:
    query, key, value = draw((2,), 3, 4)
    mask = torch.tensor([[True, True, False, True], [False] * 4, [False, True, True, True]])

    def both(*inputs: Tensor) -> tuple[Tensor, Tensor]:
        return dot_product_attention(*inputs, mask, return_weights=True, backend=backend)

    assert torch.autograd.gradcheck(both, (query, key, value))
    assert torch.autograd.gradgradcheck(both, (query, key, value))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_an_empty_row_is_zero_with_zero_gradients(backend: str, dtype: torch.dtype) -> None:
    query, key, value = draw((), 3, 2, dtype)
    mask = torch.tensor([[False, False], [True, False], [True, True]])
    with torch.autograd.detect_anomaly(check_nan=True):  # no NaN on the way either
        context, weights = dot_product_attention(
            query, key, value, mask, return_weights=True, backend=backend
        )
        assert torch.equal(context[0], torch.zeros(3, dtype=dtype))
        assert torch.equal(weights[0], torch.zeros(2, dtype=dtype))
        (context.sum() + weights.sum()).backward()
    assert query.grad is not None
    assert torch.equal(query.grad[0], torch.zeros(4, dtype=dtype))
    for tensor in (query, key, value):
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()


def test_no_keys_at_all() -> None:
    query, key, value = draw((2,), 3, 0)
    for name in BACKENDS:
        context = dot_product_attention(query, key, value, Causal(), backend=name)
        assert torch.equal(context, torch.zeros(2, 3, 3, dtype=torch.float64))


@pytest.mark.parametrize("backend", ["eager", "auto"])
def test_runs_on_any_device(backend: str) -> None:
    query, key, value = torch.empty(3, 2, 5, 4, device="meta")
    context = dot_product_attention(query, key, value, Causal(), backend=backend)
    assert context.device.type == "meta"
    assert context.shape == (2, 5, 4)


def test_strides_do_not_matter() -> None:
    query, key, value = draw((2,), 4, 4, value_dim=4)
    plain = dot_product_attention(query, key, value)
    turned = [tensor.mT.contiguous().mT for tensor in (query, key, value)]
    torch.testing.assert_close(dot_product_attention(*turned), plain)
    wide = query[:1].expand(2, 4, 4)
    torch.testing.assert_close(
        dot_product_attention(wide, key, value), dot_product_attention(wide.clone(), key, value)
    )
