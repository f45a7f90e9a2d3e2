"""What the docstrings of caches say."""

import copy
from typing import Any

import pytest
import torch
from sentences import Cases, fails, is_so, saying

from attention import Causal, KVCache, MultiHeadAttention, RollingKVCache, SlidingWindow

KV, ROLLING = "cache.growing.KVCache", "cache.rolling.RollingKVCache"
CASES: Cases = {}
says = saying(CASES)


def filled(cache: Any, *numbers: int) -> Any:
    for number in numbers:
        cache.update(*torch.full((2, 1, 1, 1), float(number)))
    return cache


@says(KV, "where there is no more, it doubles", "What is held is detached")
@says(KV, "Whether it stays so, and one position too many is an error.")
def _() -> bool:
    cache = filled(KVCache(capacity=2), 0, 1, 2)
    key = torch.ones(1, 1, 1, requires_grad=True)
    held = KVCache()
    held.update(key, key)
    full = filled(KVCache(capacity=1, fixed=True), 0)
    return cache.capacity == 4 and not held.key.requires_grad and fails(lambda: filled(full, 1))


@says(
    ROLLING, "Once more positions have come than the window holds, `crop` can go back to 0 alone."
)
@says(
    "cache.base.Cache", "How many positions have come so far, also those that are no longer held."
)
def _() -> bool:
    cache = filled(RollingKVCache(window=2), *range(4))
    refused = cache.length == 4 and fails(lambda: cache.crop(3))
    cache.crop(0)
    return refused and cache.length == 0


@says(ROLLING, "A module refuses others, and none.")
def _() -> bool:
    module, x = MultiHeadAttention(8, 2), torch.randn(1, 1, 8)
    masks = [None, Causal(), Causal() & SlidingWindow(3)]
    refused = [fails(lambda m=m: module(x, mask=m, cache=RollingKVCache(2))) for m in masks]
    module(x, mask=Causal() & SlidingWindow(2), cache=RollingKVCache(2))
    return all(refused)


@says("cache.memory.Memory", "it is not detached: gradients reach the module that made it.")
def _() -> bool:
    module = MultiHeadAttention(8, 2)
    module(torch.randn(1, 1, 8), module.remember(torch.randn(1, 5, 8))).sum().backward()
    return bool(module.in_proj_weight.grad[8:].any())


@says("cache.base.Cache.crop", "Forget all positions after the first `length`")
@says("cache.base.Cache", "A copy of a cache has memory of its own.")
def _() -> bool:
    cache = filled(KVCache(capacity=4), 5, 6, 7)
    other = copy.deepcopy(cache)
    cache.crop(1)
    filled(cache, 9)
    return cache.key.flatten().tolist() == [5, 9] and other.key.flatten().tolist() == [5, 6, 7]


@pytest.mark.parametrize(("name", "words"), CASES)
def test_a_sentence_is_so(name: str, words: str) -> None:
    is_so(name, words, CASES[name, words])
