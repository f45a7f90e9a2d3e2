"""What to compute under a mask: for each sequence of a batch, blocks of queries and keys."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import torch
from jaxtyping import Bool, Shaped
from torch import Tensor

from attention import holding
from attention.blocks.cost import Limit, cost, gain
from attention.blocks.equal import Blocks, equal
from attention.blocks.lanes import Lanes, lanes, unread
from attention.blocks.rectangles import Rectangle, rectangles
from attention.masks import Mask

# Of so many unlike sequences, four tell what all will cost: to plan 16 of 256 tokens, each of 8
# texts, takes as long as to attend. To within a tenth; of a few long ones among short, too little.
MIN_KINDS_TO_PROBE = 8


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
        tables = [x for b in several for x in (b.tables.keep, b.tables.hidden) if x is not None]
        return sum({id(table): table.nbytes for table in tables}.values())

    def cost(self, heads: int, size: int = 1) -> float:
        """What it takes for so many heads of keys in all, each of `size` heads of queries."""
        each = heads / self.batch
        return sum(cost(blocks, (last - first) * each, size) for first, last, blocks in self.parts)


def make(
    mask: Mask, queries: int, keys: int, strip: int, limit: Limit | None = None
) -> Plan | None:
    """The plan; None if the mask does not know its stretches, or sequences go beyond the limit."""
    found = lanes(mask, queries, keys)
    if found is None:
        return None
    starts, stops = found
    firsts = unlike_before(found)
    kinds = len(firsts)
    if limit is not None and not gain(kinds, limit.most):
        return None

    def cut(some: list[int]) -> list[tuple[list[Rectangle], ...]]:
        """Of some sequences, their rectangles lane by lane."""
        every = [
            rectangles(start[some], stop[some], not lane, strip)
            for lane, (start, stop) in enumerate(zip(starts, stops, strict=True))
        ]
        return list(zip(*every, strict=True)) if every else [()] * len(some)

    if limit is not None and kinds >= MIN_KINDS_TO_PROBE:
        # One of each quarter, by how much they see, as far from above as from below: where that is
        # evenly spread, their mean is that of all.
        seen = (stops - starts)[:, firsts].sum(dim=(0, 2))
        order = seen.argsort().tolist()
        ranks = kinds // 8, 3 * kinds // 8
        some = [firsts[order[at]] for rank in ranks for at in (rank, kinds - 1 - rank)]
        if not limit.within([[r for lane in one for r in lane] for one in cut(some)], kinds):
            return None
    batch = starts.shape[1]
    edges = pairwise([*firsts, batch])
    parts = [
        (*edge, [blocks for lane in one for blocks in equal(lane)])
        for edge, one in zip(edges, cut(firsts), strict=True)
    ]
    return Plan(parts, *idle_and_unread(found, parts, keys))


def unlike_before(found: Lanes) -> list[int]:
    """The first sequence, and each that is unlike the one before it."""
    starts, stops = found
    differs = ((starts.diff(dim=1) != 0) | (stops.diff(dim=1) != 0)).any(dim=2).any(dim=0)
    return [0, *(differs.nonzero()[:, 0] + 1).tolist()][: starts.shape[1]]


def pays(mask: Mask, scores: float) -> bool:
    """Whether its sequences, of so many scores in all, may gain more than their calls cost."""
    return gain(mask.batch or 1, scores) or gain(unlike(mask), scores)


def unlike(mask: Mask) -> int:
    """Of how many kinds the sequences are, one after another: at most, by what the mask holds."""
    held = [x for *_, x in holding.held(mask) if x.ndim and len(x) == mask.batch]
    if any(x.layout is not torch.strided for x in held):
        return len(held[0])
    # By bytes: nine calls of torch, each for a few numbers, took ten times as long.
    rows = zip(*(map(bytes, by_row(x)) for x in held), strict=True)
    return 1 + sum(one != other for one, other in pairwise(rows))


def by_row(x: Shaped[Tensor, "rows ..."]) -> Any:
    """The bytes of each row, shape `(rows, bytes)`."""
    flat = x.detach()[:, None].flatten(1)
    # Copied to where each row lies in one piece: of a single column, torch would call any that.
    copy = torch.empty(flat.shape, dtype=x.dtype, device=x.device).copy_(flat)
    return copy.view(torch.uint8).numpy()


def idle_and_unread(
    found: Lanes, parts: list[tuple[int, int, list[Blocks]]], keys: int
) -> tuple[Bool[Tensor, "batch 1 queries 1"] | None, Bool[Tensor, "batch 1 keys 1"] | None]:
    """Queries that see nothing and keys that nobody sees, where a block has them all the same."""
    starts, stops = found
    idle = (stops <= starts).all(dim=0)
    gone = unread(starts, stops, keys)
    return those_in(parts, idle, "queries"), those_in(parts, gone, "keys")


def those_in(
    parts: list[tuple[int, int, list[Blocks]]],
    gone: Bool[Tensor, "batch positions"],
    which: Literal["queries", "keys"],
) -> Bool[Tensor, "batch 1 positions 1"] | None:
    """Those of the absent queries, or keys, that lie in a block; None if none does."""
    if not gone.any():
        return None
    rows: list[bytearray] = []  # of tensors each block would take ten times as long
    for first, last, blocks in parts:
        row = bytearray(gone.size(1))
        # In a block without a mask each query sees each key.
        for several in (several for several in blocks if several.tables.keep is not None):
            for n in range(several.count):
                start, size, _ = getattr(several, which).later(n)
                row[start : start + size] = bytes([1]) * size
        rows += [row] * (last - first)
    inside = torch.frombuffer(bytearray().join(rows), dtype=torch.bool).view(gone.shape)
    found = gone & inside
    return found[:, None, :, None] if found.any() else None
