"""Each bad write to a cache, and the one sentence that it gets; the cache stays as it was."""

import pytest
import torch

from attention import KVCache, RollingKVCache

from .bad_caches import FIRST, KEY, VALUE, elsewhere

pytestmark = pytest.mark.untyped

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
