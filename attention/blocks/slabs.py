"""A mask as slabs: some queries, and every key that one of them sees."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention.blocks.lanes import lanes
from attention.blocks.make import of_heads, unlike_before, unread
from attention.kept import Kept
from attention.masks import Mask

# Queries of a slab. Where their keys are so many that the scores would leave the caches between
# two products, fewer: of 8,192 keys 256 queries, of 16,384 half as many.
ROWS, LEAST_ROWS, SCORES = 256, 64, 1 << 21


class Slab(NamedTuple):
    """Some queries, the keys that they see, and what hides some of these from some of them."""

    rows: slice
    columns: slice
    # Added to the scores of the keys that it `covers`, counted from the slab's first: 0, and −∞
    # where a query does not see. One that sees nothing sees all here, so that nothing is NaN.
    hidden: Float[Tensor, "rows columns"] | None = None
    covers: slice = slice(0)

    @property
    def scores(self) -> int:
        columns = self.columns.stop - self.columns.start
        return (self.rows.stop - self.rows.start) * columns


@dataclass(frozen=True)
class Slabs:
    """The slabs of each sequence."""

    # From a sequence to before another, alike; with a single part, it is for any batch.
    parts: list[tuple[int, int, list[Slab]]]
    idle: Bool[Tensor, "batch 1 queries 1"] | None = None  # which queries see nothing, if any
    unread: Bool[Tensor, "batch 1 keys 1"] | None = None  # which keys of slabs nobody sees, if any

    def of(self, sequence: int) -> list[Slab]:
        """Those of one sequence of a batch that have keys."""
        last = self.parts[-1][2]
        found = next((part for _, stop, part in self.parts if sequence < stop), last)
        return [slab for slab in found if slab.scores]

    @property
    def nbytes(self) -> int:
        hidden = (slab.hidden for *_, part in self.parts for slab in part)
        return sum(table.nbytes for table in hidden if table is not None)


# The tables of `Causal() & SlidingWindow(256)` on 8,192 keys take 17 MB.
kept: Kept[Slabs | None] = Kept(16, 1 << 26, lambda made: made.nbytes if made else 0)


def slabs(mask: Mask | None, queries: int, keys: int) -> Slabs | None:
    """The slabs of a mask, or of all scores; None if a mask does not know its stretches.

    Args:
        mask: The mask.
        queries: `T`, a count.
        keys: `S`, a count.
    """
    if mask is None:
        return Slabs([(0, 1, [Slab(rows, slice(0, keys)) for rows in cut(queries, keys)])])

    def anew() -> Slabs | None:
        # Where another device is the default, as for the plans of blocks.
        usual = torch.get_default_device().type == "cpu"
        with nullcontext() if usual else torch.device("cpu"):
            return make(mask, queries, keys)

    return kept.get(mask, (queries, keys), anew)


def make(mask: Mask, queries: int, keys: int) -> Slabs | None:
    found = lanes(mask, queries, keys)
    if found is None:
        return None
    starts, stops = found
    idle = (stops <= starts).all(dim=0)  # (batch, T)
    if starts.numel() == 0 or idle.all():
        return Slabs([(0, 1, [])], of_heads(idle))
    width = int((stops.masked_fill(stops <= starts, 0).amax(dim=0) - starts.amin(dim=0)).max())
    firsts = [*unlike_before(found), starts.shape[1]]

    def of(sequence: int) -> list[Slab]:
        first, last = starts[:, sequence], stops[:, sequence]
        return [slab(first[:, rows], last[:, rows], rows) for rows in cut(queries, width)]

    parts = [(first, last, of(first)) for first, last in pairwise(firsts)]
    read = torch.zeros(starts.shape[1], keys, dtype=torch.bool)
    for first, last, part in parts:
        for one in part:
            read[first:last, one.columns] = True
    return Slabs(parts, of_heads(idle), of_heads(unread(found, keys) & read))


def cut(queries: int, width: int) -> Iterator[slice]:
    """The queries in equal parts, but for the last."""
    step = max(LEAST_ROWS, min(ROWS, SCORES // max(width, 1)))
    for first in range(0, queries, step):
        yield slice(first, min(first + step, queries))


def slab(starts: Int[Tensor, "lanes rows"], stops: Int[Tensor, "lanes rows"], rows: slice) -> Slab:
    """The slab around the stretches of some queries."""
    some = starts < stops
    if not some.any():
        return Slab(rows, slice(0, 0))
    start, stop = int(starts[some].min()), int(stops[some].max())
    low, high = start, stop
    # Of one stretch each, which may come in pieces, all see from the last start to the first stop.
    if ((starts[1:] == stops[:-1]) | ~some[1:]).all():
        left = int(starts[0][some[0]].max())
        right = int(stops.masked_fill(~some, 0).amax(dim=0)[some[0]].min())
        if left < right and start == left:
            low = right
        elif left < right == stop:
            high = left
    if low == high:
        return Slab(rows, slice(start, stop))
    key = torch.arange(low, high)
    seen = ((key >= starts[..., None]) & (key < stops[..., None])).any(dim=0)  # (rows, columns)
    seen |= ~some.any(dim=0)[:, None]
    hidden = torch.zeros(seen.shape).masked_fill_(~seen, float("-inf"))
    return Slab(rows, slice(start, stop), hidden, slice(low - start, high - start))
