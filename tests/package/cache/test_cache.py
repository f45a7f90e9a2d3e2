"""With a cache, in any chunks, a module computes what it computes without one at once."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import linear

from attention import ALiBi, KVCache, RollingKVCache, Rotary, projections
from attention.cache import Cache

from .chunks import in_chunks, masked, module, seeds

chunkings = st.lists(st.integers(1, 5), min_size=1, max_size=6)
WAYS = [None, Rotary(), Rotary(width=2, layout="interleaved"), ALiBi()]


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
