"""What a cache holds after calls that fail, and for what it is then emptied."""

import pickle

import pytest
import torch

from attention import Documents, KVCache, RollingKVCache

from .states import KINDS, WINDOW, kinds, module, tokens


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


def test_a_cache_takes_what_it_was_made_for_and_one_position_more() -> None:
    cache = KVCache(capacity=7)
    cache.update(torch.zeros(1, 2, 1, 4), torch.zeros(1, 2, 1, 5))
    assert cache.nbytes == (7 + 1) * 2 * (4 + 5) * 4  # positions, heads, widths, bytes of float32
