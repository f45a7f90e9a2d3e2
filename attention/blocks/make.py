"""What to compute under a mask: for each sequence of a batch, blocks of queries and keys."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from attention import checks
from attention.blocks.equal import Blocks, equal
from attention.blocks.lanes import Lanes, lanes
from attention.blocks.rectangles import rectangles
from attention.masks import Mask

# What one call of torch's kernel, and the merge of what it gives, cost beside its work, in
# scores: 75 µs on two cores that make 6.5·10⁸ of them a second.
COST_OF_CALL = 3 << 14
# What a score costs in a block that needs a mask, and has few rows; without and of many, 1.
COST_OF_MASK = 1.2
# Of so many unlike sequences, some tell what all will cost, to within a fifth: to plan 16 of 256
# tokens, each of 8 texts, takes as long as to attend.
MIN_KINDS_TO_PROBE, PROBES, DOUBT = 8, 4, 1.2
# An unlike sequence of fewer scores gains less than its calls cost.
MIN_SCORES_A_KIND = 3 * COST_OF_CALL


class Limit(NamedTuple):
    """What a plan for several sequences may cost, in scores."""

    most: float
    heads: int  # of keys, in all sequences
    size: int  # heads of queries that share one

    def pays(self, kinds: int) -> bool:
        """Whether so many unlike sequences may gain more than their calls cost."""
        return kinds == 1 or self.most >= MIN_SCORES_A_KIND * kinds

    def within(self, several: list[list[Blocks]], kinds: int) -> bool:
        """Whether it would be no more, or little, if all kinds of sequences cost what these do."""
        found = sum(cost(blocks, self.heads / kinds, self.size) for blocks in several)
        return found * kinds <= DOUBT * self.most * len(several)


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
        several = [b for _, _, blocks in self.parts for b in blocks]
        tables = [x for b in several for x in (b.keep, b.hidden) if x is not None]
        return sum({id(table): table.nbytes for table in tables}.values())

    def cost(self, heads: int, size: int = 1) -> float:
        """What it takes for so many heads of keys in all, each of `size` heads of queries."""
        each = heads / self.batch
        return sum(cost(blocks, (last - first) * each, size) for first, last, blocks in self.parts)


def cost(blocks: list[Blocks], heads: float, size: int) -> float:
    """What the blocks cost for so many heads of keys, each of `size` heads of queries."""
    scores = sum(b.cost(size) * (1.0 if b.keep is None else COST_OF_MASK) for b in blocks)
    return heads * scores + COST_OF_CALL * len(blocks)


def make(
    mask: Mask, queries: int, keys: int, strip: int, limit: Limit | None = None
) -> Plan | None:
    """The plan; None if the mask does not know its stretches, or sequences go beyond the limit."""
    # To ask for the stretches of 64 sequences of 64 tokens takes a tenth as long as to attend.
    if limit is not None and not limit.pays(unlike(mask)):
        return None
    found = lanes(mask, queries, keys)
    if found is None:
        return None
    starts, stops = found
    firsts = unlike_before(found)
    kinds = len(firsts)
    if limit is not None and not limit.pays(kinds):
        return None

    def blocks(some: list[int]) -> list[list[Blocks]]:
        """Of some sequences, lane by lane."""
        cut = [
            rectangles(start[some], stop[some], not lane, strip)
            for lane, (start, stop) in enumerate(zip(starts, stops, strict=True))
        ]
        return [[one for lane in cut for one in equal(lane[n])] for n in range(len(some))]

    if limit is not None and kinds >= MIN_KINDS_TO_PROBE:
        some = firsts[:: -(-kinds // PROBES)]
        if not limit.within(blocks(some), kinds):
            return None
    batch = starts.shape[1]
    edges = pairwise([*firsts, batch])
    parts = [(*edge, found) for edge, found in zip(edges, blocks(firsts), strict=True)]
    return Plan(parts, *absent(found, parts, keys))


def unlike_before(found: Lanes) -> list[int]:
    """The first sequence, and each that is unlike the one before it."""
    starts, stops = found
    differs = ((starts.diff(dim=1) != 0) | (stops.diff(dim=1) != 0)).any(dim=2).any(dim=0)
    return [0, *(differs.nonzero()[:, 0] + 1).tolist()][: starts.shape[1]]


def unlike(mask: Mask) -> int:
    """Of how many kinds the sequences are, one after another: at most, by what the mask holds."""
    differs = [
        (x[1:] != x[:-1]).reshape(len(x) - 1, x[0].numel()).any(dim=1)
        for *_, x in checks.held(mask)
        if x.ndim and len(x) == mask.batch
    ]
    return 1 + int(torch.stack(differs).any(dim=0).sum()) if differs else 1


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
