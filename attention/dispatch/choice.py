"""Which backend computes a call that names none."""

import math
from typing import Any

from attention.backends import suited
from attention.backends.tiles import COLUMNS, ROWS, tiles
from attention.dispatch import kernels, onednn, plans
from attention.dispatch.call import Call
from attention.dispatch.dense import in_sight, small
from attention.heads import group
from attention.masks import Mask
from attention.transforms import traced, transformed

# So many scores, of all heads, are computed in 0.4 ms: a plan takes longer, the first time.
FEW = 1 << 18
# Of the square causal mask: with fewer, no plan gains enough.
MANY = 1 << 21
# So many scores are faster by tiles, which stay in a cache, than all at once. Where a mask leaves
# few of the tiles, a quarter of that many are; and with a bias faster than by torch's kernel.
LARGE = 1 << 24
LEFT = 0.6
# Of few queries on values of another width torch copies the keys that heads share, and took up to
# 3.7 times as long as two products.
SHARED = 256
# Where a plan is for copies of all keys and values, each of their numbers costs that many scores:
# without that, 64 queries on 16,384 keys took up to 14 times as long.
COPIED = 0.8
# A plan is taken where it costs that share of what torch computes, or less: what it takes varies
# more with what else the machine does. Torch needs no tensor for its own causal mask, and one that
# is not kept has to be made.
KEPT, MADE, CAUSAL = 0.95, 1.05, 0.75
# Where oneDNN multiplies faster than MKL, whose products blocks are, these take that many times
# what their plan says.
BLOCKS = 1.2


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
        if slabs is not None and cost < KEPT * usual(call):
            return "onednn", slabs
    if odd and not suited.uneven(call.query, call.value):
        return at_once_or_tiles(call), None
    return "fused", None


def at_once_or_tiles(call: Call) -> str:
    """All scores in one table, or a tile at a time where the table leaves the caches."""
    # Sizes are not counted while compiling: an export would be for these alone.
    if call.dropout_p or traced():
        return "eager"
    return "tiled" if table(call) >= LARGE or sparse(call) else "eager"


def sparse(call: Call) -> bool:
    """Whether a rule leaves few of the tiles of a large table."""
    if traced() or not isinstance(call.mask, Mask) or table(call) < LARGE // 4:
        return False
    return share_of_tiles(call.mask, call.queries, call.keys) < LEFT


def share_of_tiles(mask: Mask, queries: int, keys: int) -> float:
    """Of the tiles with a key in sight, how many have one that a query of theirs may see."""
    told, seen, every = mask.over(keys), 0, 0
    sight = in_sight(mask, queries, keys)
    parts = [
        part for part in tiles(keys, COLUMNS) if part.start < sight.stop and sight.start < part.stop
    ]
    for rows in tiles(queries, ROWS):
        first, last = rows.start + keys - queries, rows.stop - 1 + keys - queries
        start, stop = told.span(first, last, keys)
        seen += sum(part.start < stop and start < part.stop for part in parts)
        every += len(parts)
    return seen / every if every else 1.0


def table(call: Call) -> int:
    """How many scores there are of the keys alone that a rule leaves in sight."""
    if not isinstance(call.mask, Mask):
        return call.scores
    return call.query.shape[:-1].numel() * len(in_sight(call.mask, call.queries, call.keys))


def usual(call: Call) -> float:
    """What torch's kernel takes, in scores: of its own causal mask it leaves out keys, 512 each."""
    return table(call) * (causal_share(call.keys) if call.is_causal else 1.0)


def causal_share(keys: int) -> float:
    return min(1.0, 0.5 + 256 / keys)


def saving(call: Call, mask: Mask, other: float) -> tuple[str, Any] | None:
    """What skips what a mask leaves out, and the plan for it; None if too little is left out.

    `other` is what it costs otherwise, in scores, but for torch's kernel.
    """
    queries, keys = call.queries, call.keys
    if traced() or call.scores < FEW:
        return None
    if call.query.is_cpu and not plans.pays(call.query, call.key, mask):
        return None
    if mask.over(keys).full(keys - queries, keys - 1, 0, keys):
        return None
    if call.query.is_cuda:
        rule = None if call.is_causal else kernels.sparing(call.query, call.key, call.value, mask)
        return None if rule is None else ("triton", rule)
    if call.query.device.type != "cpu":
        return None
    most = share(call, mask)
    if not most:
        return None
    # Late: a quarter of the time that the package takes to load.
    from attention.blocks import MIN_ROWS

    given = len(in_sight(mask, queries, keys))  # what torch is given of the keys
    most = min(
        most * call.query.shape[:-2].numel() * max(queries, MIN_ROWS) * given, other / BLOCKS
    )
    plan = plans.plan(call.query, call.key, mask, call.learns, most)
    size = group(call.query, call.key)
    cost = plan.cost(call.key.shape[:-2].numel(), size) if plan else math.inf
    if call.query.dtype.itemsize == 2 or call.query.size(-1) != call.value.size(-1):
        cost += COPIED * max(call.key.numel(), call.value.numel())
    return ("spans", plan) if cost < most else None


def share(call: Call, mask: Mask) -> float:
    """What a plan may cost, as a share of all that torch would compute; 0: none is looked for."""
    most = KEPT if small(mask, call.queries, call.keys, call.query.device) else MADE
    if call.is_causal:
        # Torch's kernel leaves out keys, 512 at a time; and it can do more with gradients.
        most = CAUSAL * causal_share(call.keys)
        if most <= 0.5 or call.scores < MANY or call.learns:
            return 0.0
    # Blocks compute bfloat16 in single precision, which some machines do at half the speed.
    halves = call.query.dtype.itemsize == 2 and not suited.coarse(call.query)
    return most / 2 if halves else most
