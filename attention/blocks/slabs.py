"""A mask as slabs: some queries, and every key that one of them sees."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention.blocks.lanes import lanes, on_cpu, unread
from attention.blocks.make import unlike_before
from attention.booleans import additive
from attention.kept import Kept
from attention.masks import Mask

# Queries of a slab. Where their keys are so many that the scores would leave the caches between
# two products, fewer: of 8,192 keys 256 queries, of 16,384 half as many.
ROWS, LEAST_ROWS, SCORES = 256, 64, 1 << 21


Edge = tuple[slice, Float[Tensor, "rows columns"]]
Ends = Int[Tensor, "lanes rows"]


class Slab(NamedTuple):
    """Some queries, and the keys that they see."""

    rows: slice
    columns: slice
    # Which of the columns, counted from the first, are hidden from some of the rows; and what is
    # added to their scores: 0, and −∞ where a query does not see. A query that sees nothing sees
    # all here, so that nothing is NaN.
    edges: tuple[Edge, ...] = ()

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
    unread: Bool[Tensor, "batch 1 keys 1"] | None = None  # which keys nobody sees, if any

    def of(self, sequence: int) -> list[Slab]:
        """Those of one sequence of a batch that have keys."""
        last = self.parts[-1][2]
        found = next((part for _, stop, part in self.parts if sequence < stop), last)
        return [slab for slab in found if slab.scores]

    @property
    def nbytes(self) -> int:
        """What the tables take; equal slabs share one."""
        edges = [edge for *_, part in self.parts for slab in part for edge in slab.edges]
        return sum({id(table): table.nbytes for _, table in edges}.values())


kept: Kept[Slabs | None] = Kept(16, nbytes=lambda made: made.nbytes if made else 0)


def slabs(mask: Mask | None, queries: int, keys: int, most: int | None = None) -> Slabs | None:
    """The slabs of a mask, or of all scores; None if a mask does not know its stretches.

    Args:
        mask: The mask.
        queries: `T`, a count.
        keys: `S`, a count.
        most: How many numbers the tables may have; None is returned if it would be more.
    """
    if mask is None:
        return Slabs([(0, 1, [Slab(rows, slice(0, keys)) for rows in cut(queries, keys)])])
    asked = queries, keys, most
    return kept.get(mask, asked, lambda: on_cpu(make, mask, *asked))


def make(mask: Mask, queries: int, keys: int, most: int | None = None) -> Slabs | None:
    found = lanes(mask, queries, keys)
    if found is None:
        return None
    starts, stops = found
    idle = (stops <= starts).all(dim=0)  # (batch, T)
    if starts.numel() == 0 or idle.all():
        return Slabs([(0, 1, [])], of_heads(idle))
    width = int((stops.masked_fill(stops <= starts, 0).amax(dim=0) - starts.amin(dim=0)).max())
    tables = EdgeTables(most)
    parts = [
        (
            first,
            last,
            [tables.slab(starts[:, first, r], stops[:, first, r], r) for r in cut(queries, width)],
        )
        for first, last in pairwise([*unlike_before(found), starts.shape[1]])
    ]
    if tables.left < 0:
        return None
    return Slabs(parts, of_heads(idle), of_heads(unread(starts, stops, keys)))


def of_heads(marks: Bool[Tensor, "batch rows"]) -> Bool[Tensor, "batch 1 rows 1"] | None:
    """Marks for all heads, if there are any."""
    return marks[:, None, :, None] if marks.any() else None


def cut(queries: int, width: int) -> Iterator[slice]:
    """The queries in equal parts, but for the last."""
    step = max(LEAST_ROWS, min(ROWS, SCORES // max(width, 1)))
    for first in range(0, queries, step):
        yield slice(first, min(first + step, queries))


class EdgeTables:
    """What hides keys in the slabs of a mask, each table once, up to so many numbers."""

    def __init__(self, most: int | None) -> None:
        self.made: dict[object, Tensor] = {}
        self.left = math.inf if most is None else most

    def slab(self, starts: Ends, stops: Ends, rows: slice) -> Slab:
        """The slab around the stretches of some queries."""
        some = starts < stops
        if not some.any():
            return Slab(rows, slice(0, 0))
        start, stop = int(starts[some].min()), int(stops[some].max())
        edges = []
        for low, high in partly(starts, stops, start, stop):
            table = self.table(starts - low, stops - low, high - low)
            if table is not None:
                edges.append((slice(low - start, high - start), table))
        return Slab(rows, slice(start, stop), tuple(edges))

    def table(self, starts: Ends, stops: Ends, width: int) -> Tensor | None:
        """What is added to the scores of so many keys; None if that is too much."""
        name = (
            width,
            starts.clamp(0, width).numpy().tobytes(),
            stops.clamp(0, width).numpy().tobytes(),
        )
        if name not in self.made:
            self.left -= starts.size(1) * width
            if self.left < 0:
                return None
            key = torch.arange(width)
            seen = ((key >= starts[..., None]) & (key < stops[..., None])).any(dim=0)
            seen |= ~(starts < stops).any(dim=0)[:, None]
            self.made[name] = additive(seen, torch.float32)
        return self.made[name]


def partly(starts: Ends, stops: Ends, start: int, stop: int) -> list[tuple[int, int]]:
    """Where the keys lie, of those from the first to the last, that only some of the rows see."""
    some = starts < stops
    # Of one stretch each, which may come in pieces, all see from the last start to the first stop.
    if ((starts[1:] == stops[:-1]) | ~some[1:]).all():
        left = int(starts[0][some[0]].max())
        right = int(stops.masked_fill(~some, 0).amax(dim=0)[some[0]].min())
        if left < right:
            return [(low, high) for low, high in ((start, left), (right, stop)) if low < high]
    return [(start, stop)]
