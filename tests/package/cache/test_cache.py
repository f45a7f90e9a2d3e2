"""With a cache, in any chunks, a module computes what it computes without one at once."""

import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import linear

from attention import (
    ALiBi,
    Causal,
    KVCache,
    Memory,
    MultiHeadAttention,
    Padding,
    RollingKVCache,
    Rotary,
    SlidingWindow,
    projections,
)
from attention.cache import Cache
from attention.masks import Mask

seeds = st.integers(0, 2**31 - 1)
chunkings = st.lists(st.integers(1, 5), min_size=1, max_size=6)
WAYS = [None, Rotary(), Rotary(width=2, layout="interleaved"), ALiBi()]


def module(seed: int = 0, kv_heads: int = 2, group: int = 3, **options) -> MultiHeadAttention:
    torch.manual_seed(seed)
    options = {"head_dim": 4, "dtype": torch.float64, **options}
    attend = MultiHeadAttention(10, kv_heads * group, num_kv_heads=kv_heads, **options)
    return attend.requires_grad_(False)


def masked(window: int | None, lengths: Tensor | None) -> Mask:
    mask = Causal() if window is None else SlidingWindow(window) & Causal()
    return mask if lengths is None else mask & Padding(lengths, side="left")


def in_chunks(attend, x: Tensor, chunks, cache: Cache, window=None, lengths=None) -> Tensor:
    """As a server runs it: each chunk knows the lengths that have come so far."""
    outs, end = [], 0
    for tokens in chunks:
        end += tokens
        so_far = None if lengths is None else (lengths - (x.shape[-2] - end)).clamp(min=0)
        mask = masked(window, so_far)
        outs.append(attend(x[..., end - tokens : end, :], mask=mask, cache=cache))
    return torch.cat(outs, dim=-2)


@settings(deadline=None, max_examples=80)
@given(
    seeds, chunkings, st.none() | st.integers(1, 7), st.integers(1, 3), st.integers(1, 3),
    st.sampled_from(WAYS), st.booleans(), st.sampled_from(["grows", "fixed", "rolling"]),
)  # fmt: skip
def test_cached_equals_uncached(
    seed: int, chunks: list[int], window: int | None, kv_heads: int, group: int,
    positions, padded: bool, kind: str,
) -> None:  # fmt: skip
    """In float64, where float error is 1e-15 and a wrong key is 1."""
    attend = module(seed, kv_heads, group, positions=positions, qk_norm=padded)
    total = sum(chunks)
    x = torch.randn(3, total, 10, dtype=torch.float64)
    lengths = torch.tensor([total, total // 2, 0]) if padded else None
    window = window or (3 if kind == "rolling" else None)
    caches = {"grows": KVCache, "fixed": lambda: KVCache(total, fixed=True)}
    cache = RollingKVCache(window) if kind == "rolling" else caches[kind]()
    got = in_chunks(attend, x, chunks, cache, window, lengths)
    torch.testing.assert_close(got, attend(x, mask=masked(window, lengths)))
    assert cache.length == total


@pytest.mark.parametrize("kind", ["grows", "rolling"])
def test_weights_with_a_cache(kind: str, draw) -> None:
    x = draw(2, 9, 10, grad=False)
    attend = module(positions=Rotary()).to(x.device)
    cache, mask = KVCache() if kind == "grows" else RollingKVCache(4), masked(4, None)
    _, want = attend(x, mask=mask, return_weights=True)
    attend(x[:, :5], mask=mask, cache=cache)
    _, chunk = attend(x[:, 5:8], mask=mask, cache=cache, return_weights=True)
    _, last = attend(x[:, 8:], mask=mask, cache=cache, return_weights=True)
    held = 8 if kind == "grows" else 6  # three before the chunk, and its own three
    torch.testing.assert_close(chunk, want[..., 5:8, 8 - held : 8])
    torch.testing.assert_close(last, want[..., 8:, 0 if kind == "grows" else 5 :])


def test_a_tensor_as_mask_is_laid_over_what_is_held_and_what_comes(draw) -> None:
    x = draw(2, 9, 10, grad=False)
    attend = module(positions=ALiBi()).to(x.device)
    cache, mask = RollingKVCache(4), masked(4, None)
    attend(x[:, :6], mask=mask, cache=cache)
    seen = mask.to_tensor(3, 6, device=x.device)  # three that are held, and three that come
    got = attend(x[:, 6:], mask=seen, cache=cache)
    torch.testing.assert_close(got, attend(x, mask=mask)[:, 6:])


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


def test_cross_attention_computes_its_keys_once(draw, monkeypatch) -> None:
    x, encoded, other = draw(2, 3, 10), draw(2, 5, 10), draw(2, 5, 10)
    attend, runs = module(qk_norm=True).to(x.device), []

    def project(tokens: torch.Tensor, *weights: torch.Tensor) -> torch.Tensor:
        runs.extend([tokens] if tokens.shape[1] == 5 else [])
        return linear(tokens, *weights)

    monkeypatch.setattr(projections, "affine", project)
    memory = attend.remember(encoded, other)
    assert len(runs) == 2
    steps = [attend(x[:, i : i + 1], memory) for i in range(3)]
    assert len(runs) == 2
    want, weights = attend(x, encoded, other, return_weights=True)
    torch.testing.assert_close(torch.cat(steps, dim=1), want)
    torch.testing.assert_close(attend(x, memory, return_weights=True)[1], weights)
    index = torch.tensor([1, 1], device=x.device)
    want = attend(x, encoded[index], other[index])
    for whole in (torch.int64, torch.int32, torch.int16, torch.int8):
        torch.testing.assert_close(attend(x, memory.reorder(index.to(whole))), want)
    for rows in ([1], [0, 1, 1]):  # one text drops out, or one goes on as two
        index = torch.tensor(rows, device=x.device)
        want = attend(x[index], encoded[index], other[index])
        torch.testing.assert_close(attend(x[index], memory.reorder(index)), want)
    torch.testing.assert_close(attend(x, attend.remember(encoded)), attend(x, encoded))


@pytest.mark.untyped  # the types of test_cached_equals_uncached
@settings(deadline=None, max_examples=40)
@given(seeds, chunkings, st.data(), st.sampled_from(WAYS), st.booleans(), st.booleans())
def test_with_a_cache_nobody_sees_the_future(
    seed: int, chunks: list[int], data, positions, padded: bool, rolling: bool
) -> None:
    """Change what comes from `at` on: not one bit before it moves, whatever the chunks."""
    attend, total = module(seed, positions=positions), sum(chunks)
    at = data.draw(st.integers(0, total - 1))
    window = 3 if rolling else data.draw(st.none() | st.integers(1, 4))
    x = torch.randn(2, total, 10, dtype=torch.float64)
    lengths = torch.tensor([total, (total + 1) // 2]) if padded else None
    changed = x.clone()
    changed[:, at:] += 100.0
    before, after = (
        in_chunks(
            attend, tokens, chunks, RollingKVCache(3) if rolling else KVCache(), window, lengths
        )
        for tokens in (x, changed)
    )
    assert torch.equal(after[:, :at], before[:, :at])
    assert not torch.equal(after[0, at:], before[0, at:])


@pytest.mark.parametrize("kind", ["grows", "rolling"])
def test_gradients_stop_at_the_cache(kind: str, draw) -> None:
    """The newest chunk learns as ever; what is held is a constant; no step spoils another."""
    x = draw(2, 6, 10, grad=False)
    attend = module(positions=Rotary()).to(x.device).requires_grad_(True)
    cache, mask = KVCache(2) if kind == "grows" else RollingKVCache(3), masked(3, None)
    parts = [x[:, :3].clone().requires_grad_(), *x[:, 3:].clone().requires_grad_().split(1, dim=1)]
    outs = [attend(part, mask=mask, cache=cache) for part in parts]
    assert not cache.key.requires_grad
    torch.testing.assert_close(torch.cat(outs, dim=1), attend(x, mask=mask))
    got = torch.autograd.grad(sum(out.square().sum() for out in outs), attend.in_proj_weight)
    alone = [attend(parts[0], mask=mask).square().sum()]
    for i in (3, 4, 5):  # uncached, with what came before cut off from the gradient
        query, past = x[:, i : i + 1], x[:, i - 2 : i]
        q, k = attend.positions.place(
            *(part(y).unflatten(-1, (heads, 4)).transpose(1, 2)
              for part, y, heads in ((attend.query_proj, query, 6),
                                       (attend.key_proj, torch.cat([past, query], 1), 2)))
        )  # fmt: skip
        v = attend.value_proj(torch.cat([past, query], 1)).unflatten(-1, (2, 4)).transpose(1, 2)
        k = torch.cat([k[..., :2, :].detach(), k[..., 2:, :]], -2).repeat_interleave(3, 1)
        v = torch.cat([v[..., :2, :].detach(), v[..., 2:, :]], -2).repeat_interleave(3, 1)
        context = (q @ k.mT / 2).softmax(-1) @ v
        alone.append(attend.out_proj(context.transpose(1, 2).flatten(-2)).square().sum())
    torch.testing.assert_close(got, torch.autograd.grad(sum(alone), attend.in_proj_weight))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["grows", "rolling"])
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_any_batch_and_half_precision(kind: str, batch: tuple[int, ...], draw) -> None:
    x = draw(*batch, 6, 10, dtype=torch.float32, grad=False)
    attend = module(dtype=torch.float32, positions=Rotary(), qk_norm=True).to(x.device)
    mask = masked(3, None)

    def run(x: Tensor) -> tuple[Tensor, Cache]:
        cache = KVCache() if kind == "grows" else RollingKVCache(3)
        return in_chunks(attend, x, (3, 1, 2), cache, window=3), cache

    with torch.inference_mode():
        torch.testing.assert_close(run(x)[0], attend(x, mask=mask))
    with torch.autocast(x.device.type, torch.bfloat16):
        got, cache = run(x)
        assert cache.key.dtype == torch.bfloat16
        # The same rounded keys; sums of 3 products in another order, rounded to 8 bits.
        torch.testing.assert_close(got, attend(x, mask=mask), atol=0.02, rtol=0)


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


def decoding(kind: str, device: str):
    fixed = kind == "fixed"
    positions = Rotary() if fixed else ALiBi()
    attend = module(dtype=torch.float32, positions=positions, qk_norm=fixed).to(device)
    x = torch.randn(2, 24, 10, device=device)
    cache = KVCache(24, fixed=True) if fixed else RollingKVCache(5)
    return attend, x, cache, 5 if kind == "rolling" else None


@pytest.mark.slow
@pytest.mark.untyped
def test_a_cache_that_grows_compiles_a_few_times(device: str) -> None:
    """Where it first doubles; after that a longer one is no news."""
    from torch._dynamo.testing import CompileCounterWithBackend

    torch.compiler.reset()
    counter = CompileCounterWithBackend("eager")
    attend = module(dtype=torch.float32, positions=Rotary()).to(device)
    x, cache = torch.randn(2, 40, 10, device=device), KVCache()

    @torch.compile(fullgraph=True, backend=counter)
    def step(token: Tensor) -> Tensor:
        return attend(token, mask=Causal(), cache=cache)

    outs = [step(x[:, i : i + 1]) for i in range(40)]
    torch.testing.assert_close(torch.cat(outs, dim=1), attend(x, mask=Causal()))
    assert counter.frame_count <= 4

    @torch.compile(fullgraph=True, backend="eager")
    def choose(index: Tensor) -> None:
        cache.reorder(index)

    held = cache.key.clone()
    choose(torch.tensor([1, 1], device=device))
    assert torch.equal(cache.key, held[[1, 1]])


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("kind", ["fixed", "rolling"])
def test_a_decode_step_compiles_once_for_every_length(kind: str, device: str) -> None:
    """One graph for the first number of positions, one for any number: then none, to the end."""
    from torch._dynamo.testing import CompileCounterWithBackend  # takes two seconds

    torch.compiler.reset()
    counter = CompileCounterWithBackend("aot_eager")
    attend, x, cache, window = decoding(kind, device)

    @torch.compile(fullgraph=True, backend=counter)
    def step(token: Tensor, cache: Cache, lengths: Tensor) -> Tensor:
        return attend(token, mask=masked(window, lengths), cache=cache)

    lengths = torch.tensor([24, 22], device=device)
    outs = [attend(x[:, :3], mask=masked(window, lengths - 21), cache=cache)]
    for end in range(4, 25):
        with torch._dynamo.config.patch(error_on_recompile=end > 5):
            outs.append(step(x[:, end - 1 : end], cache, lengths - (24 - end)))
    assert counter.frame_count == 2
    want = attend(x, mask=masked(window, lengths))
    torch.testing.assert_close(torch.cat(outs, dim=1), want)


class Step(torch.nn.Module):
    """What a server exports: keys and values in, one more of each out."""

    def __init__(self, attend: MultiHeadAttention) -> None:
        super().__init__()
        self.attend = attend

    def forward(self, x: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        cache = KVCache(24, fixed=True)
        cache.update(key, value)
        out = self.attend(x, mask=Causal(), cache=cache)
        return out, cache.key, cache.value


class Holding(torch.nn.Module):
    """A cache that is held: its length would be a constant, and the export itself would write."""

    def __init__(self, attend: MultiHeadAttention, cache: Cache) -> None:
        super().__init__()
        self.attend, self.cache = attend, cache

    def forward(self, x: Tensor) -> Tensor:
        return self.attend(x, mask=Causal(), cache=self.cache)


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_a_cache_from_outside_is_not_exported(strict: bool, begun: bool, device: str) -> None:
    attend, x, _, _ = decoding("fixed", device)
    step = Holding(attend, KVCache(capacity=24, fixed=True))
    if begun:
        step(x[:, :5])
    error = torch._dynamo.exc.Unsupported if strict else ValueError
    said = "ValueError" if strict else "cache was made outside of what is exported"
    with pytest.raises(error, match=said):
        torch.export.export(step, (x[:, 5:6],), strict=strict)
    assert step.cache.length == (5 if begun else 0)
    if not begun:
        step(x[:, :5])
    torch.testing.assert_close(step(x[:, 5:6]), attend(x[:, :6], mask=Causal())[:, 5:])


class Roll(torch.nn.Module):
    def __init__(self, attend: MultiHeadAttention) -> None:
        super().__init__()
        self.attend = attend

    def forward(self, x: Tensor) -> Tensor:
        return in_chunks(self.attend, x, (3, 1, 1, 2), RollingKVCache(3), window=3)


@pytest.mark.slow
@pytest.mark.untyped
def test_a_decode_step_exports_for_any_length(device: str) -> None:
    attend, x, _, _ = decoding("fixed", device)
    held = torch.export.Dim("held", min=2, max=20)
    key, value = torch.randn(2, 2, 5, 4, device=device), torch.randn(2, 2, 5, 4, device=device)
    shapes = {"x": None, "key": {2: held}, "value": {2: held}}
    step = Step(attend)
    exported = torch.export.export(step, (x[:, :1], key, value), dynamic_shapes=shapes).module()
    for length in (2, 5, 20):
        key, value = torch.randn(2, 2, 2, length, 4, device=device)
        got = exported(x[:, :1], key, value)
        torch.testing.assert_close(got, step(x[:, :1], key, value))
        assert got[1].shape[-2] == length + 1
    exported = torch.export.export(Roll(attend), (x[:, :7],)).module()
    torch.testing.assert_close(exported(x[:, 7:14]), attend(x[:, 7:14], mask=masked(3, None)))
