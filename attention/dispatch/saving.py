"""What skips the parts that a mask leaves out, where that is sooner than torch's own kernel."""

import math
from typing import Any

from attention.backends import suited
from attention.dispatch import kernels, plans
from attention.dispatch.call import Call
from attention.dispatch.dense import small
from attention.dispatch.sight import in_sight, scores_in_sight
from attention.heads import group
from attention.masks import Mask
from attention.transforms import traced

# So many scores, of all heads, are computed in 0.4 ms: a plan takes longer, the first time.
FEW = 1 << 18
# Of the square causal mask: with fewer, no plan gains enough.
MANY = 1 << 21
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


def torch_cost(call: Call) -> float:
    """What torch's kernel takes, in scores: of its own causal mask it leaves out keys, 512 each."""
    return scores_in_sight(call) * (causal_share(call.keys) if call.is_causal else 1.0)


def causal_share(keys: int) -> float:
    return min(1.0, 0.5 + 256 / keys)
