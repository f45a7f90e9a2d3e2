"""What rules reckon with: positions, rows of what a mask holds, stretches of keys."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from attention import checks

Position = Int[Tensor, "..."] | int
Interval = tuple[Position, Position]

MOST_PAIRS = 64  # that `both` makes; a plan takes 6 at most, see blocks/lanes.py


def row(batch: Position, count: int | None) -> Position:
    """Which row of a mask's tensor a sequence reads: the one there is may stand for all."""
    return 0 if count == 1 else batch


def stretches(mask: Any, query: Int[Tensor, "queries"], keys: int) -> Any:
    """What a mask gives as its `intervals`, looked at before they are joined with others.

    Those of ours are right: of a pair or a `~`, once those of its parts are.
    """
    found = mask.intervals(query, keys)
    if found is not None and not str(type(mask).__module__).startswith("attention."):
        checks.intervals(found, mask, (1 if mask.batch is None else mask.batch, len(query)))
    return found


def within(start: int, stop: int, keys: int) -> tuple[int, int]:
    """A span cut to the keys there are; one without keys has equal ends."""
    start = min(max(start, 0), keys)
    return start, min(max(stop, start), keys)


def both(left: Sequence[Interval], right: Sequence[Interval]) -> list[Interval] | None:
    """What lies in an interval of each; None if that is too many: each `~` may double them."""
    if len(left) * len(right) > MOST_PAIRS:
        return None
    return [(larger(a, c), smaller(b, d)) for a, b in left for c, d in right]


def larger(left: Position, right: Position) -> Tensor:
    return torch.maximum(torch.as_tensor(left), torch.as_tensor(right))


def smaller(left: Position, right: Position) -> Tensor:
    return torch.minimum(torch.as_tensor(left), torch.as_tensor(right))
