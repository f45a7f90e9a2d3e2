"""A prefix that all may read."""

from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor

from attention import checks
from attention.masks.base import Mask
from attention.masks.intervals import Interval, Position, within


@dataclass(frozen=True)
class PrefixLM(Mask):
    """A query attends to the first `length` positions, and to all others up to its own.

        keep[i, j]  where  j < length  or  j ≤ i + S − T                  (T, S)

    The prefix is that of every sequence, and padding on the left counts as a part of it; of several
    documents in a row, the first alone has it. With a cache it comes in one call: tokens that came
    earlier have not heard the rest of it.

    Args:
        length: A count of positions, at least 0; with 0 the mask is causal.

    Raises:
        TypeError: The length is no integer.
        ValueError: The length is negative.

    Source:
        Raffel et al., *Exploring the Limits of Transfer Learning with a Unified Text-to-Text
        Transformer* (2020), section 3.2.1 and figure 3.

    Examples:
        >>> from attention import PrefixLM
        >>> PrefixLM(2).to_tensor(3, 3).int().tolist()
        [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    """

    length: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", checks.count("length", self.length, 0))

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        return (key < self.length) | (key <= query)

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return stop <= max(self.length, first + 1)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return within(0, max(self.length, last + 1), keys)

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval]:
        return [(0, self.length), (self.length, query + 1)]
