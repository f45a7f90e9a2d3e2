"""Sequences of different lengths in one tensor."""

from dataclasses import dataclass
from typing import Literal

from jaxtyping import Bool, Int
from torch import Tensor

from attention import checks
from attention.masks.base import Mask
from attention.masks.intervals import Interval, Position, row, within
from attention.transforms import traced


@dataclass(frozen=True, eq=False)
class Padding(Mask):
    """A query attends to the tokens of its sequence, and not to what fills it up.

        right:  keep[b, 0, i, j]  where  j < lengths[b]                   (batch, 1, T, S)
        left:   keep[b, 0, i, j]  where  j ≥ S − lengths[b]

    The queries that stand on padding attend like the others: their outputs are to be ignored.
    With a cache the sequences end together, so they are padded on the left. The lengths count what
    it holds too: with each token that comes, they are one more.

    Args:
        lengths: Shape `(batch,)`, or `(1,)` for all sequences, how many of the `S` keys are tokens.
            More than `S` counts as `S`, and less than 0 as 0.
        side: Where the padding is.

    Raises:
        TypeError: The lengths are not a tensor of integers.
        ValueError: The lengths have not one axis, or the side is neither `left` nor `right`.

    Examples:
        Two sentences, of three tokens and of two:

        >>> import torch
        >>> from attention import Padding
        >>> Padding(torch.tensor([3, 2])).to_tensor(1, 3).int().tolist()
        [[[[1, 1, 1]]], [[[1, 1, 0]]]]
    """

    lengths: Int[Tensor, "batch"]
    side: Literal["right", "left"] = "right"

    def __post_init__(self) -> None:
        checks.lengths(self.lengths)
        checks.side(self.side)

    @property
    def batch(self) -> int:
        return self.lengths.shape[0]

    def over(self, keys: int) -> Mask:
        return self if self.side == "right" else From(keys - self.lengths.long())

    def first(self, keys: int) -> Int[Tensor, "batch"] | int:
        return 0 if self.side == "right" else (keys - self.lengths.long()).clamp(min=0)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        if self.side == "left" or not at_hand(self.lengths):
            return 0, keys
        return within(0, int(self.lengths.max()), keys)

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        if self.side == "left" or not at_hand(self.lengths):
            return False
        return stop <= int(self.lengths.min())

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."]:
        if self.side == "left":
            raise ValueError("padding on the left ends with the keys: first tell it, over(keys)")
        return key < self.lengths[row(batch, self.batch)].long()

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval] | None:
        return [(0, self.lengths[:, None].long())] if self.side == "right" else None


@dataclass(frozen=True, eq=False)
class From(Mask):
    """A query attends to the positions from `start` on: padding on the left, keys counted."""

    start: Int[Tensor, "batch"]

    @property
    def batch(self) -> int:
        return self.start.shape[0]

    def __call__(
        self, batch: Position, head: Position, query: Position, key: Position
    ) -> Bool[Tensor, "..."]:
        return key >= self.start[row(batch, self.batch)]

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return within(int(self.start.min()) if at_hand(self.start) else 0, keys, keys)

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return at_hand(self.start) and int(self.start.max()) <= start

    def intervals(self, query: Int[Tensor, "queries"], keys: int) -> list[Interval]:
        return [(self.start[:, None], keys)]


def at_hand(numbers: Int[Tensor, "batch"]) -> bool:
    """Whether there are any, and they can be read without waiting for a device."""
    return numbers.device.type == "cpu" and not traced() and numbers.numel() > 0
