"""A cache under masks that ask for places, and look back farther than it does."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    Causal,
    Documents,
    Mask,
    MultiHeadAttention,
    Padding,
    PrefixLM,
    RollingKVCache,
    Rotary,
    SlidingWindow,
)

from .states import WINDOW, module, tokens


class Even(Mask):
    """The docstring's mask of one's own: it asks for places, not for distances."""

    def __call__(self, batch, head, query, key):
        return key % 2 == 0


class EvenCausal(Causal):
    """The same made of one that asks for distances: what that one says of itself is not for it."""

    def __call__(self, batch, head, query, key):
        return (key <= query) & (key % 2 == 0)


PLACES = {
    "prefix": lambda total: PrefixLM(5) & SlidingWindow(4),
    "every other": lambda total: Even() & WINDOW,
    "every other behind": lambda total: EvenCausal() & WINDOW,
    "not every other": lambda total: WINDOW & ~Even(),
    "right": lambda total: Padding(torch.tensor([5, 8])) & WINDOW,
    "left": lambda total: Padding(torch.tensor([total, max(total - 4, 0)]), side="left") & WINDOW,
    "documents": lambda total: Documents(torch.arange(12)[None, :total] // 5) & WINDOW,
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("chunks", [(3, 3, 3, 3), (1,) * 12, (6, 1, 1, 4)])
def test_a_rolling_cache_asks_a_mask_about_positions_that_count_on(name: str, chunks) -> None:
    attend, x = module(positions=None if name == "left" else Rotary()), tokens(2, 12)
    cache, outs, end = RollingKVCache(4), [], 0
    for count in chunks:
        end += count
        # PrefixLM looks ahead: with a cache, only to what has come.
        outs.append(attend(x[:, end - count : end], mask=PLACES[name](end), cache=cache))
    got, whole = torch.cat(outs, dim=1), PLACES[name](12)
    if name == "prefix":
        whole = whole & Causal() if chunks[0] == 1 else whole
        got, want = got[:, 5:], attend(x, mask=whole)[:, 5:]
    else:
        want = attend(x, mask=whole)
    torch.testing.assert_close(got, want)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 11), st.sampled_from(sorted(set(PLACES) - {"prefix"})))
def test_no_mask_of_places_shows_the_future_through_a_rolling_cache(at: int, name: str) -> None:
    attend, x = module(), tokens(2, 12)
    changed = x.clone()
    changed[:, at:] += 100.0
    before, after = (run(attend, y, name) for y in (x, changed))
    assert torch.equal(before[:, :at], after[:, :at])


def run(attend: MultiHeadAttention, x: torch.Tensor, name: str) -> torch.Tensor:
    cache = RollingKVCache(4)
    return torch.cat(
        [attend(x[:, i : i + 2], mask=PLACES[name](i + 2), cache=cache) for i in range(0, 12, 2)], 1
    )


@pytest.mark.parametrize("wild", [float("nan"), float("inf"), 1e300])
def test_what_is_absent_may_hold_anything(wild: float) -> None:
    """Also where the kernel was first tried without making it zero."""
    attend, x = module(), tokens(2, 6)
    mask = Causal() & Padding(torch.tensor([6, 3]), side="left")
    want = attend(x, mask=mask)
    loud = x.clone()
    loud[1, :3] = wild
    got = attend(loud, mask=mask)
    assert torch.equal(got[0], want[0])
    torch.testing.assert_close(got[1, 3:], want[1, 3:])


def test_padding_on_the_left_of_less_than_it_says(device: str) -> None:
    """Lengths that count what is still to come, and lengths in eight bits."""
    ahead = Padding(torch.tensor([6, 2], device=device), side="left")
    assert ahead.first(4).tolist() == [0, 2]
    assert Padding(torch.tensor([100], dtype=torch.int8), side="left").first(300).tolist() == [200]


class Slow(Mask):
    """It looks back farther and farther, a quarter of the way."""

    def __call__(self, batch, head, query, key):
        return (key <= query) & (4 * key >= 3 * query)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return 3 * first // 4, last + 1


def test_a_mask_that_in_time_looks_back_too_far_is_refused_in_time() -> None:
    attend, cache = module(), RollingKVCache(4)
    x = tokens(1, 40)
    whole = attend(x, mask=Slow())

    def steps() -> None:
        for i in range(40):
            out = attend(x[:, i : i + 1], mask=Slow(), cache=cache)
            torch.testing.assert_close(out, whole[:, i : i + 1])

    with pytest.raises(ValueError, match="may attend to what a rolling cache no longer holds"):
        steps()
    assert cache.length >= 8


class Tenth(Mask):
    """Every tenth query sees all before it, the others two."""

    def __call__(self, batch, head, query, key):
        return (key <= query) & ((query - key < 2) | (query % 10 == 9))

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        wide = any(query % 10 == 9 for query in range(first, last + 1))
        return 0 if wide else max(first - 1, 0), last + 1


def test_each_of_the_queries_that_come_is_asked_how_far_it_looks_back() -> None:
    attend, cache, x = module(), RollingKVCache(4), tokens(1, 12)
    first = attend(x[:, :8], mask=Tenth(), cache=cache)
    torch.testing.assert_close(first, attend(x[:, :8], mask=Tenth()))
    for stop in (10, 12):  # position 9 is among them
        with pytest.raises(ValueError, match="may attend to what a rolling cache no longer holds"):
            attend(x[:, 8:stop], mask=Tenth(), cache=cache)
    assert cache.length == 8
    attend(x[:, 8:8], mask=Tenth(), cache=cache)
    ninth = attend(x[:, 8:9], mask=Tenth(), cache=cache)
    torch.testing.assert_close(ninth, attend(x[:, :9], mask=Tenth())[:, 8:])
