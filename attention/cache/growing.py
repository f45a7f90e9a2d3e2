"""A cache that holds every position."""

import torch

from attention import checks
from attention.cache.base import Cache
from attention.cache.rooms import Held, Keys, Rooms, Rows, Values, like, room
from attention.transforms import differentiable


class KVCache(Cache):
    """Holds the keys and values of every position.

        after chunks of T1, T2, … positions   key holds   T1 + T2 + …     (…, K, S, D)

    With its queries at the end, a causal module computes with a cache, chunk by chunk, what it
    computes without one at once. Positions are written into memory that is there already; where
    there is no more, it doubles, so that a position is copied less than twice on the average.
    Where a gradient is recorded, what is held is copied in each call, beside what comes. What is
    held is detached: no gradient reaches earlier positions through the cache.

    Args:
        capacity: How many positions there is memory for from the first on; as many as come
            first, if not given.
        fixed: Whether it stays so, and one position too many is an error.

    Raises:
        TypeError: The capacity is no integer, or `fixed` is no truth value.
        ValueError: The capacity is less than 1, or is fixed and not given.

    Source:
        Shazeer, *Fast Transformer Decoding: One Write-Head is All You Need* (2019), section 2.4.

    Examples:
        >>> import torch
        >>> from attention import Causal, KVCache, MultiHeadAttention, Rotary
        >>> attend = MultiHeadAttention(8, 2, positions=Rotary()).requires_grad_(False)
        >>> x, cache = torch.randn(1, 5, 8), KVCache(capacity=16)
        >>> first = attend(x[:, :3], mask=Causal(), cache=cache)
        >>> rest = [attend(x[:, i : i + 1], mask=Causal(), cache=cache) for i in (3, 4)]
        >>> cache
        KVCache(length=5, capacity=16)
        >>> whole = attend(x, mask=Causal())
        >>> torch.testing.assert_close(torch.cat([first, *rest], dim=1), whole)
    """

    def __init__(self, capacity: int | None = None, *, fixed: bool = False) -> None:
        super().__init__()
        self.initial, self.fixed = checks.capacity(capacity, fixed), fixed

    @property
    def capacity(self) -> int:
        """How many positions there is memory for."""
        return (self.initial or 0) if self._keys is None else self._keys.shape[-2] - 1

    def join(self, key: Keys, value: Values, learns: bool | None = None) -> tuple[Held, Rooms]:
        checks.cached(key, value, *self._told())
        end = self.length + key.shape[-2]
        if self.fixed:
            checks.full(self.length, key.shape[-2], self.capacity)
        keys, values = rooms = self._room(key, value, end)
        # What is written from `length` on is nobody's until keep.
        keys[..., self.length : end, :] = key.detach()
        values[..., self.length : end, :] = value.detach()
        if differentiable(key, value) if learns is None else learns:
            past = self._held(keys), self._held(values)
            seen = torch.cat([past[0], key], dim=-2), torch.cat([past[1], value], dim=-2)
            return seen, rooms
        return (keys[..., :end, :], values[..., :end, :]), rooms

    def _held(self, buffer: Rows) -> Rows:
        return buffer[..., : self.length, :]

    def _room(self, key: Keys, value: Values, end: int) -> Rooms:
        """Memory for `end` positions, and for as many again if there was some before.

        And for one more, so that a full cache is never contiguous: torch.compile would compile
        the last step anew.
        """
        old, old_values = self._own_rooms()
        if old is None or old_values is None or not (like(old, key) and like(old_values, value)):
            # No max: torch.export cannot tell which one it is.
            count = end if self.initial is None or self.initial < end else self.initial
            return room(key, count + 1), room(value, count + 1)
        if end <= self.capacity:
            return old, old_values
        count = max(2 * self.capacity, end)
        keys, values = room(old, count + 1), room(old_values, count + 1)
        keys[..., : self.length, :] = self._held(old)
        values[..., : self.length, :] = self._held(old_values)
        return keys, values

    def __repr__(self) -> str:
        fixed = ", fixed=True" if self.fixed else ""
        return f"KVCache(length={self.length}, capacity={self.capacity}{fixed})"
