"""A plan is made once for all calls with the same mask: it takes milliseconds."""

from attention.blocks.plan import Plan, make
from attention.kept import Kept, value
from attention.masks import Mask

kept: Kept[Plan | None] = Kept(32)  # one holds a few small masks


def plan(mask: Mask, queries: int, keys: int) -> Plan | None:
    """The plan of this mask; that of an equal one, if there was one."""
    return kept.get((value(mask), queries, keys), lambda: make(mask, queries, keys))
