"""What blocks cost, in scores, before they are computed, or even made."""

from typing import NamedTuple

from attention.blocks.equal import Blocks
from attention.blocks.rectangles import Rectangle

# Fewer queries than that take as long: their keys have to be read all the same.
MIN_ROWS = 8
# Keys that are no multiple of eight take as long as so many more: of 128 to 512, 0 to 26.
STEP, REST = 8, 12
# What a score costs in a block that needs a mask, and has few rows; without and of many, 1.
COST_OF_MASK = 1.2
# What one call of torch's kernel, and the merge of what it gives, cost beside its work: 75 µs on
# two cores that make 6.5·10⁸ scores a second.
COST_OF_CALL = 3 << 14
# An unlike sequence of fewer scores gains less than its calls cost.
MIN_SCORES_A_KIND = 3 * COST_OF_CALL


def block(rows: int, keys: int, masked: bool) -> float:
    """Of one block, for one head."""
    more = REST if keys % STEP else 0
    return max(rows, MIN_ROWS) * (keys + more) * (COST_OF_MASK if masked else 1.0)


def cost(blocks: list[Blocks], heads: float, size: int) -> float:
    """Of all blocks, for so many heads of keys, each of `size` heads of queries."""
    scores = sum(
        b.count * block(b.queries.size * size, b.keys.size, b.tables.keep is not None)
        for b in blocks
    )
    return heads * scores + COST_OF_CALL * len(blocks)


def least(cut: list[Rectangle], heads: float, size: int) -> float:
    """The same before equal ones are put together, which may leave more calls than there are kinds.

    So no mask of a block has to be made, which takes most of the time.
    """
    scores = sum(block(r.rows * size, r.keys, r.starts is not None) for r in cut)
    return heads * scores + COST_OF_CALL * len({r.kind for r in cut})


def gain(kinds: int, scores: float) -> bool:
    """Whether so many unlike sequences, of so many scores in all, may gain more than calls cost."""
    return kinds == 1 or scores >= MIN_SCORES_A_KIND * kinds


class Limit(NamedTuple):
    """What a plan for several sequences may cost."""

    most: float
    heads: int  # of keys, in all sequences
    size: int  # heads of queries that share one

    def within(self, several: list[list[Rectangle]], kinds: int) -> bool:
        """Whether it would be no more if all kinds of sequences cost what these do."""
        found = sum(least(cut, self.heads / kinds, self.size) for cut in several)
        return found * kinds <= self.most * len(several)
