"""Equal rectangles at equal distances as one: a single call of torch's kernel."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attention.blocks.rectangles import Rectangle

# Fewer queries than that take as long: their keys have to be read all the same.
MIN_ROWS = 8
SMALL = 1 << 15


class Every(NamedTuple):
    """`size` rows from `start` on, and as many from each `step` later, which may overlap."""

    start: int
    size: int
    step: int

    def times(self, size: int) -> "Every":
        """The same where each row has become several."""
        return Every(self.start * size, self.size * size, self.step * size)

    def later(self, count: int) -> "Every":
        return self._replace(start=self.start + count * self.step)

    def slices(self, count: int) -> Iterator[slice]:
        """The rows of so many."""
        for first in range(self.start, self.start + count * self.step, self.step):
            yield slice(first, first + self.size)

    def view(self, rows: Shaped[Tensor, "heads rows ..."], count: int) -> Shaped[Tensor, "..."]:
        """A view of the rows, shape `(heads, count, size, …)`."""
        all_heads, _, *width = rows.shape
        heads, row, *rest = rows.stride()
        return rows.as_strided(
            (all_heads, count, self.size, *width),
            (heads, self.step * row, row, *rest),
            rows.storage_offset() + self.start * row,
        )


@dataclass(frozen=True)
class Blocks:
    """`count` equal rectangles."""

    queries: Every
    keys: Every
    count: int
    fresh: bool  # whether none before them has any of their queries
    keep: Bool[Tensor, "rows keys"] | None  # which query sees which key; None: all do
    idle: Bool[Tensor, "rows"] | None  # which query sees none of them; None: each sees one
    hidden: Float[Tensor, "rows keys"] | None = None  # what `keep` adds to scores, of a small table

    def cost(self, size: int) -> int:
        """In scores, where `size` heads share keys; fewer rows than `MIN_ROWS` cost as much."""
        return self.count * max(self.queries.size * size, MIN_ROWS) * self.keys.size

    def parts(self, most: int) -> list["Blocks"]:
        """The same, at most so many at a time."""
        if self.count <= most:
            return [self]
        return [
            replace(
                self,
                queries=self.queries.later(first),
                keys=self.keys.later(first),
                count=min(most, self.count - first),
            )
            for first in range(0, self.count, most)
        ]


def equal(lane: list[Rectangle]) -> list[Blocks]:
    """The rectangles of one lane, those first that no other of their queries precedes."""
    kinds: dict[tuple[object, ...], list[Rectangle]] = {}
    for one in lane:
        kinds.setdefault((one.rows, one.keys, one.starts, one.stops, one.fresh), []).append(one)
    found = []
    for alike in kinds.values():
        tables = seen(alike[0])
        found += [
            Blocks(queries, keys, count, alike[0].fresh, *tables)
            for queries, keys, count in regular(alike)
        ]
    return sorted(found, key=lambda blocks: not blocks.fresh)


def seen(one: Rectangle) -> tuple[Tensor | None, ...]:
    """The tables of a rectangle's blocks; None where each query sees all keys."""
    if one.starts is None or one.stops is None:
        return None, None, None
    if one.rows * one.keys > SMALL:
        return made(one.keys, one.starts, one.stops)
    return again(one.keys, one.starts, one.stops)


def made(keys: int, starts: tuple[int, ...], stops: tuple[int, ...]) -> tuple[Tensor | None, ...]:
    key = torch.arange(keys)
    start, stop = torch.tensor((starts, stops))[..., None]
    keep = (key >= start) & (key < stop)
    sees = keep.any(dim=1)
    idle = None if sees.all() else ~sees
    if keep.numel() > SMALL:
        return keep, idle, None
    hidden = torch.zeros(keep.shape, dtype=torch.float32)
    return keep, idle, hidden.masked_fill_(~keep, float("-inf"))


again = lru_cache(256)(made)


def regular(alike: list[Rectangle]) -> list[tuple[Every, Every, int]]:
    """Equal rectangles in stretches of equal distances."""
    found, first = [], 0
    steps = [(b.query - a.query, b.key - a.key) for a, b in pairwise(alike)]
    while first < len(alike):
        last = first
        while last < len(steps) and steps[last] == steps[first] and steps[last][1] > 0:
            last += 1
        query, rows, key, keys, *_ = alike[first]
        further, beyond = steps[first] if last > first else (rows, keys)
        found.append((Every(query, rows, further), Every(key, keys, beyond), last - first + 1))
        first = last + 1
    return found
