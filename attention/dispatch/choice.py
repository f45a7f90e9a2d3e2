"""Which backend computes a call that names none."""

import math
from typing import Any

from attention.backends import suited
from attention.backends.tiles import share as left
from attention.dispatch import kernels, plans
from attention.dispatch.call import Call
from attention.heads import group
from attention.masks import Mask
from attention.masks.dense import small
from attention.transforms import transformed, unseen

# So many scores, of all heads, are computed in 0.4 ms: a plan takes longer, the first time.
FEW = 1 << 18
# Of the square causal mask: with fewer, no plan gains enough.
MANY = 1 << 21
# With a softcap: so many scores are faster by tiles, which stay in a cache. Where a mask leaves few
# of the tiles, a quarter of that many are, and with a bias too.
LARGE = 1 << 24
LEFT = 0.6

# A plan is taken where it costs that share of what torch computes, or less: what it takes varies
# more with what else the machine does. Torch needs no tensor for its own causal mask, and one that
# is not kept has to be made.
KEPT, MADE, CAUSAL = 0.95, 1.05, 0.75


def auto(call: Call) -> tuple[str, Any]:
    """The name of the first line that fits, and the plan if there is one.

    A call is the arguments of `dot_product_attention`, all but `scale` and `backend`. The lines,
    in their order:

        weights, or torch.func or forward mode at work                    eager
        a softcap, with dropout, while compiling, or on few scores        eager
        a softcap                                                         tiled
        dropout, on a CPU                                                 eager
        a bias, and a mask that leaves few tiles, on a CPU                tiled
        a mask that leaves few blocks, no bias or dropout, on a CPU       spans
        a mask that torch's kernels do not know, the same, on a GPU       triton
        few queries, and values of another width than keys, on a CPU      eager
        all else                                                          fused

    """
    if call.weights or transformed():
        return "eager", None
    if call.softcap is not None:
        # Sizes are not counted while compiling: an export would be for these alone.
        if call.dropout_p or unseen() or not (call.scores >= LARGE or sparse(call)):
            return "eager", None
        return "tiled", None
    cpu = call.query.device.type == "cpu"
    if call.dropout_p and cpu:
        return "eager", None
    if call.bias is not None:
        return "tiled" if cpu and sparse(call) else "fused", None
    if isinstance(call.mask, Mask) and not call.dropout_p:
        found = saving(call, call.mask)
        if found is not None:
            return found
    odd = call.query.size(-1) != call.value.size(-1) and cpu
    return "eager" if odd and not suited.uneven(call.query, call.value) else "fused", None


def sparse(call: Call) -> bool:
    """Whether a rule leaves few of the tiles of a large table."""
    if unseen() or not isinstance(call.mask, Mask) or call.scores < LARGE // 4:
        return False
    return left(call.mask, call.queries, call.keys) < LEFT


def saving(call: Call, mask: Mask) -> tuple[str, Any] | None:
    """What skips what a mask leaves out, and the plan for it; None if too little is left out."""
    queries, keys = call.queries, call.keys
    if unseen() or call.scores < FEW:
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

    dense = call.query.shape[:-2].numel() * max(queries, MIN_ROWS) * keys
    plan = plans.plan(call.query, call.key, mask, call.learns, most * dense)
    size = group(call.query, call.key)
    cost = plan.cost(call.key.shape[:-2].numel(), size) if plan else math.inf
    return ("spans", plan) if cost < most * dense else None


def share(call: Call, mask: Mask) -> float:
    """What a plan may cost, as a share of all that torch would compute; 0: none is looked for."""
    most = KEPT if small(mask, call.queries, call.keys, call.query.device) else MADE
    if call.is_causal:
        # Torch's kernel leaves out keys, 512 at a time; and it can do more with gradients.
        most = CAUSAL * min(1.0, 0.5 + 256 / call.keys)
        if most <= 0.5 or call.scores < MANY or call.learns:
            return 0.0
    # Blocks compute halves in single precision, which some machines do at half the speed.
    halves = call.query.dtype.itemsize == 2 and not suited.coarse(call.query)
    return most / 2 if halves else most
