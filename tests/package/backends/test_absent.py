"""What takes no part does no harm, and is copied only where it could."""

import pytest
import torch
from torch import Tensor

from attention import Causal, Padding, dot_product_attention
from attention.absent import ORDINARY, ordinary, silence
from attention.backends import fused
from attention.backends.clean import clean, scores_clean, values_clean
from attention.backends.suited import FORWARD
from attention.booleans import additive

# Of three sequences of six tokens the last four, two and all six are real.
MASK = Causal() & Padding(torch.tensor([4, 2, 6]), side="left")
KEEP = MASK.to_tensor(6, 6)
ABSENT = ~KEEP.any(dim=-2)[:, 0]  # keys that nobody sees, (3, 6): and so are their queries


def drawn() -> list[Tensor]:
    return list(torch.randn(3, 3, 2, 6, 8).unbind())


def test_ordinary_numbers_are_not_copied() -> None:
    """But queries, where some see nobody."""
    given = drawn()
    query, *same, keep, empty = silence(*given, KEEP)
    assert all(one is other for one, other in zip(same, given[1:], strict=True))
    assert empty is not None
    assert torch.equal(query, given[0].masked_fill(empty, 0.0))
    assert torch.equal(empty, ~KEEP.any(dim=-1, keepdim=True))
    assert torch.equal(keep, KEEP | empty)
    whole = torch.ones(6, 6, dtype=torch.bool)
    *same, keep, empty = silence(*given, whole)
    assert all(one is other for one, other in zip(same, given, strict=True))
    assert keep is whole
    assert empty is None


@pytest.mark.parametrize("factor", [1e3, 5e4, 1e6])
@pytest.mark.parametrize("backend", ["fused", "eager"])
def test_large_padding_leaves_no_gradient(factor: float, backend: str) -> None:
    """Weights that backward finds anew from scores of 1e9 and their sums would be infinite."""
    given = list(torch.randn(3, 1, 1, 61, 128).unbind())
    for x in given[:2]:
        x[..., :2, :] *= factor
    leaves = [x.requires_grad_() for x in given]
    mask = Causal() & Padding(torch.tensor([31]), side="left")
    context = dot_product_attention(*leaves, mask, backend=backend)
    for grad in torch.autograd.grad(context.sum(), leaves):
        assert grad.isfinite().all()
        assert not grad[..., :30, :].any()


@pytest.mark.parametrize("backend", ["fused", "eager"])
def test_a_large_scale_or_gradient_meets_no_padding(backend: str) -> None:
    for scale, size in ((1e28, 1.0), (None, 1e28)):
        leaves = drawn()
        for x in leaves:
            x[ABSENT[:, None].expand(3, 2, 6)] = 1e11
            x.requires_grad_()
        context = dot_product_attention(*leaves, MASK, scale=scale, backend=backend)
        grads = torch.autograd.grad(context, leaves, torch.full_like(context, size))
        assert all(grad.isfinite().all() for grad in grads)


def test_the_sum_of_halves_may_be_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contexts of 1 each: their sum is infinite in float16, and would be found twice."""
    monkeypatch.setattr(fused, "silence", None)
    query, key = torch.zeros(2, 4, 4, 64, 64).half().unbind()
    keep = torch.ones(64, 64, dtype=torch.bool).tril()
    context = dot_product_attention(query, key, torch.ones_like(key), keep)
    assert context.sum(dtype=torch.float32) == context.numel() > torch.finfo(torch.half).max


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf, 1e30])
def test_others_are_made_zero(which: int, number: float) -> None:
    """A query, a key or a value of padding; forward, and the gradients of what takes part."""
    given, right = drawn(), []
    given[which][ABSENT[:, None].expand(3, 2, 6)] = number
    for backend in ("fused", "eager", "loops"):
        leaves = [x.clone().requires_grad_() for x in given]
        context = dot_product_attention(*leaves, MASK, backend=backend)
        with torch.no_grad():
            still = dot_product_attention(*leaves, MASK, backend=backend)
        torch.testing.assert_close(still, context)
        right.append([context, *torch.autograd.grad(context.square().sum(), leaves)])
    assert all(tensor.isfinite().all() for found in right for tensor in found)
    torch.testing.assert_close(right[0], right[1])
    torch.testing.assert_close(right[0], right[2])
    silent = silence(*given, KEEP)[which]
    assert silent is not given[which]
    assert not silent[ABSENT[:, None].expand(3, 2, 6)].any()


def test_what_is_ordinary() -> None:
    """Together, not one by one: products are sums."""
    assert ordinary()
    assert ordinary(torch.zeros(0), torch.full((4,), ORDINARY / 2.01))
    assert not ordinary(torch.zeros(0), torch.full((4,), ORDINARY / 2))
    assert not ordinary(torch.tensor(torch.nan), torch.zeros(1))
    assert not ordinary(torch.zeros(1), torch.tensor(-torch.inf))


@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf, 1e30, 1.0])
@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("tokens", [1, 6, 700])  # the kernel takes 512 keys at a time
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("side", ["left", "right"])
def test_what_is_heard_of_one_absent_number_shows_at_the_front(
    side: str, dtype: torch.dtype, tokens: int, which: int, number: float
) -> None:
    """Torch's kernel spreads it to the first query, or to the first number of each context."""
    mask = Causal() & Padding(torch.tensor([tokens // 2, tokens // 3]), side=side)
    keep = mask.to_tensor(tokens, tokens)
    empty = ~keep.any(dim=-1, keepdim=True)
    for place in {0, tokens // 5, tokens // 2 - 1, tokens - 1} & {*range(tokens)}:
        for at in (0, 5, 7):
            given = list(torch.randn(3, 2, 3, tokens, 8, dtype=dtype).unbind())
            given[which][1, 2, place, at] = number
            context = torch.nn.functional.scaled_dot_product_attention(*given, keep)
            right = context.isfinite().all() and not context.masked_fill(~empty, 0.0).any()
            assert clean(context, empty) is bool(right)
            assert clean(context[1], empty[1]) is bool(right)
            same, sums = FORWARD(*given, attn_mask=additive(keep, dtype))
            assert torch.equal(same.nan_to_num(), context.nan_to_num())
            assert (scores_clean(sums) and values_clean(same)) is bool(right)


def test_a_context_is_clean_if_absent_queries_have_zeros() -> None:
    context = torch.randn(2, 3, 4, 8)
    empty = torch.zeros(2, 1, 4, 1, dtype=torch.bool)
    empty[1, 0, 2] = True
    assert not clean(context, empty)
    assert clean(context, torch.zeros_like(empty))
    context[1, :, 2] = 0.0
    assert clean(context, empty)
    large = torch.full((1, 2, 2, 1), 6e4).half()  # finite, and its sum would not be
    assert clean(large, torch.zeros(1, 1, 2, 1, dtype=torch.bool))
    assert clean(context[..., :0], empty)
    assert clean(context[..., :0, :], empty[..., :0, :])


@pytest.mark.parametrize("backend", ["auto", "eager", "fused", "loops", "tiled"])
@pytest.mark.parametrize("number", [torch.nan, torch.inf])
def test_what_a_mask_hides_of_a_bias_is_not_heard(backend: str, number: float) -> None:
    """Nor added to what hides it, which would be NaN."""
    given = drawn()
    bias = torch.randn(2, 6, 6)
    loud = bias.expand(3, 2, 6, 6).masked_fill(~KEEP, number)
    for mask in (MASK, KEEP):
        want = dot_product_attention(*given, mask, bias=bias, backend="loops")
        context = dot_product_attention(*given, mask, bias=loud, backend=backend)
        torch.testing.assert_close(context, want)
