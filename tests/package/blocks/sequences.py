"""Sequences of several kinds, and how often a plan computes each of their scores."""

import torch

from attention import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow, blocks

LENGTHS = torch.tensor([300, 0, 131])
PACKED = torch.tensor([5] * 70 + [2] + [3] * 129 + [9] * 40 + [1] * 60)[None]
SHORT = torch.arange(300)[None] // 7
UNEVEN = torch.arange(6).repeat_interleave(torch.tensor([70, 70, 10, 70, 70, 10]))[None]


class Nobody(Mask):
    def __call__(self, batch, head, query, key):
        return False

    def intervals(self, query: torch.Tensor, keys: int) -> list:
        return []


class Nested(Mask):
    """A stretch inside of an earlier one, which is longer in one sequence than in the other."""

    batch = 2

    def __call__(self, batch, head, query, key):
        long = torch.tensor([200, 20])[batch]
        return (key < long) | ((key >= 10) & (key < 20)) | ((key >= 100) & (key < 250))

    def intervals(self, query: torch.Tensor, keys: int) -> list:
        return [(0, torch.tensor([[200], [20]])), (10, 20), (100, 250)]


MASKS = {
    "causal": Causal(),
    "window": Causal() & SlidingWindow(40),
    "both sides": SlidingWindow(40),
    "padding": Padding(LENGTHS),
    "left": Causal() & Padding(LENGTHS, side="left"),
    "documents": Causal() & Documents(PACKED),
    "short documents": Documents(SHORT),
    "uneven documents": Documents(UNEVEN),
    "nested": Nested(),
    "prefix": PrefixLM(100),
    "sink": Causal() & (SlidingWindow(40) | ~SlidingWindow(200)),
    "later": ~Causal(),
    "nothing": Causal() & ~Causal(),
    "nobody": Nobody(),
    "alike": Padding(torch.tensor([200, 200, 80])),
}


def drawn(mask: Mask, queries: int, keys: int) -> torch.Tensor:
    """How often a plan computes each score that it does not hide, shape `(batch, T, S)`."""
    plan = blocks.plan(mask, queries, keys)
    assert plan is not None
    counts = torch.zeros(mask.batch or 1, queries, keys, dtype=torch.int)
    for first, last, found in plan.parts:
        fresh = torch.zeros(queries, dtype=torch.bool)
        for block in (one for several in found for one in several.parts(1)):
            rows = slice(block.queries.start, block.queries.start + block.queries.size)
            keys_of = slice(block.keys.start, block.keys.start + block.keys.size)
            assert not (block.fresh and fresh[rows].any())
            fresh[rows] = True
            counts[first:last, rows, keys_of] += (
                1 if block.tables.keep is None else block.tables.keep.int()
            )
    return counts


class Halves(Mask):
    """A stretch of its own for each sequence, and one that all share."""

    batch = 3
    stops = torch.tensor([20, 20, 35])

    def __call__(self, batch, head, query, key):
        return (key < self.stops[batch]) | (key >= 50)

    def intervals(self, query: torch.Tensor, keys: int) -> list:
        return [(0, self.stops[:, None]), (50, keys)]
