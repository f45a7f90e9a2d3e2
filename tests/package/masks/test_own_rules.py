"""Masks of one's own, and what they take over."""

import pytest
import torch

from attention import Causal, Mask, Padding, SlidingWindow

from .kinds import LENGTHS


def test_a_new_rule_takes_over_nothing_that_was_said_of_an_old_one() -> None:
    class Later(Causal):
        def __call__(self, batch, head, query, key):
            return key >= query

    assert Later().span(2, 2, 5) == (0, 5)
    assert not Later().full(2, 2, 0, 1)
    assert Later().intervals(torch.tensor([2]), 5) is None
    assert Causal().relative
    assert not Later().relative

    class Even:
        def __call__(self, batch, head, query, key):
            return key % 2 == 0

    class Both(Even, Causal):
        """Its rule is that of a class that is no mask."""

    assert Both().to_tensor(1, 3).tolist() == [[True, False, True]]
    assert Both().span(0, 0, 3) == (0, 3)
    assert not Both().relative

    class Near(Causal):
        def span(self, first, last, keys):
            return 0, last + 1

    class All(Near):
        def __call__(self, batch, head, query, key):
            return key >= 0

    assert Near().span(2, 2, 9) == (0, 3)
    assert All().span(2, 2, 9) == (0, 9)

    class Short(Padding):
        def __call__(self, batch, head, query, key):
            return key < self.lengths[batch] - 1

    mask = Short(torch.tensor([3]), side="left")
    assert mask.to_tensor(1, 4).tolist() == [[[[True, True, False, False]]]]
    assert mask.first(4) == 0  # also where the tokens stand is said anew


def test_a_mask_of_ones_own() -> None:
    class Everything(Mask):
        def __call__(self, batch, head, query, key):
            return True

    assert Everything().to_tensor(2, 3).tolist() == [[True] * 3] * 2
    assert Everything().to_tensor(2, 3).device.type == "cpu"
    assert not (~Everything()).to_tensor(2, 3).any()


def test_a_mask_that_holds_its_tensor_keeps_it_to_itself() -> None:
    class Table(Mask):
        held = torch.ones(2, 3, dtype=torch.bool)

        def __call__(self, batch, head, query, key):
            return self.held

    Table().to_tensor(2, 3).zero_()
    assert Table.held.all()
    Table.held = torch.ones(3, 2, dtype=torch.bool).T
    assert Table().to_tensor(2, 3).is_contiguous()


def test_a_mask_that_tells_heads_apart() -> None:
    class Widths(Mask):
        heads = 2

        def __call__(self, batch, head, query, key):
            return query - key <= head

    keep = (Widths() & Causal()).to_tensor(3, 3)
    assert keep.shape == (2, 3, 3)
    assert keep[0].equal(torch.eye(3, dtype=torch.bool))
    assert keep[1].equal((Causal() & SlidingWindow(2)).to_tensor(3, 3))
    assert (~Widths() | Padding(LENGTHS)).to_tensor(2, 5).shape == (3, 2, 2, 5)


def test_a_rule_that_tells_apart_more_than_it_says_is_refused() -> None:
    class First(Mask):
        batch = 3

        def __call__(self, batch, head, query, key):
            return (batch < 3) & (head == 0) & (key <= query)

    keep = First().to_tensor(2, 3)
    assert torch.equal(keep, Causal().to_tensor(2, 3).expand(3, 1, 2, 3))
    with pytest.raises(ValueError, match="needs the property batch or heads$"):
        type("Silent", (First,), {"batch": None})().to_tensor(2, 3)


class Spanned:
    """What a mask may take over beside its rule."""

    def span(self, first, last, keys):
        return 0, last + 1


def test_a_mask_may_have_other_bases_and_their_keywords() -> None:
    class Tagged:
        def __init_subclass__(cls, tag: str) -> None:
            cls.tag = tag

    class Early(Spanned, Mask, Tagged, tag="early"):
        def __call__(self, batch, head, query, key):
            return key <= query

    assert Early.tag == "early"
    assert Early().span(0, 1, 5) == (0, 2)
    assert Early().to_tensor(3, 3).equal(Causal().to_tensor(3, 3))

    class Every(Early, tag="every"):
        def __call__(self, batch, head, query, key):
            return key >= 0

    assert Every().span(0, 1, 5) == (0, 5)  # what was said of the old rule is not of the new one
