"""Only what is near."""

from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor

from attention import checks
from attention.masks.base import Mask
from attention.masks.intervals import Interval, Position, within


@dataclass(frozen=True)
class SlidingWindow(Mask):
    """A query attends to the positions less than `width` away, on either side.

        keep[i, j]  where  |i + S − T − j| < width                        (T, S)

    So `Causal() & SlidingWindow(width)` lets a query attend to `width` keys, its own included,
    and the window alone to `2 · width − 1`. Mistral and the causal windows of transformers count
    as we do; the `window_size` of flash-attn, and the bidirectional windows of transformers, are
    how many there are *beside* its own, `width − 1`; Longformer gives the width of both sides
    together.

    Args:
        width: A count of positions, at least 1.

    Raises:
        TypeError: The width is no integer.
        ValueError: The width is less than 1.

    Source:
        Beltagy, Peters and Cohan, *Longformer: The Long-Document Transformer* (2020),
        section 3.1; Jiang et al., *Mistral 7B* (2023), section 2.

    Examples:
        >>> from attention import Causal, SlidingWindow
        >>> (Causal() & SlidingWindow(2)).to_tensor(3, 4).int().tolist()
        [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """

    width: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", checks.count("width", self.width, 1))

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."] | bool:
        return abs(query - key) < self.width

    @property
    def relative(self) -> bool:
        return True

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return last - start < self.width and stop - 1 - first < self.width

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return within(first - self.width + 1, last + self.width, keys)

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval]:
        width = min(self.width, 1 << 62)  # a sum with more would overflow
        return [(query - width + 1, query + width)]
