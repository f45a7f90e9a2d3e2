"""A cache that holds a window, in memory that does not grow."""

import torch
from torch import Tensor

from attention import checks
from attention.cache.base import Cache
from attention.cache.rooms import Held, Keys, Rooms, Rows, Values, like, room
from attention.masks import Mask
from attention.masks.shifted import Shifted
from attention.transforms import differentiable


class RollingKVCache(Cache):
    """Holds the keys and values of the last positions, as many as a window is wide.

        slots of position p:   p mod (window + 1),  and the same + window + 1

    Two rings lie one after the other and hold the same. So the last positions always lie side by
    side, in order, from some slot on: beside a single new one, which is written without a branch,
    they are read without a copy, where no gradient is recorded. The slot beside the window is for
    the next position. Positions go on counting, for rotary positions and for masks. What is held is
    detached, as in every cache.

    Its masks must not look back farther than the window, as in
    `Causal() & SlidingWindow(window)`. A module refuses others, and none. With the function, ask
    `mask` first, which refuses them too, and only then `update`. A boolean tensor is laid
    over the keys that are held and those that come, `(…, T, min(length, window − 1) + T)`; so is a
    bias of positions, which must therefore depend on distances alone. Once
    more positions have come than the window holds, `crop` can go back to 0 alone.

    Args:
        window: A count of positions, at least 1: the query's own, and those before it.

    Raises:
        TypeError: The window is no integer.
        ValueError: The window is less than 1.

    Source:
        Jiang et al., *Mistral 7B* (2023), section 2, "Rolling Buffer Cache".

    Examples:
        >>> import torch
        >>> from attention import RollingKVCache
        >>> cache = RollingKVCache(window=3)
        >>> for number in range(1000):
        ...     key, value = cache.update(*torch.full((2, 1, 1, 1), float(number)))
        >>> key.flatten().tolist(), cache.length, cache.nbytes
        ([997.0, 998.0, 999.0], 1000, 64)
    """

    def __init__(self, window: int) -> None:
        super().__init__()
        self.window = checks.count("window", window, 1)
        self.ring = self.window + 1

    def join(self, key: Keys, value: Values, learns: bool | None = None) -> tuple[Held, Rooms]:
        checks.cached(key, value, *self._told())
        keys, values = self._own_rooms()
        if keys is None or values is None or not (like(keys, key) and like(values, value)):
            keys, values = room(key, 2 * self.ring), room(value, 2 * self.ring)
        rooms = keys, values
        learns = differentiable(key, value) if learns is None else learns
        if key.shape[-2] == 1:
            # Written where nothing is held: nobody's until keep.
            self._write(key, value, rooms)
            if not learns:
                end, count = self.length + 1, self.beside() + 1
                return (self._last(keys, count, end), self._last(values, count, end)), rooms
        # The first query still sees what the last ones no longer do: so beside the rings.
        count = self.beside()
        past, past_values = (self._last(x, count, self.length) for x in (keys, values))
        seen = torch.cat([past, key], dim=-2), torch.cat([past_values, value], dim=-2)
        return seen, rooms

    def keep(self, key: Keys, value: Values, rooms: Rooms) -> None:
        if key.shape[-2] != 1:  # else join has written it
            self._write(key, value, rooms)
        super().keep(key, value, rooms)

    def beside(self) -> int:
        """How many of the keys that are held the first query that comes still sees."""
        return min(self.length, self.window - 1)

    def mask(self, mask: Mask | Tensor | None, queries: int) -> Mask | Tensor | None:
        queries = checks.count("queries", queries, 0)
        if mask is None or isinstance(mask, Mask):
            checks.reach(mask, self.window, self.length, queries)
        if not isinstance(mask, Mask) or mask.relative:
            return mask
        checks.counts(mask, queries, self.length + queries)  # before they are counted from slots
        # A rule about positions is asked about those that count on, not about slots.
        return Shifted(mask, self.length - self.beside())

    def crop(self, length: int) -> None:
        length = checks.cropped(length, self.length)
        checks.forgotten(length, self.length, self.window)
        super().crop(length)

    def _last(self, buffer: Rows, count: int, end: int) -> Rows:
        """The `count` positions before `end`, at most as many as the window."""
        start = (end - count) % self.ring
        return buffer[..., start : start + count, :]

    def _held(self, buffer: Rows) -> Rows:
        return self._last(buffer, min(self.length, self.window), self.length)

    def _write(self, key: Keys, value: Values, rooms: Rooms) -> None:
        """Into both rings, the last of the positions that came."""
        end, count = self.length + key.shape[-2], min(key.shape[-2], self.window)
        slots = torch.arange(end - count, end, device=key.device) % self.ring
        for buffer, x in zip(rooms, (key, value), strict=True):
            newest = x[..., x.shape[-2] - count :, :].detach()
            buffer.index_copy_(-2, slots, newest)
            buffer.index_copy_(-2, slots + self.ring, newest)

    def __repr__(self) -> str:
        return f"RollingKVCache(length={self.length}, window={self.window})"
