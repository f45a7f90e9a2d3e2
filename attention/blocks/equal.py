"""Equal rectangles at equal distances as one: a single call of torch's kernel."""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attention.blocks.rectangles import Rectangle
from attention.booleans import additive, any_along

# A table of so many entries is also held as what it adds to the scores, which takes four times the
# memory; and it is looked up where an equal one was made before.
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

    def view(self, rows: Shaped[Tensor, "heads rows ..."], count: int) -> Shaped[Tensor, "..."]:
        """A view of the rows, shape `(heads, count, size, …)`."""
        all_heads, _, *width = rows.shape
        heads, row, *rest = rows.stride()
        return rows.as_strided(
            (all_heads, count, self.size, *width),
            (heads, self.step * row, row, *rest),
            rows.storage_offset() + self.start * row,
        )


class Tables(NamedTuple):
    """Which query of a block sees which key, and what follows; None where each sees all."""

    keep: Bool[Tensor, "rows keys"] | None
    idle: Bool[Tensor, "rows"] | None  # which query sees none of them; None: each sees one
    hidden: Float[Tensor, "rows keys"] | None  # 0, and −∞ where one does not see; of small ones


@dataclass(frozen=True)
class Blocks:
    """`count` equal rectangles."""

    queries: Every
    keys: Every
    count: int
    fresh: bool  # whether none before them has any of their queries
    tables: Tables

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
        kinds.setdefault(one.kind, []).append(one)
    found = []
    for alike in kinds.values():
        those = tables(alike[0])
        found += [
            Blocks(queries, keys, count, alike[0].fresh, those)
            for queries, keys, count in regular(alike)
        ]
    return sorted(found, key=lambda blocks: not blocks.fresh)


def tables(one: Rectangle) -> Tables:
    """Those of a rectangle, wherever it lies."""
    if one.starts is None:
        return Tables(None, None, None)
    there = one._replace(query=0, key=0, fresh=False)
    return again(there) if one.rows * one.keys <= SMALL else made(there)


def made(one: Rectangle) -> Tables:
    """Those of one that has starts and stops."""
    with torch.inference_mode(False):  # it may be kept, and a gradient come later
        key = torch.arange(one.keys)
        start, stop = torch.tensor((one.starts, one.stops))[..., None]
        keep = (key >= start) & (key < stop)
        sees = any_along(keep, -1)[:, 0]
        hidden = additive(keep, torch.float32) if keep.numel() <= SMALL else None
        return Tables(keep, None if sees.all() else ~sees, hidden)


# Texts of any lengths leave the same few shapes: to look one up takes 3 µs, to make one 70. All
# that are kept take 40 MiB at most.
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
