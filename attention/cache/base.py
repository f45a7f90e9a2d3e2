"""What every cache is: keys and values of one module, in the order in which they came."""

import copy

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention import checks
from attention.cache.rooms import Held, Keys, Rooms, Rows, Values
from attention.masks import Mask
from attention.transforms import depth, traced


class Cache:
    """Keys and values that a module has computed, for those that come after.

    A cache belongs to one module: a model with twelve layers has twelve. What it holds is
    detached, so gradients stop there; those of the newest keys and values do not. A call that is
    run twice takes up its tokens twice: no activation checkpointing around it. A copy of a cache
    has memory of its own.

    Attributes:
        length: How many positions have come so far, also those that are no longer held.
    """

    def __init__(self) -> None:
        self.length = 0
        self._keys: Tensor | None = None  # room for more than what is held
        self._values: Tensor | None = None
        self._depth = depth()  # of the transforms that end no earlier than the cache
        self._exported = torch.compiler.is_exporting()  # whether it is a part of what is exported

    def update(self, key: Keys, value: Values) -> Held:
        """Take up keys and values, and give all that the newest queries can see.

        What it gives looks into the cache's own memory, which later calls overwrite: clone what is
        to last. Where a gradient will ask for the newest, they lie in memory of their own.

        Args:
            key: Shape `(…, K, T, D)`, any number of positions.
            value: Shape `(…, K, T, E)`.

        Raises:
            TypeError: What came is no tensor of floating point, or has another dtype than what is
                held.
            ValueError: What came does not fit what is held, or there is no room for it. The
                cache is then as it was.
        """
        seen, rooms = self.join(key, value)
        self.keep(key, value, rooms)
        return seen

    def join(self, key: Keys, value: Values, learns: bool | None = None) -> tuple[Held, Rooms]:
        """What is held and, after it, what came, which is not taken up yet; and the room for both.

        The cache holds that room from `keep` on: a call that fails between them leaves no trace.

        Args:
            key: As in `update`.
            value: As in `update`.
            learns: Whether a gradient will ask for what is given, which then must not be
                overwritten; if not given, whether one asks for key or value.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define join")

    def keep(self, key: Keys, value: Values, rooms: Rooms) -> None:
        """Take up what was joined, in the room that `join` gave."""
        self._keys, self._values = rooms
        self.length += key.shape[-2]

    def beside(self) -> int:
        """How many of the keys that are held `join` gives beside the newest: all of them."""
        return self.length

    def mask(self, mask: Mask | Tensor | None, queries: int) -> Mask | Tensor | None:
        """The mask, laid over what is held and what comes.

        Args:
            mask: Over all positions so far.
            queries: How many come, a count.

        Raises:
            TypeError: The count is no integer, where a cache asks for it.
            ValueError: A query may attend, by this mask, to what is not held; or the count is
                negative.
        """
        return mask

    def crop(self, length: int) -> None:
        """Forget all positions after the first `length`, such as tokens that were only a guess.

        With 0 it is as new: then sequences of another shape can come.

        Args:
            length: A count, at most `self.length`.

        Raises:
            TypeError: The count is no integer.
            ValueError: The count is negative, or larger than `self.length`; or what comes before is
                no longer held, by a rolling cache.
        """
        self.length = checks.cropped(length, self.length)

    def reorder(self, index: Int[Tensor, "sequences"]) -> None:
        """Take other sequences, in another order, or some of them several times: beam search.

        They may be fewer, or more: texts that have ended drop out. They are copied into memory of
        their own, each as much as it had.

        Args:
            index: Shape `(sequences,)`: which sequence of the batch stands there from now on.

        Raises:
            TypeError: The index is not a tensor of integers.
            ValueError: The index names a sequence that the cache does not hold, or lies elsewhere;
                or nothing has come yet, or it holds no batch.

        Examples:
            Both beams go on from the second:

            >>> import torch
            >>> from attention import KVCache
            >>> cache = KVCache()
            >>> held = cache.update(torch.zeros(2, 1, 3, 4), torch.tensor([1.0, 2]).view(2, 1, 1, 1)
            ...     .expand(2, 1, 3, 1))
            >>> cache.reorder(torch.tensor([1, 1]))
            >>> cache.value[:, 0, 0, 0]
            tensor([2., 2.])
        """
        checks.order(index, self._keys, "cache")
        assert self._keys is not None
        assert self._values is not None
        index = index.long()
        # Both are made before either is replaced; where they are made, as in room.
        with torch.inference_mode(False), torch.no_grad():
            keys, values = self._keys.index_select(0, index), self._values.index_select(0, index)
        self._keys, self._values = keys, values

    def __copy__(self) -> "Cache":
        """With memory of its own: two that shared it would write over one another."""
        return copy.deepcopy(self)

    @property
    def key(self) -> Float[Tensor, "*batch kv_heads held head_dim"] | None:
        """The keys that are held, shape `(…, K, S, D)`; None before the first."""
        return None if self._keys is None else self._held(self._keys)

    @property
    def value(self) -> Float[Tensor, "*batch kv_heads held value_dim"] | None:
        """The values that are held, shape `(…, K, S, E)`; None before the first."""
        return None if self._values is None else self._held(self._values)

    def _told(self) -> tuple[Tensor | None, Tensor | None]:
        """What new keys and values must be like: nothing, as long as nothing is held."""
        checks.inside(self._depth, depth())
        checks.exported(self._exported, torch.compiler.is_exporting())
        return (self._keys, self._values) if self.length else (None, None)

    def _own_rooms(self) -> tuple[Rows | None, Rows | None]:
        """The memory to write to. If compiled code made it in inference mode, a copy: outside of
        that mode such memory cannot be written to.

        Compiled code cannot ask for the mode: it goes on in the one in which it began.
        """
        rooms = self._keys, self._values
        if traced() or rooms[0] is None or torch.is_inference_mode_enabled():
            return rooms
        keys, values = (x.clone() if x is not None and x.is_inference() else x for x in rooms)
        return keys, values

    def _held(self, buffer: Rows) -> Rows:
        raise NotImplementedError(f"{type(self).__name__} does not define _held")

    @property
    def nbytes(self) -> int:
        """How much memory the cache takes, in bytes."""
        rooms = (self._keys, self._values)
        return sum(room.untyped_storage().nbytes() for room in rooms if room is not None)
