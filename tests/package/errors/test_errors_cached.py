"""Each bad cache or call with one, and the one sentence that it gets."""

import pytest
import torch

from attention import Causal, KVCache, Padding, RollingKVCache, SlidingWindow
from attention.cache import Cache

from .bad_caches import ATTEND, FIRST, KEY, VALUE, X, elsewhere

pytestmark = pytest.mark.untyped

WINDOW = Causal() & SlidingWindow(4)

ROLLED = RollingKVCache(4)
ROLLED.update(KEY, VALUE)
ALONE = KVCache()
ALONE.update(KEY[0], VALUE[0])
REFUSED = "may attend to what a rolling cache no longer holds: expected SlidingWindow(4) in it, "

CASES = {
    "no capacity": (
        lambda: KVCache(0),
        ValueError,
        "capacity is 0: expected a count of at least 1",
    ),
    "half a capacity": (lambda: KVCache(0.5), TypeError, "capacity is a float: expected an int"),
    "perhaps fixed": (
        lambda: KVCache(4, fixed="no"),
        TypeError,
        "fixed is a str: expected True or False",
    ),
    "fixed at nothing": (
        lambda: KVCache(fixed=True),
        ValueError,
        "capacity is None but fixed is True: expected a count of at least 1",
    ),
    "no window": (
        lambda: RollingKVCache(0),
        ValueError,
        "window is 0: expected a count of at least 1",
    ),
    "back to what is forgotten": (
        lambda: ROLLED.crop(3),
        ValueError,
        "cache cannot go back from 6 to 3: of what came before, only a window of 4 is held; "
        "expected a length of 0, a KVCache, or at most 4 positions before",
    ),
    "back before the first": (
        lambda: ROLLED.crop(-1),
        ValueError,
        "length is -1: expected a count of at least 0",
    ),
    "keys of integers": (
        lambda: KVCache().update(KEY.long(), VALUE),
        TypeError,
        "key has dtype torch.int64: expected float64, float32, float16 or bfloat16",
    ),
    "beams of nothing": (
        lambda: KVCache().reorder(FIRST),
        ValueError,
        "cache holds nothing yet: expected a batch to reorder",
    ),
    "beams of one sequence": (
        lambda: ALONE.reorder(FIRST),
        ValueError,
        "cache holds one sequence, without a batch axis: expected a batch to reorder",
    ),
    "a cache of transformers": (
        lambda: ATTEND(X, cache=(KEY, VALUE)),
        TypeError,
        "cache is a tuple: expected KVCache() or RollingKVCache(window)",
    ),
    "the class of a cache": (
        lambda: ATTEND(X, cache=KVCache),
        TypeError,
        "cache is the class KVCache: expected an instance",
    ),
    "a cache for another sequence": (
        lambda: ATTEND(X, X.clone(), cache=KVCache()),
        ValueError,
        "key is given with a cache: expected the query alone, whose keys the cache takes up; "
        "another sequence is read without a cache, by its tokens or by what remember makes",
    ),
    "a rolling cache without a mask": (
        lambda: ATTEND(X, cache=RollingKVCache(4)),
        ValueError,
        f"mask None {REFUSED}as in Causal() & SlidingWindow(4)",
    ),
    "a rolling cache without a window": (
        lambda: ATTEND(X, mask=Causal(), cache=RollingKVCache(4)),
        ValueError,
        f"mask Causal() {REFUSED}as in Causal() & SlidingWindow(4)",
    ),
    "padding of many texts without a window": (
        lambda: ATTEND(
            X, mask=Padding(torch.ones(512).long(), side="left"), cache=RollingKVCache(4)
        ),
        ValueError,
        f"mask Padding(lengths=tensor([…]), side='left') {REFUSED}"
        "as in Causal() & SlidingWindow(4)",
    ),
    "a window wider by one": (
        lambda: ATTEND(X, mask=SlidingWindow(5), cache=RollingKVCache(4)),
        ValueError,
        f"mask SlidingWindow(width=5) {REFUSED}as in Causal() & SlidingWindow(4)",
    ),
    "a word for a mask": (
        lambda: ATTEND(X, mask="causal", cache=RollingKVCache(4)),
        TypeError,
        "mask is a str: expected a Mask, a boolean torch.Tensor or None",
    ),
    "a first value of another dtype": (
        lambda: KVCache().update(KEY, VALUE.half()),
        TypeError,
        "value has dtype torch.float16 but key has torch.float32: expected one dtype",
    ),
    "a first value elsewhere": (
        lambda: RollingKVCache(4).update(KEY, elsewhere(VALUE)),
        ValueError,
        "value is on meta but key is on cpu: expected one device",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_cache_or_call_gets_one_sentence(name: str) -> None:
    make, error, message = CASES[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message


@pytest.mark.parametrize("make", [KVCache, lambda: RollingKVCache(4)])
def test_a_module_that_refuses_leaves_the_cache_as_it_was(make) -> None:
    cache: Cache = make()
    ATTEND(X, mask=WINDOW, cache=cache)
    held = cache.key.clone()
    for call, message in (
        (lambda: ATTEND(X[:1], mask=WINDOW, cache=cache), "key has batch axes"),
        (lambda: ATTEND(elsewhere(X), mask=WINDOW, cache=cache), "query is on meta but the module"),
        (lambda: ATTEND(X, X.clone(), cache=cache), "key is given with a cache"),
        (lambda: ATTEND(X, mask=WINDOW & Padding(torch.tensor([1, 2, 3])), cache=cache),
         "mask is for a batch of 3"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            call()
        assert cache.length == 6
        assert torch.equal(cache.key, held)
