"""A plan is made once for all calls with the same mask: it takes milliseconds."""

import torch

from attention.blocks.plan import Plan, make
from attention.kept import Kept
from attention.masks import Mask

kept: Kept[Plan | None] = Kept(32)  # one holds a few small masks


def plan(mask: Mask, queries: int, keys: int) -> Plan | None:
    """The plan of this mask; that of an equal one, if there was one."""

    def anew() -> Plan | None:
        with torch.device("cpu"):  # also where another device is the default
            return make(mask, queries, keys)

    return kept.get(mask, (queries, keys), anew)
