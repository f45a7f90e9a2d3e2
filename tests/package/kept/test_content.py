"""What is kept of a mask is for one that holds the same alone."""

import collections
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from attention import Causal, Mask, SlidingWindow
from attention.fingerprint import content, label, outlines

from .asked import Named, Told, attend, count


@dataclass(frozen=True, slots=True)
class Slots(Mask):
    """What it holds lies beside its `vars`."""

    width: int

    def __call__(self, batch, head, query, key):
        return (query - key < self.width) & (key <= query)


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
    "data": (Told(1), Told(3)),
    "names": (Named(back=2), Named(ahead=2)),
    "more names": (Named(back=2), Named(back=2, ahead=1)),
    "a number and a truth": (Named(back=1), Named(back=True)),
    "two zeros": (Named(back=0.0), Named(back=-0.0)),
    "a tensor of bfloat16": [Named(back=torch.tensor(n, dtype=torch.bfloat16)) for n in (1, 3)],
    "a tensor that learns": [Named(back=torch.tensor(n, requires_grad=True)) for n in (1.0, 3.0)],
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_mask_is_not_taken_for_another(name: str) -> None:
    for mask in PAIRS[name]:
        keep = mask.to_tensor(6, 6).detach()
        torch.testing.assert_close(attend(mask), attend(keep), atol=0, rtol=0)


def test_what_is_made_of_a_data_class_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = count(monkeypatch)
    for _ in range(3):
        attend(Told(2))
    assert len(asked) == 1


def test_what_may_change_unseen_is_asked_each_time() -> None:
    reach = Reach(0)
    mask = Named(back=reach)
    for reach.width in (1, 3):
        want = attend((Causal() & SlidingWindow(reach.width + 1)).to_tensor(6, 6))
        torch.testing.assert_close(attend(mask), want, atol=0, rtol=0)


def test_a_mask_with_what_cannot_be_looked_up_is_asked_each_time() -> None:
    class Width:
        __hash__ = None

        def __get__(self, mask, owner):
            return 2

    class Near(Mask):
        width = Width()

        def __call__(self, batch, head, query, key):
            return abs(query - key) < self.width

    torch.testing.assert_close(attend(Near()), attend(Near().to_tensor(6, 6)), atol=0, rtol=0)


def test_a_number_of_a_class_that_holds_more_is_asked_each_time() -> None:
    class Wide(int):
        more = 0

    mask = Named(back=Wide(1))
    with pytest.raises(TypeError, match="Wide may change unseen"):
        content(mask)


@pytest.mark.parametrize("holder", [list, collections.deque])
def test_a_mask_that_is_a_list_is_not_taken_for_another(holder: type) -> None:
    class Bands(Mask, holder):
        def __call__(self, batch, head, query, key):
            return sum(abs(query - key) == distance for distance in self) > 0

    for mask in (Bands([1, 2]), Bands([3])):
        torch.testing.assert_close(attend(mask), attend(mask.to_tensor(6, 6)), atol=0, rtol=0)


def test_a_mask_that_is_a_number_is_not_taken_for_another() -> None:
    class Width(int, Mask):
        def __call__(self, batch, head, query, key):
            return abs(query - key) < int(self) + getattr(self, "more", 0)

    wider = Width(1)
    wider.more = 2
    for mask in (Width(1), Width(2), wider):
        torch.testing.assert_close(attend(mask), attend(mask.to_tensor(6, 6)), atol=0, rtol=0)


def test_a_mask_that_has_the_number_of_another_is_not_taken_for_it() -> None:
    gone, mask = SlidingWindow(5), SlidingWindow(3)
    label(gone)
    outlines[id(mask)] = outlines[id(gone)]
    assert label(mask) == label(SlidingWindow(3)) != label(gone)
