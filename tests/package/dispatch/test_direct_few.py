"""One query, and few keys: directly to torch's kernel where it loses no NaN."""

from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention import Causal, Mask, Padding, PrefixLM, SlidingWindow, dot_product_attention
from attention.dispatch import route
from attention.kept import Kept

from .usual import MASKS, Own, given


def test_a_route_for_one_query_is_kept_apart(monkeypatch) -> None:
    """It serves the layers of one step; those of texts would be pushed out by it."""
    texts, steps = Kept(8), Kept(8)
    monkeypatch.setattr(route, "kept", texts)
    monkeypatch.setattr(route, "steps", steps)
    query, key, value = given((2, 3, 2, 8), (2, 3, 20, 8))
    asks = route.MASK_ALONE
    for _ in range(2):
        dot_product_attention(query[:, :, 1:], key, value, MASKS["padding"])
        assert (len(texts.made), len(steps.made)) == (0, 1)
    dot_product_attention(query, key, value, MASKS["padding"])
    assert (len(texts.made), len(steps.made)) == (1, 1)
    assert route.signature(query[:, :, 1:], key, value, Causal(), asks) is None
    assert route.signature(query, key, value, Causal(), asks) is not None


def test_few_keys_that_a_mask_leaves_lose_no_nan() -> None:
    """Ten of them, the last, which every query sees: torch's kernel would make zeros of the NaN."""
    query, key, value = given((1, 1, 40, 8), (1, 1, 40, 8))
    key[..., 30:, :] = torch.nan
    for _ in range(2):  # the second finds what was kept
        got = dot_product_attention(query, key, value, Padding(torch.tensor([10]), side="left"))
        assert got[..., 30:, :].isnan().all()


@pytest.mark.parametrize("keys", [20, 40])
@pytest.mark.parametrize(
    ("mask", "looked"),
    [
        (SlidingWindow(20), 0),
        (Causal() & SlidingWindow(20), 0),
        (PrefixLM(5), 0),
        (~SlidingWindow(20), 1),  # sees two stretches, and of 20 keys none
        (Causal() & Own(), 1),
    ],
)
def test_one_query_goes_directly_to_the_keys_that_it_sees(
    mask: Mask, looked: int, keys: int, slow
) -> None:
    query, key, value = given((2, 6, 1, 8), (2, 3, keys, 8))
    idle = ~mask.to_tensor(1, keys)[0, :, None]
    # What nobody sees may be anything.
    inputs = [query, *(torch.where(idle, torch.nan, x) for x in (key, value))]
    inputs = [x.requires_grad_(keys == 40) for x in inputs]
    got = dot_product_attention(*inputs, mask)
    assert (len(slow) > 0) == looked
    torch.testing.assert_close(got, dot_product_attention(*inputs, mask, backend="eager"))
    if keys == 40:
        found = torch.autograd.grad(got.sum(), inputs)
        assert not any(grad[idle.expand_as(grad)].any() for grad in found[1:])
        assert all(grad.isfinite().all() and grad.any() for grad in found)


@pytest.mark.untyped
def test_one_query_whose_keys_and_values_differ_is_refused() -> None:
    """Also where as many are left of both."""
    query, key, value = given((2, 3, 1, 8), (2, 3, 20, 8))
    with pytest.raises(ValueError, match="value has 19 positions but key has 20"):
        dot_product_attention(query, key, value[:, :, 1:], SlidingWindow(4))


class Nothing(Mask):
    """Sees no key, and says so."""

    def __call__(self, batch, head, query, key):
        return (key < 0) & (query < 0)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return keys, keys

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return True


def test_one_query_that_sees_nothing_gets_zeros() -> None:
    query, key, value = given((2, 3, 1, 8), (2, 3, 20, 8))
    assert not dot_product_attention(query, key, value, Nothing()).any()


@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("at", [None, 0, 1, 2])
@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("where", [slice(None), 0, 4])
def test_of_few_keys_lost_nan_is_looked_for(
    where: Any, scale: float | None, at: int | None, mask: Mask | None, slow
) -> None:
    """Torch's kernel makes zeros of less than a register: then once more, in another way."""
    x = given((2, 3, 5, 8), (2, 3, 5, 8))
    if at is not None:
        x[at][1, 2, where, 0] = float("nan")
    got = dot_product_attention(*x, mask, scale=scale)
    assert slow or where != slice(None) or at not in (0, 1)
    assert not slow or at in (0, 1)
    query, key, value = (y.double() for y in x)
    keep = torch.ones(5, 5, dtype=torch.bool) if mask is None else mask.to_tensor(5, 5)
    scores = query @ key.mT * (scale or 8**-0.5)
    want = (scores.masked_fill(~keep, -torch.inf).softmax(dim=-1) @ value).float()
    assert want.isnan().any() == (at is not None)
    torch.testing.assert_close(got, want, equal_nan=True)


def test_few_keys_that_torchs_own_kernel_does_not_take_at_once(slow) -> None:
    x = given((2, 3, 5, 8), (2, 3, 5, 8))
    dot_product_attention(*x)
    assert not slow
    zero = x[0].clone()
    zero[:, :, 0] = 0  # alone, the first query has a log-sum-exp of 0
    dot_product_attention(zero, x[1], x[2], Causal())
    assert not slow
    with FakeTensorMode() as mode:
        fake = [mode.from_tensor(y) for y in x]
    assert dot_product_attention(*fake).shape == x[0].shape
    slow.clear()
    apart = x[0], x[1].mT.contiguous().mT, x[2]
    learning = [y.clone().requires_grad_() for y in x]
    for others in (apart, learning):
        slow.clear()
        dot_product_attention(*others)
        assert slow
    slow.clear()
    with sdpa_kernel(SDPBackend.MATH):
        dot_product_attention(*x)
    assert slow
