"""What a cache holds after calls that fail, in every mode, and under masks that ask for places."""

import copy
import pickle
import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    ALiBi,
    Causal,
    Documents,
    KVCache,
    Mask,
    MultiHeadAttention,
    Padding,
    PrefixLM,
    RollingKVCache,
    Rotary,
    SlidingWindow,
)
from attention.backends import fused, sdpa
from attention.cache import Cache
from attention.positions import Positions

WINDOW = Causal() & SlidingWindow(4)
KINDS = {
    "grows": KVCache,
    "fixed": lambda: KVCache(16, fixed=True),
    "rolling": lambda: RollingKVCache(4),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def module(**options) -> MultiHeadAttention:
    torch.manual_seed(0)
    attend = MultiHeadAttention(10, 6, num_kv_heads=3, head_dim=4, dtype=torch.float64, **options)
    return attend.requires_grad_(False)


def tokens(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, 10, dtype=torch.float64)


@kinds
@pytest.mark.parametrize("count", [1, 3])
def test_a_first_call_that_fails_leaves_no_trace(kind: str, count: int) -> None:
    """Not its batch, not its memory: the cache takes another batch, of another dtype."""
    attend, cache = module(), KINDS[kind]()
    with pytest.raises(ValueError, match="mask has shape"):
        attend(tokens(2, count), mask=torch.ones(9, 9, dtype=torch.bool), cache=cache)
    assert (cache.length, cache.nbytes, cache.key) == (0, 0, None)
    x = tokens(3, 5).float()
    attend = attend.float()
    torch.testing.assert_close(attend(x, mask=WINDOW, cache=cache), attend(x, mask=WINDOW))


@kinds
def test_a_call_that_fails_at_its_very_end_takes_up_nothing(kind: str) -> None:
    attend, cache, x = module(), KINDS[kind](), tokens(2, 7)
    attend(x[:, :3], mask=WINDOW, cache=cache)
    held, room, size = cache.key.clone(), cache.nbytes, len(pickle.dumps(cache))

    def fail(*call: object) -> None:
        raise MemoryError("no room")

    for count in (1, 4):
        hook = attend.out_proj.register_forward_hook(fail)
        with pytest.raises(MemoryError):
            attend(x[:, 3 : 3 + count] + 1, mask=WINDOW, cache=cache)
        hook.remove()
        assert (cache.length, cache.nbytes, len(pickle.dumps(cache))) == (3, room, size)
        assert torch.equal(cache.key, held)
    rest = attend(x[:, 3:], mask=WINDOW, cache=cache)
    torch.testing.assert_close(rest, attend(x, mask=WINDOW)[:, 3:])


@kinds
def test_an_emptied_cache_takes_another_batch(kind: str) -> None:
    attend, cache = module(), KINDS[kind]()
    attend(tokens(2, 3), mask=WINDOW, cache=cache)
    cache.crop(0)
    x = tokens(5, 4)
    torch.testing.assert_close(attend(x, mask=WINDOW, cache=cache), attend(x, mask=WINDOW))


@pytest.mark.parametrize("batch", [2, 5])
def test_a_rolling_cache_begins_anew_after_any_number_of_tokens(batch: int) -> None:
    attend, cache = module(), RollingKVCache(4)
    attend(tokens(2, 11), mask=WINDOW, cache=cache)
    with pytest.raises(ValueError, match="cannot go back from 11 to 1"):
        cache.crop(1)
    cache.crop(0)
    x = tokens(batch, 7)
    torch.testing.assert_close(attend(x, mask=WINDOW, cache=cache), attend(x, mask=WINDOW))


def test_a_mask_for_other_keys_is_named_as_it_was_given() -> None:
    attend, cache = module(), RollingKVCache(4)
    attend(tokens(2, 11), mask=WINDOW, cache=cache)
    texts = Documents(torch.zeros(2, 3, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"^Documents is made for 3 keys: got 12$"):
        attend(tokens(2, 1), mask=WINDOW & texts, cache=cache)


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


@kinds
@pytest.mark.parametrize("part", ["query_norm", "out_proj", "x"])
def test_what_learns_beside_frozen_keys(kind: str, part: str) -> None:
    """Queries alone may learn: a later step must not spoil what a gradient needs."""
    attend, x = module(qk_norm=True), tokens(2, 6).requires_grad_(part == "x")
    leaf = x if part == "x" else getattr(attend, part).weight.requires_grad_()
    cache = KINDS[kind]()
    outs = [attend(x[:, i : i + 1], mask=WINDOW, cache=cache) for i in range(6)]
    got = torch.autograd.grad(torch.cat(outs, 1).square().sum(), leaf)[0]
    if part != "x":  # of frozen keys and values, no gradient stops at the cache
        want = torch.autograd.grad(attend(x, mask=WINDOW).square().sum(), leaf)[0]
        torch.testing.assert_close(got, want)
    assert got.isfinite().all()


@kinds
def test_a_cache_filled_in_inference_mode_is_used_after_it(kind: str) -> None:
    attend, cache, x = module(), KINDS[kind](), tokens(2, 9)
    want = attend(x, mask=WINDOW)
    with torch.inference_mode():
        attend(x[:, :4], mask=WINDOW, cache=cache)
    torch.testing.assert_close(attend(x[:, 4:5], mask=WINDOW, cache=cache), want[:, 4:5])
    with torch.no_grad():
        torch.testing.assert_close(attend(x[:, 5:], mask=WINDOW, cache=cache), want[:, 5:])


@pytest.mark.slow
@pytest.mark.untyped
@kinds
def test_a_cache_filled_by_compiled_code_in_inference_mode(kind: str) -> None:
    """Which makes what it holds in that mode, whatever the code says."""
    torch.compiler.reset()
    attend, cache, x = module(), KINDS[kind](), tokens(2, 9)
    want = attend(x, mask=WINDOW)
    compiled = torch.compile(attend, backend="aot_eager")
    with torch.inference_mode():
        compiled(x[:, :4], mask=WINDOW, cache=cache)
        torch.testing.assert_close(attend(x[:, 4:5], mask=WINDOW, cache=cache), want[:, 4:5])
    for i in (5, 6):
        got = attend(x[:, i : i + 1], mask=WINDOW, cache=cache)
        torch.testing.assert_close(got, want[:, i : i + 1])


class Learned(torch.nn.Module, Positions):
    """A number for each distance, which learns."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.linspace(-1, 1, 64, dtype=torch.float64))

    def bias(self, query, keys):
        at = torch.arange(keys - query.shape[-2], keys)[:, None]
        return self.table[(at - torch.arange(keys)).abs()].expand(query.shape[-3], -1, -1)


@kinds
@pytest.mark.parametrize("count", [1, 3])
def test_a_bias_that_learns_beside_keys_that_do_not(kind: str, count: int) -> None:
    # As many key heads: of fewer, torch copies keys and values itself.
    attend = MultiHeadAttention(10, 5, positions=Learned(), dtype=torch.float64)
    attend, cache, x = attend.requires_grad_(False), KINDS[kind](), tokens(2, 9)
    table = attend.positions.table.requires_grad_()
    chunks = [attend(part, mask=WINDOW, cache=cache) for part in x.split(count, dim=1)]
    losses = torch.cat(chunks, 1).square().sum(), attend(x, mask=WINDOW).square().sum()
    torch.testing.assert_close(*(torch.autograd.grad(loss, table) for loss in losses))


@kinds
def test_self_attention_as_torchs_module_is_called(kind: str) -> None:
    attend, cache, other, x = module(), KINDS[kind](), KINDS[kind](), tokens(2, 5)
    for part in (x[:, :4], x[:, 4:]):
        got = attend(part, part, part, mask=WINDOW, cache=cache)
        assert torch.equal(got, attend(part, mask=WINDOW, cache=other))


@kinds
@pytest.mark.parametrize("first", [1, 4])
def test_a_cache_that_grew_in_inference_mode_is_used_after_it(kind: str, first: int) -> None:
    attend, cache, x = module(), KINDS[kind](), tokens(2, 9)
    want = attend(x, mask=WINDOW)
    attend(x[:, :first], mask=WINDOW, cache=cache)
    with torch.inference_mode():
        attend(x[:, first:7], mask=WINDOW, cache=cache)
    torch.testing.assert_close(attend(x[:, 7:8], mask=WINDOW, cache=cache), want[:, 7:8])
    with torch.inference_mode():
        cache.reorder(torch.tensor([1, 0]))
    with torch.no_grad():
        rest = attend(x[[1, 0], 8:], mask=WINDOW, cache=cache)
    torch.testing.assert_close(rest, want[[1, 0], 8:])
    for held in (cache.key, cache.value):
        assert not held.is_inference()
        assert not held.requires_grad


@kinds
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda cache: pickle.loads(pickle.dumps(cache))]
)
def test_a_copy_of_a_cache_goes_its_own_way(kind: str, again) -> None:
    attend, cache, x = module(), KINDS[kind](), tokens(2, 7)
    attend(x[:, :5], mask=WINDOW, cache=cache)
    other: Cache = again(cache)
    attend(-x[:, 5:6], mask=WINDOW, cache=other)
    rest = attend(x[:, 5:], mask=WINDOW, cache=cache)
    torch.testing.assert_close(rest, attend(x, mask=WINDOW)[:, 5:])


def test_on_meta_there_are_no_numbers_to_look_at() -> None:
    cache = KVCache()
    cache.update(torch.empty(2, 1, 3, 4, device="meta"), torch.empty(2, 1, 3, 5, device="meta"))
    cache.reorder(torch.zeros(5, dtype=torch.int64, device="meta"))
    assert cache.value.shape == (5, 1, 3, 5)


def test_growth_keeps_the_order(device: str) -> None:
    numbers = torch.arange(300.0, device=device).view(1, 1, 300, 1)
    cache = KVCache()
    for i in range(300):
        cache.update(numbers[..., i : i + 1, :], -numbers[..., i : i + 1, :])
    assert torch.equal(cache.key, numbers)
    assert torch.equal(cache.value, -numbers)


STEPS = {
    "causal": (Causal(), None),
    "window": (WINDOW, 4),
    "window, rolling": (WINDOW, 4),
    "padded": (Causal() & Padding(torch.tensor([6, 9]), side="left"), None),
    "alibi": (Causal(), None),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_of_decoding_copies_no_keys(name: str, monkeypatch) -> None:
    """It hands the kernel what is held, and of a window no more than the window, without a mask."""
    mask, seen = STEPS[name]
    attend = module(positions=ALiBi() if name == "alibi" else Rotary())
    cache = RollingKVCache(4) if name.endswith("rolling") else KVCache(16)
    x, calls = tokens(2, 9), []
    with torch.no_grad():
        want = attend(x, mask=mask)[:, 8:]
        earlier = (
            Causal() & Padding(torch.tensor([5, 8]), side="left") if name == "padded" else mask
        )
        attend(x[:, :8], mask=earlier, cache=cache)
        kernel = sdpa.scaled_dot_product_attention

        def watch(query, key, value, over, *rest, **options):
            calls.append((key, value, over))
            return kernel(query, key, value, over, *rest, **options)

        monkeypatch.setattr(sdpa, "scaled_dot_product_attention", watch)
        monkeypatch.setattr(fused, "silence", None)
        got = attend(x[:, 8:], mask=mask, cache=cache)
    torch.testing.assert_close(got, want)
    [(key, value, over)] = calls
    assert key.untyped_storage().data_ptr() == cache.key.untyped_storage().data_ptr()
    assert value.untyped_storage().data_ptr() == cache.value.untyped_storage().data_ptr()
    assert key.shape[-2] == (seen or 9)
    assert (over is None) == (name not in {"padded", "alibi"})


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


@kinds
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("learns", [False, True])
def test_any_batch_axes(kind: str, batch: tuple[int, ...], learns: bool) -> None:
    cache, given = KINDS[kind](), {"requires_grad": learns}
    key, value = torch.randn(*batch, 1, 7, 1, **given), torch.randn(*batch, 1, 7, 2, **given)
    for part in (slice(0, 3), slice(3, 4), slice(4, 7)):
        got = cache.update(key[..., part, :], value[..., part, :])
    seen = slice(1 if kind == "rolling" else 0, 7)  # the last three still see three before them
    assert torch.equal(got[0], key[..., seen, :])
    assert torch.equal(got[1], value[..., seen, :])
    held = slice(3 if kind == "rolling" else 0, 7)
    assert torch.equal(cache.key, key[..., held, :])
    assert torch.equal(cache.value, value[..., held, :])


@kinds
@pytest.mark.parametrize("widths", [(4, 6), (5, 5)])
def test_an_emptied_cache_takes_keys_or_values_of_another_width(kind: str, widths) -> None:
    cache = KINDS[kind]()
    cache.update(torch.randn(2, 1, 3, 4), torch.randn(2, 1, 3, 5))
    cache.crop(0)
    key, value = (torch.randn(2, 1, 3, width) for width in widths)
    got = cache.update(key, value)
    assert torch.equal(got[0], key)
    assert torch.equal(got[1], value)


@kinds
@pytest.mark.parametrize(("grads", "learns"), [(False, True), (True, False)])
def test_what_no_gradient_asks_for_is_not_copied(kind: str, grads: bool, learns: bool) -> None:
    cache = KINDS[kind]()
    with torch.set_grad_enabled(grads):
        for _ in range(3):
            got = cache.update(*torch.randn(2, 1, 1, 1, 4, requires_grad=learns))
    for seen, held in zip(got, (cache.key, cache.value), strict=True):
        assert seen.untyped_storage().data_ptr() == held.untyped_storage().data_ptr()


def test_a_cache_takes_what_it_was_made_for_and_one_position_more() -> None:
    cache = KVCache(capacity=7)
    cache.update(torch.zeros(1, 2, 1, 4), torch.zeros(1, 2, 1, 5))
    assert cache.nbytes == (7 + 1) * 2 * (4 + 5) * 4  # positions, heads, widths, bytes of float32


@pytest.mark.parametrize("tokens", [1, 4])
@pytest.mark.parametrize("make", [KVCache, lambda: RollingKVCache(6)])
def test_forward_mode_through_a_cache_has_the_newest_tangents(make, tokens: int) -> None:
    """Frozen weights, so that no tensor says that somebody will ask."""
    attend = MultiHeadAttention(8, 2).requires_grad_(False).double()
    x, along = torch.randn(2, 1, tokens, 8, dtype=torch.float64)
    mask = Causal() & SlidingWindow(6)
    plain, through = (
        torch.func.jvp(lambda x, made=made: attend(x, mask=mask, cache=made()), (x,), (along,))
        for made in (lambda: None, make)
    )
    torch.testing.assert_close(through, plain)


@kinds
def test_vmap_takes_a_cache_that_was_made_inside(kind: str) -> None:
    attend = MultiHeadAttention(12, 3).requires_grad_(False)
    xs = torch.randn(3, 1, 4, 12)

    def steps(x: torch.Tensor) -> torch.Tensor:
        cache = KINDS[kind]()
        first = attend(x[:, :2], mask=WINDOW, cache=cache)
        return torch.cat([first, attend(x[:, 2:], mask=WINDOW, cache=cache)], dim=1)

    alone = torch.stack([steps(x) for x in xs])
    with warnings.catch_warnings(action="ignore"):  # that a ring is written to one by one
        torch.testing.assert_close(torch.func.vmap(steps)(xs), alone)
    outside = KINDS[kind]()
    attend(xs[0, :, :1], mask=WINDOW, cache=outside)
    for cache in (outside, KINDS[kind]()):
        before = cache.length, cache.key
        with pytest.raises(
            ValueError, match=r"^cache was made outside of .* torch\.func, .* that is transformed$"
        ):
            torch.func.vmap(lambda x, cache=cache: attend(x, mask=WINDOW, cache=cache))(xs)
        assert cache.length == before[0]
        assert cache.key is before[1] is None or torch.equal(cache.key, before[1])


@pytest.mark.parametrize("begun", [False, True])
def test_who_differentiates_makes_the_cache_inside(begun: bool) -> None:
    """What grad makes ends with it: a cache from outside would hold what is gone."""
    attend = MultiHeadAttention(12, 3).requires_grad_(False)
    x = torch.randn(1, 4, 12)

    def total(x: torch.Tensor, cache: KVCache) -> torch.Tensor:
        return attend(x, mask=Causal(), cache=cache).sum()

    want = torch.func.grad(lambda x: attend(x, mask=Causal()).sum())(x)
    torch.testing.assert_close(torch.func.grad(lambda x: total(x, KVCache()))(x), want)
    outside = KVCache(8)
    if begun:
        total(x, outside)
    with pytest.raises(ValueError, match="cache was made outside of a transform of torch.func"):
        torch.func.grad(total)(x, outside)
    copied = copy.deepcopy(outside)
    assert copied.length == outside.length == (4 if begun else 0)


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
