"""Which backend computes a call that names none."""

import math
from typing import Any

from attention.backends import suited
from attention.dispatch import onednn
from attention.dispatch.call import Call
from attention.dispatch.saving import KEPT, saving, torch_cost
from attention.dispatch.sight import scores_in_sight, share_of_tiles
from attention.heads import group
from attention.masks import Mask
from attention.transforms import traced, transformed

# So many scores are faster by tiles, which stay in a cache, than all at once. Where a mask leaves
# few of the tiles, a quarter of that many are; and with a bias faster than by torch's kernel.
LARGE = 1 << 24
LEFT = 0.6
# Of few queries on values of another width torch copies the keys that heads share, and took up to
# 3.7 times as long as two products.
SHARED = 256


def auto(call: Call) -> tuple[str, Any]:
    """The name of the first line that fits, and the plan if there is one.

    A call is the arguments of `dot_product_attention`, all but `scale` and `backend`. The lines,
    in their order:

        weights, or torch.func or forward mode at work                    eager
        a softcap                                                         at once, or tiles
        dropout, on a CPU                                                 eager
        a bias, and a mask that leaves few tiles, on a CPU                tiled
        a bias, and few queries on shared values of another width, there  eager
        a mask that leaves few blocks, no bias or dropout, on a CPU       spans
        a mask that torch's kernels do not know, the same, on a GPU       triton
        many scores, where oneDNN multiplies faster than MKL, the same    onednn
        values of another width that are not filled up, on a CPU          at once, or tiles
        all else                                                          fused

    *At once, or tiles* is `tiled` on many scores, or where a mask leaves few tiles; `eager` on
    others, with dropout, and while compiling.
    """
    if call.return_weights or transformed():
        return "eager", None
    if call.softcap is not None:
        return at_once_or_tiles(call), None
    cpu = call.query.device.type == "cpu"
    if call.dropout_p and cpu:  # torch makes all scores too, and copies shared keys
        return "eager", None
    odd = cpu and call.query.size(-1) != call.value.size(-1)
    if call.bias is not None:
        if cpu and sparse(call):
            return "tiled", None
        few = odd and not traced() and call.queries < SHARED
        return "eager" if few and group(call.query, call.key) > 1 else "fused", None
    if not call.dropout_p:
        slabs, cost = onednn.plan(call) or (None, math.inf)
        found = saving(call, call.mask, cost) if isinstance(call.mask, Mask) else None
        if found is not None:
            return found
        if slabs is not None and cost < KEPT * torch_cost(call):
            return "onednn", slabs
    if odd and not suited.uneven(call.query, call.value):
        return at_once_or_tiles(call), None
    return "fused", None


def at_once_or_tiles(call: Call) -> str:
    """All scores in one table, or a tile at a time where the table leaves the caches."""
    # Sizes are not counted while compiling: an export would be for these alone.
    if call.dropout_p or traced():
        return "eager"
    return "tiled" if scores_in_sight(call) >= LARGE or sparse(call) else "eager"


def sparse(call: Call) -> bool:
    """Whether a rule leaves few of the tiles of a large table."""
    if traced() or not isinstance(call.mask, Mask) or scores_in_sight(call) < LARGE // 4:
        return False
    return share_of_tiles(call.mask, call.queries, call.keys) < LEFT
