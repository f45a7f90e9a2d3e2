"""Masks as blocks of queries and keys, for backends that skip what a mask empties.

Those of `spans` have queries that see nearly the same keys, and are many; `slabs`, those of
`onednn`, have all keys of their queries, and are few.
"""

from attention.blocks.cached import plan
from attention.blocks.cost import MIN_ROWS, Limit
from attention.blocks.equal import Blocks
from attention.blocks.make import Plan, pays

__all__ = ["MIN_ROWS", "Blocks", "Limit", "Plan", "pays", "plan"]
