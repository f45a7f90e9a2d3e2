"""What a plan costs, and when it costs too much."""

import pytest
import torch

from attention import Causal, Documents, Mask, Padding, SlidingWindow, blocks, dot_product_attention
from attention.blocks import cached, cost, equal, make, rectangles
from attention.dispatch import plans, route
from attention.kept import Kept

from .sequences import PACKED, Halves


def test_what_a_plan_costs() -> None:
    """Its scores, those in a block with a mask 1.2 times; and as much as 49,152 for each call."""
    causal = blocks.plan(Causal(), 512, 512)
    assert causal
    strips, square, calls = 2 * 64 * (64 + 128 + 192 + 256), 256**2, 5
    scores = 1.2 * strips + square
    assert causal.cost(8) == pytest.approx(8 * scores + calls * 49152)
    assert causal.cost(2, 4) == pytest.approx(8 * scores + calls * 49152)
    padded = blocks.plan(Padding(torch.tensor([100, 50, 50])), 64, 100)
    assert padded
    assert padded.cost(6) == 2 * 64 * 112 + 4 * 64 * 62 + 2 * 49152
    few = blocks.plan(Padding(torch.tensor([50])), 2, 100)
    assert few
    assert few.cost(1) == 8 * 62 + 49152  # two rows cost what eight do
    assert few.cost(1, 16) == 32 * 62 + 49152
    even = blocks.plan(Padding(torch.tensor([56])), 64, 100)
    assert even
    assert even.cost(1) == 64 * 56 + 49152  # whose keys fill registers


SIXTEEN = Padding(torch.arange(16) * 2 + 21)  # of 64 keys


def test_a_limit_is_for_the_mean_of_some_sequences() -> None:
    """Of ten, three heads of keys each, two of queries for those; 49,152 a call."""
    stop = torch.tensor([[20], [22], [24]]).expand(3, 64)
    some = rectangles.rectangles(torch.zeros_like(stop), stop, True, 32)
    ten = 10 * (49152 + 3 * 2 * 64 * (32 + 34 + 24) / 3)
    assert blocks.Limit(1.001 * ten, 30, 2).within(some, 10)
    assert not blocks.Limit(0.999 * ten, 30, 2).within(some, 10)
    exactly = cost.least(some[0], 30.0, 2)
    assert blocks.Limit(exactly, 30, 2).within(some[:1], 1)
    assert not blocks.Limit(exactly - 1, 30, 2).within(some[:1], 1)
    # Other rectangles are calls of their own, and equal ones, it is hoped, none.
    further = [cut + [cut[0]._replace(query=64, key=3, rows=40)] * 2 for cut in some]
    ten += 10 * (49152 + 3 * 2 * 80 * (32 + 34 + 24) / 3)
    assert blocks.Limit(1.001 * ten, 30, 2).within(further, 10)
    assert not blocks.Limit(0.999 * ten, 30, 2).within(further, 10)


@pytest.mark.parametrize("mask", [Causal(), SlidingWindow(40), Documents(PACKED[:, :200])])
def test_what_rectangles_cost_is_what_their_blocks_cost(mask: Mask) -> None:
    """Where those of one shape are at equal distances."""
    lanes = make.lanes(mask, 200, 200)
    assert lanes
    (start,), (stop,) = lanes
    [cut] = rectangles.rectangles(start, stop, True, 32)
    assert cost.least(cut, 3.0, 2) == pytest.approx(cost.cost(equal.equal(cut), 3.0, 2))


def test_what_costs_too_much_is_planned_for_some_sequences_alone(monkeypatch) -> None:
    asked = []

    def watch(start: torch.Tensor, stop: torch.Tensor, *rest: object) -> object:
        asked.extend((start if start.any() else stop)[:, 0].tolist())
        return rectangles.rectangles(start, stop, *rest)

    monkeypatch.setattr(make, "rectangles", watch)
    monkeypatch.setattr(cached, "kept", Kept(8))
    mixed = Padding(SIXTEEN.lengths[torch.randperm(16, generator=torch.manual_seed(0))])
    for mask in (SIXTEEN, mixed):
        asked.clear()
        assert blocks.plan(mask, 64, 64, limit=blocks.Limit(2.4e6, 1600, 1)) is None
        assert asked == [25, 47, 33, 39]  # of the least and of the most, and less so
    asked.clear()
    left = Padding(SIXTEEN.lengths, side="left").over(64)
    assert blocks.plan(left, 64, 64, limit=blocks.Limit(2.4e6, 1600, 1)) is None
    assert asked == [64 - 25, 64 - 47, 64 - 33, 64 - 39]
    for limit in (None, blocks.Limit(1e9, 16, 1)):
        asked.clear()
        assert blocks.plan(SIXTEEN, 64, 64, limit=limit)
        assert set(asked) == set(range(21, 53, 2))


def test_for_too_little_no_stretches_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything planned where only the stretches tell how many kinds there are."""
    two, least = Padding(torch.tensor([20, 30])), 3.0 * cost.MIN_SCORES_A_KIND
    asked, right = [], make.lanes
    monkeypatch.setattr(make, "lanes", lambda *given: [asked.append(1), right(*given)][1])
    monkeypatch.setattr(cached, "kept", Kept(8))
    monkeypatch.setattr(route, "kept", Kept(8))
    for heads in (35, 36):  # 36 · 2 · 64² are as many scores as six calls cost
        key = torch.zeros(2, heads, 64, 4)
        assert plans.pays(key, key, two) == (heads == 36)
        dot_product_attention(key, key, key, two)
        assert asked == [1] * (heads - 35)
        assert plans.pays(key, key, Padding(torch.tensor([30, 30])))
        few = torch.zeros(2, 8 * heads, 2, 4)  # queries, which take as long as eight
        assert plans.pays(few, few[..., :1, :].expand(-1, -1, 64, -1), two) == (heads == 36)
    assert plans.pays(key[:1, :1], key[:1, :1], Padding(torch.tensor([20])))
    assert blocks.plan(Halves(), 64, 64, limit=blocks.Limit(least * 2 / 3 - 1, 3, 1)) is None
    assert blocks.plan(Halves(), 64, 64, limit=blocks.Limit(least * 2 / 3, 3, 1))


@pytest.mark.parametrize(
    ("batch", "heads", "taken"), [(1, 2, True), (2, 2, False), (7, 2, False), (7, 40, True)]
)
def test_short_sequences_are_not_planned(batch: int, heads: int, taken: bool) -> None:
    """Of fewer scores than three calls cost; where all sequences are alike, they are one."""
    mask, count = Padding(torch.arange(batch) + 20), max(batch, 2)
    key = torch.randn(count, heads, 64, 4)
    most = float(count * heads * 64 * 64)
    found = plans.plan(key, key, mask, False, most)
    assert (found is not None) == taken
    assert plans.plan(key, key, mask, False)


def test_many_sequences_have_a_limit_each() -> None:
    """In the scores of its own heads. The four that are cut cost the mean."""
    for batch, share, taken in (
        (16, 1.001, True),
        (16, 0.999, False),
        (8, 0.5, False),
        (7, 0.5, True),
    ):
        mask = Padding(SIXTEEN.lengths[:batch])
        query = torch.zeros(1, 1, 64, 4).expand(batch, 800, 64, 4)
        plan = blocks.plan(mask, 64, 64)
        assert plan
        most = share * plan.cost(batch * 400, 2)
        assert (plans.plan(query, query[:, :400], mask, False, most) is not None) == taken
