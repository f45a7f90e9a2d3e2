"""Nobody sees the future."""

from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor

from attention.masks.base import Mask
from attention.masks.intervals import Interval, Position, within


@dataclass(frozen=True)
class Causal(Mask):
    """A query attends to its own position and to those before it.

        keep[i, j]  where  j ≤ i + S − T                                  (T, S)

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3, third item.

    Examples:
        >>> from attention import Causal
        >>> Causal().to_tensor(3, 3)
        tensor([[ True, False, False],
                [ True,  True, False],
                [ True,  True,  True]])
    """

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        return key <= query

    @property
    def relative(self) -> bool:
        return True

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return stop - 1 <= first

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return within(0, last + 1, keys)

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval]:
        return [(0, query + 1)]
