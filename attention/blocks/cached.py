"""A plan is made once for all calls with the same mask: it takes milliseconds."""

from attention.blocks.cost import Limit
from attention.blocks.lanes import on_cpu
from attention.blocks.make import Plan, make
from attention.blocks.rectangles import STRIP
from attention.kept import Kept
from attention.masks import Mask

# One holds the tables of its blocks: under PrefixLM(8192) & SlidingWindow(4096) on 12,288 keys
# they take 33 MiB, and under Causal() & SlidingWindow(256) 57 KiB.
kept: Kept[Plan | None] = Kept(32, nbytes=lambda made: made.nbytes if made else 0)


def plan(
    mask: Mask, queries: int, keys: int, learns: bool = False, limit: Limit | None = None
) -> Plan | None:
    """The plan of this mask; that of an equal one, if there was one.

    Args:
        mask: The mask.
        queries: `T`, a count.
        keys: `S`, a count.
        learns: Whether gradients will be asked for.
        limit: What it may cost; anything if not given.
    """
    strip = STRIP["backward" if learns else "forward"]
    asked = queries, keys, strip, limit
    return kept.get(mask, asked, lambda: on_cpu(make, mask, *asked))
