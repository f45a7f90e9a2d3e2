"""What a cache holds, and in how much memory, whatever is done to it."""

import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import KVCache, Memory, RollingKVCache, Rotary
from attention.cache import Cache

from .chunks import masked, module, seeds

operations = st.lists(
    st.tuples(st.sampled_from(["update", "update", "reorder", "crop"]), st.integers(1, 6)),
    max_size=12,
)


@settings(deadline=None, max_examples=100)
@given(seeds, operations, st.integers(1, 6), st.sampled_from(["grows", "fixed", "rolling"]))
def test_a_cache_against_all_that_came(seed: int, steps, window: int, kind: str) -> None:
    """Whatever is done to it: beside it, everything that came, kept by `torch.cat`."""
    generator = torch.Generator().manual_seed(seed)
    cache = {"grows": lambda: KVCache(window), "fixed": lambda: KVCache(99, fixed=True),
             "rolling": lambda: RollingKVCache(window)}[kind]()  # fmt: skip
    key, value = torch.zeros(2, 3, 0, 4), torch.zeros(2, 3, 0, 5)
    for step, count in steps:
        if step == "update":
            new = [torch.randn(2, 3, count, width, generator=generator) for width in (4, 5)]
            got = cache.update(*new)
            key, value = torch.cat([key, new[0]], -2), torch.cat([value, new[1]], -2)
            seen = min(key.shape[-2], window - 1 + count) if kind == "rolling" else key.shape[-2]
            assert torch.equal(got[0], key[..., key.shape[-2] - seen :, :])
            assert torch.equal(got[1], value[..., key.shape[-2] - seen :, :])
        elif step == "reorder" and cache.key is not None:
            index = torch.randint(2, (2,), generator=generator)
            cache.reorder(index)
            key, value = key[index], value[index]
        elif step == "crop" and (kind != "rolling" or cache.length <= window):
            length = max(0, cache.length - count)
            cache.crop(length)
            key, value = key[..., :length, :], value[..., :length, :]
        held = min(key.shape[-2], window) if kind == "rolling" else key.shape[-2]
        assert cache.length == key.shape[-2]
        if cache.key is not None:
            assert torch.equal(cache.key, key[..., key.shape[-2] - held :, :])
            assert torch.equal(cache.value, value[..., key.shape[-2] - held :, :])


def test_memory_doubles_and_fixed_memory_does_not_move(device: str) -> None:
    key = torch.zeros(1, 1, 1, 4, device=device)
    cache, rooms, copies = KVCache(), [], 0
    for _ in range(1000):
        before = cache.key
        cache.update(key, key)
        if before is not None and cache.key.data_ptr() != before.data_ptr():
            copies += before.shape[-2]
        rooms.append(cache.capacity)
    assert sorted(set(rooms)) == [2**n for n in range(11)]
    assert copies < 2 * 1000
    assert cache.nbytes == 2 * (1024 + 1) * 16
    cache = KVCache(1000, fixed=True)
    cache.update(key, key)
    place = cache.key.data_ptr()
    for _ in range(999):
        cache.update(key, key)
    assert cache.key.data_ptr() == place
    assert KVCache(8).capacity == 8
    cache = KVCache(2)
    cache.update(key.expand(1, 1, 9, 4), key.expand(1, 1, 9, 4))
    assert cache.capacity == 9


@pytest.mark.untyped  # ten thousand times the same types
def test_the_memory_of_a_rolling_cache_is_constant(device: str) -> None:
    """Over 10,000 tokens: what it says, where it lies, and all that it holds when written out."""
    numbers = torch.arange(10_000.0, device=device).view(-1, 1, 1, 1, 1)
    cache = RollingKVCache(7)
    cache.update(numbers[0], -numbers[0])
    sizes, places = set(), set()
    for number in range(1, 10_000):
        key, value = cache.update(numbers[number], -numbers[number])
        places.add((cache._keys.data_ptr(), cache._values.data_ptr()))
        sizes.add(cache.nbytes)
        if number % 1000 == 999:  # pickle writes all the memory that a tensor looks into
            sizes.add(2 * 16 * 4 if len(pickle.dumps(cache)) < 2000 else 0)
    assert len(places) == 1
    assert sizes == {2 * 16 * 4}  # keys and values, two rings of 8, float32
    assert key.flatten().tolist() == list(range(9993, 10_000))
    assert torch.equal(value, -key)


@pytest.mark.parametrize("kind", ["grows", "rolling"])
def test_beam_search(kind: str, draw) -> None:
    """Beams that go on from another's past: as if each had read the whole of it alone."""
    x, index = draw(3, 9, 10, grad=False), torch.tensor([2, 0, 2, 1])
    index, mask = index.to(x.device, torch.int8), masked(4, None)
    attend = module(positions=Rotary()).to(x.device)
    cache = KVCache() if kind == "grows" else RollingKVCache(4)
    attend(x[:, :5], mask=mask, cache=cache)
    attend(x[:, 5:6], mask=mask, cache=cache)
    cache.reorder(index)
    past, rest = x[index.long(), :6], draw(4, 3, 10, grad=False)
    got = torch.cat([attend(rest[:, i : i + 1], mask=mask, cache=cache) for i in range(3)], dim=1)
    want = attend(torch.cat([past, rest], dim=1), mask=mask)[:, 6:]
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("kind", ["grows", "fixed", "rolling"])
def test_texts_drop_out_and_beams_grow(kind: str, draw) -> None:
    """Three texts, then one of them, then two beams of it, then three: as if each was alone."""
    x, lengths = draw(3, 7, 10, grad=False), torch.tensor([4, 2, 3])
    attend, lengths = module(positions=Rotary()).to(x.device), lengths.to(x.device)
    cache = {"grows": KVCache(), "fixed": KVCache(9, fixed=True), "rolling": RollingKVCache(5)}[
        kind
    ]
    attend(x[:, :4], mask=masked(5, lengths), cache=cache)
    for step, rows in enumerate(([1], [0, 0], [1, 0, 1]), start=4):
        index = torch.tensor(rows, device=x.device)
        cache.reorder(index)
        x, lengths = torch.cat([x[index, :step], draw(len(rows), 1, 10)], dim=1), lengths[index] + 1
        got = attend(x[:, step:], mask=masked(5, lengths), cache=cache)
        torch.testing.assert_close(got, attend(x, mask=masked(5, lengths))[:, step:])


@pytest.mark.parametrize("kind", ["grows", "rolling"])
def test_cropping_takes_back_a_guess(kind: str, draw) -> None:
    x, wrong = draw(2, 7, 10, grad=False), draw(2, 3, 10, grad=False)
    attend = module(positions=Rotary()).to(x.device)
    cache, mask = KVCache() if kind == "grows" else RollingKVCache(7), masked(7, None)
    first = attend(x[:, :4], mask=mask, cache=cache)
    attend(wrong, mask=mask, cache=cache)
    cache.crop(4)
    rest = attend(x[:, 4:], mask=mask, cache=cache)
    torch.testing.assert_close(torch.cat([first, rest], dim=1), attend(x, mask=mask))


def test_a_call_that_fails_leaves_the_cache_as_it_was(device: str) -> None:
    """Also where it fails last, in the mask, after the keys are computed."""
    x, bad = torch.randn(2, 4, 10, device=device), torch.ones(3, 3, dtype=torch.bool, device=device)
    attend = module(dtype=torch.float32).to(device)
    mask = masked(3, None)
    for cache in (KVCache(), RollingKVCache(3)):
        attend(x, mask=mask, cache=cache)
        for tokens in (1, 4):
            held = cache.key.clone(), cache.value.clone(), cache.length
            with pytest.raises(ValueError, match="mask has shape"):
                attend(x[:, :tokens] + 1, mask=bad, cache=cache)
            assert torch.equal(cache.key, held[0])
            assert torch.equal(cache.value, held[1])
            assert cache.length == held[2]
        want = attend(torch.cat([x, x], dim=1), mask=mask)[:, 4:]
        torch.testing.assert_close(attend(x, mask=mask, cache=cache), want)


def test_what_a_cache_prints_and_what_it_holds_at_first() -> None:
    assert repr(KVCache(8, fixed=True)) == "KVCache(length=0, capacity=8, fixed=True)"
    assert repr(RollingKVCache(4)) == "RollingKVCache(length=0, window=4)"
    assert repr(Memory(torch.zeros(2, 3, 4), torch.zeros(2, 3, 4))) == "Memory(length=3)"
    assert KVCache().key is KVCache().value is None
    assert KVCache().nbytes == KVCache().capacity == 0
    some = torch.zeros(1, 1, 1)
    for call in (lambda: Cache().join(some, some), lambda: Cache()._held(some)):
        with pytest.raises(NotImplementedError):
            call()
