"""Masks as blocks of queries and keys, for backends that skip what a mask empties."""

from attention.blocks.cached import plan
from attention.blocks.equal import MIN_ROWS, Blocks
from attention.blocks.make import Limit, Plan

__all__ = ["MIN_ROWS", "Blocks", "Limit", "Plan", "plan"]
