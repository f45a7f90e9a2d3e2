"""What a cache copies and what it does not."""

import copy
import pickle

import pytest
import torch

from attention import ALiBi, Causal, KVCache, Padding, RollingKVCache, Rotary
from attention.backends import fused, sdpa
from attention.cache import Cache

from .states import KINDS, WINDOW, kinds, module, tokens


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
