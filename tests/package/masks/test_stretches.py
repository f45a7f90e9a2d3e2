"""What a mask says of stretches of keys is what its rule says of each."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import Causal, Mask, Padding, PrefixLM, SlidingWindow, dot_product_attention
from attention.masks.shifted import Shifted

from .kinds import MASKS


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(MASKS)), st.integers(1, 9), st.data())
def test_a_span_is_never_too_short(name: str, queries: int, data: st.DataObject) -> None:
    mask, keys = MASKS[name], 5
    dense = mask.to_tensor(queries, keys).expand(mask.batch or 1, 1, queries, keys)
    first = data.draw(st.integers(0, queries - 1))
    last = data.draw(st.integers(first, queries - 1))
    start, stop = mask.span(first + keys - queries, last + keys - queries, keys)
    assert 0 <= start <= stop <= keys
    seen = dense[:, :, first : last + 1].any(dim=(0, 1, 2)).nonzero().flatten().tolist()
    assert all(start <= j < stop for j in seen)
    start = data.draw(st.integers(0, keys))
    stop = data.draw(st.integers(start, keys))
    if mask.full(first + keys - queries, last + keys - queries, start, stop):
        assert dense[:, :, first : last + 1, start:stop].all()
    part = mask.tile(queries, keys, slice(first, last + 1), slice(start, stop))
    want = dense[:, :, first : last + 1, start:stop]
    assert torch.equal(part.expand(mask.batch or 1, 1, -1, -1), want)


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("queries", [1, 2, 5, 9])
@pytest.mark.parametrize("by", [0, 2])
def test_intervals_say_what_the_rule_says(name: str, queries: int, by: int) -> None:
    """Exactly, for every mask but those with a document in pieces, of which they say nothing."""
    mask, keys = Shifted(MASKS[name], by), 5 - by
    found = mask.over(keys).intervals(torch.arange(keys - queries, keys), keys)
    if name in {"documents", "all"}:
        assert found is None
        return
    assert found is not None
    key = torch.arange(keys)
    seen = torch.zeros(1, queries, keys, dtype=torch.bool)
    for start, stop in found:
        start, stop = (torch.as_tensor(x)[..., None] for x in (start, stop))
        seen = seen | ((key >= start) & (key < stop))
    want = mask.to_tensor(queries, keys).expand(mask.batch or 1, 1, queries, keys)[:, 0]
    assert torch.equal(seen.expand_as(want), want)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(MASKS)), st.integers(1, 9), st.integers(0, 4))
def test_a_mask_whose_first_keys_are_gone(name: str, queries: int, by: int) -> None:
    """It is what is left of the whole table, and says as much of spans."""
    mask, keys = MASKS[name], 5
    left = Shifted(mask, by)
    assert torch.equal(left.to_tensor(queries, keys - by), mask.to_tensor(queries, keys)[..., by:])
    start, stop = left.span(keys - by - queries, keys - by - 1, keys - by)
    dense = left.to_tensor(queries, keys - by).reshape(-1, keys - by).any(dim=0)
    assert not dense[:start].any()
    assert not dense[stop:].any()
    if mask.relative:
        count = keys - by
        assert torch.equal(mask.to_tensor(queries, count), left.to_tensor(queries, count))


def test_what_structured_masks_say_of_full_stretches_is_exact() -> None:
    assert Causal().full(10, 15, 0, 11)
    assert not Causal().full(10, 15, 0, 12)
    assert SlidingWindow(3).full(10, 11, 9, 13)
    assert not SlidingWindow(3).full(10, 11, 8, 13)
    assert not SlidingWindow(3).full(10, 11, 9, 14)
    assert (Causal() & SlidingWindow(3)).full(10, 10, 8, 11)
    assert not (Causal() & SlidingWindow(3)).full(10, 10, 8, 12)
    assert (Causal() | SlidingWindow(3)).full(10, 10, 0, 11)
    assert (Causal() | SlidingWindow(3)).full(10, 10, 8, 13)
    assert PrefixLM(20).full(3, 5, 0, 20)
    assert PrefixLM(2).full(3, 5, 0, 4)
    assert not PrefixLM(2).full(3, 5, 0, 5)
    assert not (~Causal()).full(3, 5, 0, 0)


def test_spans_of_structured_masks_are_exact() -> None:
    assert Causal().span(10, 15, 100) == (0, 16)
    assert SlidingWindow(3).span(10, 15, 100) == (8, 18)
    assert (Causal() & SlidingWindow(3)).span(10, 15, 100) == (8, 16)
    assert (Causal() | SlidingWindow(3)).span(10, 15, 100) == (0, 18)
    assert PrefixLM(20).span(10, 15, 100) == (0, 20)
    assert PrefixLM(20).span(90, 95, 94) == (0, 94)
    assert PrefixLM(2).span(10, 15, 100) == (0, 16)
    assert Shifted(Causal() & SlidingWindow(3), 2).span(10, 15, 98) == (8, 16)
    assert (~Causal()).span(10, 15, 100) == (0, 100)
    assert Causal().span(-5, -2, 3) == (0, 0)
    assert SlidingWindow(2).span(-5, -3, 3) == (0, 0)


def test_a_mask_that_every_count_of_keys_suits_is_not_made_anew() -> None:
    lengths = torch.tensor([3, 2])
    for mask in (Causal() & SlidingWindow(2) | Padding(lengths), ~(Causal() | PrefixLM(2))):
        assert mask.over(5) is mask
    left = Padding(lengths, side="left")
    at = torch.arange(5)
    real, past = (at >= 5 - lengths[:, None])[:, None, None], at <= at[:, None]
    for mask, want in (
        (~left, ~real),
        (Causal() & left, past & real),
        (left | Causal(), past | real),
    ):
        assert mask.over(5) is not mask
        assert torch.equal(mask.over(5).to_tensor(5, 5), want.expand(2, 1, 5, 5))


def test_what_padding_says_of_stretches_is_exact() -> None:
    lengths = torch.tensor([3, 2])
    right, left = Padding(lengths), Padding(lengths, side="left")
    assert right.span(0, 4, 5) == (0, 3)
    assert right.full(0, 4, 0, 2)
    assert not right.full(0, 4, 0, 3)
    assert left.over(5).span(0, 4, 5) == (2, 5)
    assert left.over(5).full(0, 4, 3, 5)
    assert not left.over(5).full(0, 4, 2, 5)
    # Whoever does not know how many keys there are, or what the lengths are, leaves out nothing.
    elsewhere = [Padding(lengths.to("meta"), side=side).over(5) for side in ("right", "left")]
    for mask in (left, *elsewhere):
        assert mask.span(0, 4, 5) == (0, 5)
        assert not mask.full(0, 4, 0, 1)
        assert not mask.full(0, 4, 4, 5)


@pytest.mark.parametrize("kind", [list, tuple])
def test_stretches_may_come_in_a_list_or_a_tuple(kind: type) -> None:
    class Sinks(Mask):
        def __call__(self, batch, head, query, key):
            return key < 4

        def intervals(self, query, keys):
            return kind([(0, 4)])

    x = torch.randn(1, 2, 40, 8)
    for mask in (Sinks(), Causal() & (SlidingWindow(8) | Sinks()), Causal() & ~Sinks()):
        got = dot_product_attention(x, x, x, mask, backend="spans")
        want = dot_product_attention(x, x, x, mask, backend="eager")
        torch.testing.assert_close(got, want)


class TooLong(Mask):
    """A window whose span reaches beyond the keys there are, as it may."""

    def __call__(self, batch, head, query, key):
        return (key > query - 3) & (key <= query)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return first - 2, last + 100


@pytest.mark.parametrize("backend", ["auto", "fused", "eager", "tiled"])
@pytest.mark.parametrize("queries", [3, 9])
def test_a_span_may_reach_beyond_the_keys(backend: str, queries: int) -> None:
    x = torch.randn(1, 2, 9, 4)
    for mask in (TooLong(), TooLong() | TooLong()):
        seen = mask.to_tensor(queries, 9)
        want = dot_product_attention(x[:, :, -queries:], x, x, seen, backend="eager")
        got = dot_product_attention(x[:, :, -queries:], x, x, mask, backend=backend)
        torch.testing.assert_close(got, want)


def test_a_shifted_mask_is_seen_whole_where_its_mask_is() -> None:
    mask = Causal() & SlidingWindow(4) & Padding(torch.tensor([20, 18]), side="left")
    assert Shifted(mask, 15).over(5).full(4, 4, 1, 5)
    assert not Shifted(mask, 15).over(5).full(4, 4, 0, 5)
