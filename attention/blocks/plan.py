"""What to compute under a mask: for each sequence of a batch, blocks of queries and keys."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool
from torch import Tensor

from attention.blocks.equal import Blocks, equal
from attention.blocks.lanes import Lanes, lanes
from attention.blocks.rectangles import rectangles
from attention.masks import Mask

# What one call of torch's kernel, and the merge of what it gives, cost beside its work, in
# scores: 75 µs on two cores that make 6.5·10⁸ of them a second.
CALL = 3 << 14
# What a score costs in a block that needs a mask, and has few rows; without and of many, 1.
MASKED = 1.2


@dataclass(frozen=True)
class Plan:
    """The blocks of each sequence, in an order in which fresh ones come first."""

    # From a sequence to before another, alike; with a single part, it is for any batch.
    parts: list[tuple[int, int, list[Blocks]]]
    idle: Bool[Tensor, "batch 1 queries 1"] | None  # which queries see nothing, if a block has any
    unread: Bool[Tensor, "batch 1 keys 1"] | None  # which keys nobody sees, if a block has any

    @property
    def batch(self) -> int:
        """How many sequences the parts are for; 1 also where there are none."""
        return self.parts[-1][1] if self.parts else 1

    @cached_property
    def nbytes(self) -> int:
        """What the tables of its blocks take; equal blocks share one."""
        tables = [b.keep for _, _, blocks in self.parts for b in blocks if b.keep is not None]
        return sum({id(table): table.nbytes for table in tables}.values())

    def cost(self, heads: int, size: int = 1) -> float:
        """What it takes for so many heads of keys in all, each of `size` heads of queries."""
        each = heads / self.batch
        found = 0.0
        for first, last, blocks in self.parts:
            scores = sum(b.cost(size) * (1.0 if b.keep is None else MASKED) for b in blocks)
            found += (last - first) * each * scores + CALL * len(blocks)
        return found


def make(mask: Mask, queries: int, keys: int, strip: int) -> Plan | None:
    """The plan, or None if the mask does not know which stretches of keys a query sees."""
    found = lanes(mask, queries, keys)
    if found is None:
        return None
    starts, stops = found
    parts: list[tuple[int, int, list[Blocks]]] = []
    for b in range(starts.shape[1]):
        here = starts[:, b], stops[:, b]
        if b and torch.equal(here[0], starts[:, b - 1]) and torch.equal(here[1], stops[:, b - 1]):
            first, _, blocks = parts[-1]
            parts[-1] = (first, b + 1, blocks)
            continue
        each = [
            equal(rectangles(start, stop, lane == 0, strip))
            for lane, (start, stop) in enumerate(zip(*here, strict=True))
        ]
        parts.append((b, b + 1, sum(each, [])))
    return Plan(parts, *absent(found, parts, keys))


def absent(
    found: Lanes, parts: list[tuple[int, int, list[Blocks]]], keys: int
) -> tuple[Bool[Tensor, "batch 1 queries 1"] | None, Bool[Tensor, "batch 1 keys 1"] | None]:
    """Queries that see nothing and keys that nobody sees, where a block has them all the same."""
    starts, stops = found
    batch, queries = starts.shape[1:]
    idle = (stops <= starts).all(dim=0)
    marks = torch.zeros(batch, keys + 1, dtype=torch.long)
    for start, stop in zip(starts, stops, strict=True):
        marks.scatter_add_(1, start, (start < stop).long())
        marks.scatter_add_(1, stop, -(start < stop).long())
    unread = marks.cumsum(dim=1)[:, :-1] == 0
    in_query, in_key = torch.zeros_like(idle), torch.zeros_like(unread)
    for first, last, blocks in parts:
        for one in (one for several in blocks for one in several.parts(1)):
            in_query[first:last, one.queries.start : one.queries.start + one.queries.size] = True
            in_key[first:last, one.keys.start : one.keys.start + one.keys.size] = True
    idle, unread = idle & in_query, unread & in_key
    return (
        idle[:, None, :, None] if idle.any() else None,
        unread[:, None, :, None] if unread.any() else None,
    )
