"""The usual call goes directly to torch's kernel."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, Documents, Mask, dot_product_attention
from attention.backends import sdpa
from attention.backends.suited import REGISTER
from attention.dispatch import dense, direct, route

from .usual import MASKS, Own, given


class Held(Own):
    """All keys, and a tensor that is never asked."""

    def __init__(self, number: Tensor) -> None:
        self.number = number

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return True


Shapes = tuple[tuple[int, ...], tuple[int, ...]]


@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("name", MASKS)
def test_a_usual_call_is_not_looked_at_twice(name: str, scale: float | None, slow) -> None:
    x = given((2, 3, 20, 8), (2, 3, 20, 8))
    first = dot_product_attention(*x, MASKS[name], scale=scale)
    before = len(slow)
    assert before == (0 if name in ("none", "causal") else 1)
    again = dot_product_attention(*x, MASKS[name], scale=scale)
    assert len(slow) == before
    want = dot_product_attention(*x, MASKS[name], scale=scale, backend="eager")
    for got in (first, again):
        torch.testing.assert_close(got, want)


def test_without_heads_the_kernel_is_not_asked(monkeypatch) -> None:
    """PyTorch 2.11 divides by the number of heads, and the process ends."""

    def asked(*arguments, **options):
        raise AssertionError("torch's kernel was called")

    monkeypatch.setattr(direct, "scaled_dot_product_attention", asked)
    monkeypatch.setattr(sdpa, "scaled_dot_product_attention", asked)
    x = given((2, 0, 20, 8), (2, 0, 20, 8))
    for mask in MASKS.values():
        for _ in range(2):  # the second finds what was kept
            assert dot_product_attention(*x, mask).shape == (2, 0, 20, 8)


@pytest.mark.parametrize("name", MASKS)
def test_what_is_kept_of_the_processor_is_for_the_processor(name: str, slow) -> None:
    mask, x = MASKS[name], given((2, 3, 20, 8), (2, 3, 20, 8))
    dot_product_attention(*x, mask)
    elsewhere = [tensor.to("meta") for tensor in x]
    if name in ("documents", "padding"):  # which hold tensors
        with pytest.raises(ValueError, match="on cpu: expected meta"):
            dot_product_attention(*elsewhere, mask)
    else:
        assert dot_product_attention(*elsewhere, mask).is_meta


@pytest.mark.parametrize(("batch", "looked"), [(1, 1), (3, 0)])
def test_a_mask_that_is_not_kept_is_not_looked_up(batch: int, looked: int, monkeypatch) -> None:
    """Its content would be read in each call."""
    monkeypatch.setattr(route, "SMALL", 2 * 4 * 40)
    monkeypatch.setattr(dense, "SMALL", 2 * 4 * 40)
    asked: list[object] = []
    label = route.label
    monkeypatch.setattr(route, "label", lambda mask: asked.append(mask) or label(mask))
    mask = Documents((torch.arange(40) // 7).expand(batch, 40))
    query, key, value = given((3, 2, 4, 8), (3, 2, 40, 8))
    assert (route.signature(query, key, value, mask, route.MASK_ALONE) is not None) == bool(looked)
    assert len(asked) == looked


def test_a_mask_for_a_batch_or_with_tensors_is_looked_at(slow) -> None:
    query, key, value = given((2, 3, 1, 8), (2, 3, 20, 8))
    for name in ("documents", "padding"):
        got = dot_product_attention(query, key, value, MASKS[name])
        want = dot_product_attention(query, key, value, MASKS[name], backend="eager")
        torch.testing.assert_close(got, want)
    assert slow
    with pytest.raises(ValueError, match="on cpu: expected meta"):
        dot_product_attention(*(x.to("meta") for x in (query, key, value)), Held(torch.ones(1)))


@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize(
    ("shapes", "directly"),
    [
        (((2, 3, 20, 8), (2, 3, 20, 8)), (True, True)),
        (((2, 3, 1, 8), (2, 3, 20, 8)), (True, True)),  # a token on a cache
        (((2, 3, 2, 8), (2, 3, 20, 8)), (True, False)),
        (((2, 3, 5, 8), (2, 3, 20, 8)), (True, False)),  # torch aligns the first with the first
        (((2, 3, 30, 8), (2, 3, 20, 8)), (True, False)),
        (((2, 3, REGISTER, 8), (2, 3, REGISTER, 8)), (True, True)),
        (((2, 3, 20, 8), (2, 3, REGISTER - 1, 8)), (True, False)),
        (((2, 3, REGISTER - 1, 8), (2, 3, REGISTER - 1, 8)), (True, True)),
        (((2, 3, 1, 8), (2, 3, 1, 8)), (True, True)),
        (((2, 3, 2, 8), (2, 3, 2, 8)), (True, True)),
        (((2, 3, 1, 8), (2, 3, 3, 8)), (True, True)),
        (((2, 6, 1, 8), (2, 3, 3, 8)), (False, False)),
        (((2, 3, 5, 8), (2, 3, 0, 8)), (False, False)),
        (((2, 6, 20, 8), (2, 3, 20, 8)), (True, True)),  # heads in groups
        (((2, 6, 1, 8), (2, 3, 20, 8)), (True, True)),
        (((3, 20, 8), (3, 20, 8)), (False, False)),
        (((2, 0, 20, 8), (2, 0, 20, 8)), (False, False)),
        (((2, 3, 20, 0), (2, 3, 20, 0)), (False, False)),
    ],
)
def test_which_shapes_go_directly(
    shapes: Shapes, directly: tuple[bool, bool], mask: Mask | None, slow
) -> None:
    x = given(*shapes, dtype=torch.float64)
    got = dot_product_attention(*x, mask)
    assert (not slow) == directly[mask is not None]
    torch.testing.assert_close(got, dot_product_attention(*x, mask, backend="eager"))


@pytest.mark.parametrize("tokens", [511, 512])
def test_many_causal_scores_are_cut_into_blocks(tokens: int, slow) -> None:
    x = given((2, 4, tokens, 4), (2, 4, tokens, 4))
    got = dot_product_attention(*x, Causal())
    assert len(slow) == (tokens == 512)  # 2 · 4 · 512² = 2²¹
    torch.testing.assert_close(got, scaled_dot_product_attention(*x, is_causal=True))


def test_a_query_that_learns_learns(slow) -> None:
    x = [part.requires_grad_() for part in given((2, 3, 20, 8), (2, 3, 20, 8), dtype=torch.float64)]
    got = torch.autograd.grad(dot_product_attention(*x).square().sum(), x)
    assert not slow
    want = torch.autograd.grad(dot_product_attention(*x, backend="eager").square().sum(), x)
    torch.testing.assert_close(got, want)
    loss = dot_product_attention(*x).square().sum()
    (first, *_) = torch.autograd.grad(loss, x, create_graph=True)
    with pytest.raises(RuntimeError, match="expected backend eager, tiled or loops"):
        torch.autograd.grad(first.sum(), x)
