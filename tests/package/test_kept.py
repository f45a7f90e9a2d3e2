"""What is kept of a mask is for an equal one alone, and for any call with it."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from attention import Causal, Mask, Padding, SlidingWindow, dot_product_attention


@dataclass(frozen=True, slots=True)
class Slots(Mask):
    """What it holds lies beside its `vars`."""

    width: int

    def __call__(self, batch, head, query, key):
        return (query - key < self.width) & (key <= query)


class Named(Mask):
    """It holds what it was given, under any name."""

    def __init__(self, **held: object) -> None:
        vars(self).update(held)

    def __call__(self, batch, head, query, key):
        held = vars(self)
        back, ahead = held.get("back", 0), held.get("ahead", 0)
        return (query - key <= back) & (key - query <= ahead)


class Reach:
    """Equal to itself alone, whatever its number becomes."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __rsub__(self, other: Tensor) -> Tensor:
        return other - self.width

    def __ge__(self, other: Tensor) -> Tensor:
        return other <= self.width


PAIRS = {
    "slots": (Slots(1), Slots(3)),
    "names": (Named(back=2), Named(ahead=2)),
    "more names": (Named(back=2), Named(back=2, ahead=1)),
    "a tensor of bfloat16": [Named(back=torch.tensor(n, dtype=torch.bfloat16)) for n in (1, 3)],
    "a tensor that learns": [Named(back=torch.tensor(n, requires_grad=True)) for n in (1.0, 3.0)],
}


def attend(mask: Mask | Tensor) -> Tensor:
    x = torch.linspace(-1, 1, 96).reshape(2, 6, 8)
    return dot_product_attention(x, x, x, mask)


@pytest.mark.parametrize("name", PAIRS)
def test_a_mask_is_not_taken_for_another(name: str) -> None:
    for mask in PAIRS[name]:
        keep = mask.to_tensor(6, 6).detach()
        torch.testing.assert_close(attend(mask), attend(keep), atol=0, rtol=0)


def test_what_may_change_unseen_is_asked_each_time() -> None:
    reach = Reach(0)
    mask = Named(back=reach)
    for reach.width in (1, 3):
        want = attend((Causal() & SlidingWindow(reach.width + 1)).to_tensor(6, 6))
        torch.testing.assert_close(attend(mask), want, atol=0, rtol=0)


@pytest.mark.parametrize("tokens", [6, 150])
def test_after_a_call_in_inference_mode_others_learn(tokens: int) -> None:
    """Queries that see nothing lie in a block of others: they are masked, and the mask is saved."""
    mask = SlidingWindow(5) & Padding(torch.tensor([tokens - 50]).clamp(min=1))
    query = torch.randn(1, 2, tokens, 8)
    with torch.inference_mode():
        want = dot_product_attention(query, query, query, mask, backend="spans")
    query.requires_grad_()
    got = dot_product_attention(query, query, query, mask, backend="spans")
    got.sum().backward()
    torch.testing.assert_close(got.detach(), want.clone())
