"""A mask for a stretch of a longer sequence."""

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor

from attention.masks.base import Mask
from attention.masks.combine import Of
from attention.masks.intervals import Interval, Position, stretches, within


@dataclass(frozen=True)
class Shifted(Of):
    """A mask whose first `by` keys are gone: its rule is still asked about their positions.

    keep[i, j]  where  mask says so of  i + S − T + by, j + by        (T, S)
    """

    by: int

    @property
    def keys(self) -> int | None:
        return None if self.mask.keys is None else self.mask.keys - self.by

    def over(self, keys: int) -> Mask:
        return Shifted(self.mask.over(keys + self.by), self.by)

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        return self.mask.__call__(batch, head, query + self.by, key + self.by)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        start, stop = self.mask.span(first + self.by, last + self.by, keys + self.by)
        return within(start - self.by, stop - self.by, keys)

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return self.mask.full(*(position + self.by for position in (first, last, start, stop)))

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> Sequence[Interval] | None:
        found = stretches(self.mask, query + self.by, keys + self.by)
        return found and [(start - self.by, stop - self.by) for start, stop in found]
