"""What a backend that a caller names cannot do."""

from typing import Any

from attention.checks.kinds import kind
from attention.dispatch import kernels, onednn, plans
from attention.dispatch.call import Call
from attention.masks import Mask
from attention.transforms import traced, transformed


def named(backend: str, call: Call) -> Any:
    """Refuse what a backend cannot do, and name one that can; the plan that it needs, if any."""
    if backend in ("fused", "tiled", "spans", "onednn", "triton"):
        refuse(backend, call.weights, "does not return weights", "eager")
        why = "works neither under torch.func nor in forward mode"
        refuse(backend, transformed(), why, "eager")
    if backend == "fused":
        refuse(backend, call.softcap is not None, "has no softcap", "eager or tiled")
    elif backend == "loops":
        refuse(backend, call.query.is_meta, "reads values and query is on meta", "eager")
    elif backend == "tiled":
        refuse(backend, call.dropout_p > 0, "has no dropout", "eager or fused")
    elif backend in ("spans", "triton"):
        return skipping(backend, call, call.mask)
    elif backend == "onednn":
        return multiplying(backend, call, call.mask)
    return None


def multiplying(backend: str, call: Call, mask: Any) -> Any:
    """The same of the products of oneDNN."""
    refuse(backend, traced(), "plans with values, which are not there yet", "fused")
    why = onednn.obstacle(call.query)
    refuse(backend, why is not None, f"{why}", "fused")
    refuse(backend, call.softcap is not None, "has no softcap", "eager or tiled")
    refuse(backend, call.bias is not None, "has no bias", "fused or tiled")
    refuse(backend, call.dropout_p > 0, "has no dropout", "eager or fused")
    plan = None
    if mask is None or isinstance(mask, Mask):
        plan = plans.slabs(call.query, call.key, mask)
    if plan is None:
        from attention.blocks.lanes import MOST  # late, as in plans

        why = f"takes {MOST} stretches of keys a query at most, and {mask!r} gives none, or more"
        if not isinstance(mask, Mask):
            why = f"needs a Mask and mask is {kind(mask)}"
        elif apart := plans.apart(call.query, mask):
            why = apart
        refuse(backend, True, why, "fused or tiled")
    return plan


def skipping(backend: str, call: Call, mask: Any) -> Any:
    """The same of those that skip what a mask leaves out."""
    refuse(backend, traced(), "plans with values, which are not there yet", "fused")
    if backend == "spans":
        refuse(backend, call.query.device.type != "cpu", "is for the CPU", "fused")
    else:
        why = kernels.obstacle(call.query)
        refuse(backend, why is not None, f"{why}", "fused")
    refuse(backend, call.softcap is not None, "has no softcap", "eager or tiled")
    refuse(backend, call.bias is not None, "has no bias", "fused or tiled")
    refuse(backend, call.dropout_p > 0, "has no dropout", "eager or fused")
    odd = backend == "triton" and call.query.shape[-1] != call.value.shape[-1]
    refuse(backend, odd, "takes values as wide as keys", "fused or tiled")
    rule = isinstance(mask, Mask) or (mask is None and backend == "triton")
    refuse(backend, not rule, f"needs a Mask and mask is {kind(mask)}", "fused or tiled")
    if mask is None:
        return None
    if backend == "spans":
        plan = plans.plan(call.query, call.key, mask, call.learns)
        from attention.blocks.lanes import MOST  # late, as in plans

        why = f"takes {MOST} stretches of keys a query at most, and {mask!r} gives none, or more"
        why = plans.apart(call.query, mask) or why
    else:
        plan = kernels.rule(call.query, call.key, mask)
        why = f"knows a window and one stretch of keys for each sequence, and not {mask!r}"
    refuse(backend, plan is None, why, "fused or tiled")
    return plan


def refuse(backend: str, asked: bool, why: str, instead: str) -> None:
    if asked:
        raise ValueError(f"backend {backend!r} {why}: expected {instead}")
