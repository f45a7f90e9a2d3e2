"""Each bad use of a cache, and the one sentence that it gets; the cache stays as it was."""

import pytest
import torch

from attention import (
    Causal,
    KVCache,
    Memory,
    MultiHeadAttention,
    Padding,
    RollingKVCache,
    Rotary,
    SlidingWindow,
)
from attention.cache import Cache

pytestmark = pytest.mark.untyped

KEY, VALUE = torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 5)
X = torch.randn(2, 6, 12)
ATTEND = MultiHeadAttention(12, 6, num_kv_heads=3).requires_grad_(False)
WINDOW = Causal() & SlidingWindow(4)
FIRST = torch.tensor([0])


def elsewhere(x: torch.Tensor) -> torch.Tensor:
    return x.to("meta")


UPDATES = {
    "a list of keys": (
        lambda cache: cache.update([KEY], VALUE),
        TypeError,
        "key is a list: expected a torch.Tensor",
    ),
    "no values": (
        lambda cache: cache.update(KEY, None),
        TypeError,
        "value is None: expected a torch.Tensor",
    ),
    "token ids": (
        lambda cache: cache.update(KEY, VALUE.long()),
        TypeError,
        "value has dtype torch.int64: expected float64, float32, float16 or bfloat16",
    ),
    "sparse keys": (
        lambda cache: cache.update(KEY.to_sparse(), VALUE),
        TypeError,
        "key has layout torch.sparse_coo: expected torch.strided",
    ),
    "a key too many": (
        lambda cache: cache.update(KEY, VALUE[:, :, 1:]),
        ValueError,
        "key and value do not go together: expected key (…, K, T, D) and value (…, K, T, E), "
        "got key (2, 3, 6, 4) and value (2, 3, 5, 5)",
    ),
    "no heads": (
        lambda cache: cache.update(KEY[0, 0], VALUE[0, 0]),
        ValueError,
        "key and value do not go together: expected key (…, K, T, D) and value (…, K, T, E), "
        "got key (6, 4) and value (6, 5)",
    ),
    "another batch": (
        lambda cache: cache.update(KEY[:1], VALUE[:1]),
        ValueError,
        "key has batch axes (1,) but the cache has (2,): expected the same",
    ),
    "no batch": (
        lambda cache: cache.update(KEY[0], VALUE[0]),
        ValueError,
        "key has batch axes () but the cache has (2,): expected the same",
    ),
    "other heads": (
        lambda cache: cache.update(KEY[:, :1], VALUE[:, :1]),
        ValueError,
        "key has heads 1 but the cache has 3: expected the same",
    ),
    "another width of keys": (
        lambda cache: cache.update(KEY[..., :2], VALUE),
        ValueError,
        "key has width 2 but the cache has 4: expected the same",
    ),
    "another width of values": (
        lambda cache: cache.update(KEY, VALUE[..., :2]),
        ValueError,
        "value has width 2 but the cache has 5: expected the same",
    ),
    "another dtype": (
        lambda cache: cache.update(KEY, VALUE.half()),
        TypeError,
        "value has dtype torch.float16 but the cache has torch.float32: expected one dtype",
    ),
    "another device": (
        lambda cache: cache.update(elsewhere(KEY), elsewhere(VALUE)),
        ValueError,
        "key is on meta but the cache is on cpu: expected one device",
    ),
    "values on another device": (
        lambda cache: cache.update(KEY, elsewhere(VALUE)),
        ValueError,
        "value is on meta but the cache is on cpu: expected one device",
    ),
    "a crop that is no count": (
        lambda cache: cache.crop(1.5),
        TypeError,
        "length is a float: expected an int",
    ),
    "a crop before the first": (
        lambda cache: cache.crop(-1),
        ValueError,
        "length is -1: expected a count of at least 0",
    ),
    "a crop of what has not come": (
        lambda cache: cache.crop(7),
        ValueError,
        "length is 7 but the cache has 6: expected no more",
    ),
    "a list of beams": (
        lambda cache: cache.reorder([0, 1]),
        TypeError,
        "index is a list: expected a torch.Tensor of integers",
    ),
    "a mask of beams": (
        lambda cache: cache.reorder(torch.tensor([True, False])),
        TypeError,
        "index has dtype torch.bool: expected integers, as in torch.int64",
    ),
    "a table of beams": (
        lambda cache: cache.reorder(FIRST[None]),
        ValueError,
        "index has shape (1, 1): expected (sequences,)",
    ),
    "a beam that is not there": (
        lambda cache: cache.reorder(torch.tensor([1, 2])),
        ValueError,
        "index goes from 1 to 2: expected 0 to 1, the sequences of the cache",
    ),
    "a beam counted from the end": (
        lambda cache: cache.reorder(torch.tensor([0, -1])),
        ValueError,
        "index goes from -1 to 0: expected 0 to 1, the sequences of the cache",
    ),
    "beams elsewhere": (
        lambda cache: cache.reorder(elsewhere(FIRST)),
        ValueError,
        "index is on meta but the cache is on cpu: expected one device",
    ),
}


@pytest.mark.parametrize("kind", ["grows", "fixed", "rolling"])
@pytest.mark.parametrize("name", UPDATES)
def test_a_bad_update_gets_one_sentence_and_writes_nothing(name: str, kind: str) -> None:
    use, error, message = UPDATES[name]
    cache = {"grows": KVCache, "fixed": lambda: KVCache(6, fixed=True),
             "rolling": lambda: RollingKVCache(6)}[kind]()  # fmt: skip
    cache.update(KEY, VALUE)
    with pytest.raises(error) as raised:
        use(cache)
    assert str(raised.value) == message
    assert cache.length == 6
    assert torch.equal(cache.key, KEY)
    assert torch.equal(cache.value, VALUE)


def test_a_full_cache_says_so_and_writes_nothing() -> None:
    cache = KVCache(8, fixed=True)
    cache.update(KEY, VALUE)
    for tokens, came in ((3, "3 positions"), (6, "6 positions")):
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            cache.update(KEY[:, :, :tokens], VALUE[:, :, :tokens])
        assert str(raised.value) == (
            f"cache is full: {came} came and 6 of 8 are taken, "
            "expected at most 2, or a cache that is not fixed"
        )
        assert cache.length == 6
        assert torch.equal(cache.key, KEY)
    cache.update(KEY[:, :, :2], VALUE[:, :, :2])
    assert torch.equal(cache.value, torch.cat([VALUE, VALUE[:, :, :2]], dim=2))
    cache = KVCache(5, fixed=True)
    for key, value in ((KEY, VALUE), (KEY[0], VALUE[0])):
        with pytest.raises(ValueError, match="cache is full: 6 positions came and 0 of 5 are"):
            cache.update(key, value)
        assert cache.key is None


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
    "a value beside a memory": (
        lambda: ATTEND(X, ATTEND.remember(X), X),
        ValueError,
        "value is given with a Memory: expected none, since it holds the values",
    ),
    "a memory of another batch": (
        lambda: ATTEND(X[:1], ATTEND.remember(X)),
        ValueError,
        "memory has keys with batch axes (2,): expected (1,), as query has",
    ),
    "a memory of another module": (
        lambda: ATTEND(X, MultiHeadAttention(12, 6).remember(X)),
        ValueError,
        "memory has keys of 6 heads of width 2: expected 3 of width 2, as this module's remember "
        "makes it",
    ),
    "a memory for a module with positions": (
        lambda: MultiHeadAttention(12, 6, num_kv_heads=3, positions=Rotary())(
            X, ATTEND.remember(X)
        ),
        ValueError,
        "positions is Rotary(base=10000.0, width=None, layout='half'): expected None to remember "
        "another sequence, from which there is no distance",
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
    "a memory with positions": (
        lambda: MultiHeadAttention(12, 6, positions=Rotary()).remember(X),
        ValueError,
        "positions is Rotary(base=10000.0, width=None, layout='half'): expected None to remember "
        "another sequence, from which there is no distance",
    ),
    "a memory of values for fewer sequences": (
        lambda: ATTEND.remember(X, X[:1]),
        ValueError,
        "value has batch axes (1,) but key has (2,): expected the same, "
        "got key (2, 6, 12) and value (1, 6, 12)",
    ),
    "a memory of words": (
        lambda: ATTEND.remember(["light"]),
        TypeError,
        "key is a list: expected a torch.Tensor",
    ),
    "a memory of wider values": (
        lambda: ATTEND(X, Memory(KEY[..., :2], VALUE)),
        ValueError,
        "memory has values of 3 heads of width 5: expected 3 of width 2, as this module's remember "
        "makes it",
    ),
    "a memory without heads": (
        lambda: Memory(KEY[0, 0], VALUE[0, 0]),
        ValueError,
        "key and value do not go together: expected key (…, K, T, D) and value (…, K, T, E), got "
        f"key {tuple(KEY[0, 0].shape)} and value {tuple(VALUE[0, 0].shape)}",
    ),
    "a memory of numbers": (
        lambda: Memory(3, 4),
        TypeError,
        "key is an int: expected a torch.Tensor",
    ),
    "a memory of others": (
        lambda: Memory(KEY, VALUE).reorder(torch.tensor([0, 5])),
        ValueError,
        "index goes from 0 to 5: expected 0 to 1, the sequences of the memory",
    ),
    "a memory elsewhere": (
        lambda: Memory(KEY, VALUE).reorder(elsewhere(FIRST)),
        ValueError,
        "index is on meta but the memory is on cpu: expected one device",
    ),
    "a memory without a batch": (
        lambda: Memory(KEY[0], VALUE[0]).reorder(FIRST),
        ValueError,
        "memory holds one sequence, without a batch axis: expected a batch to reorder",
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
