"""What a backend that a caller names cannot do."""

from typing import Any

from torch import Tensor

from attention.checks.kinds import brief, kind
from attention.dispatch import kernels, onednn, plans
from attention.dispatch.call import Call
from attention.masks import Mask
from attention.transforms import traced, transformed


def named(backend: str, call: Call) -> Any:
    """Refuse what a backend cannot do, and name one that can; the plan that it needs, if any."""
    if backend in ("fused", "tiled", "spans", "onednn", "triton"):
        refuse(backend, call.return_weights, "does not return weights", "eager")
        why = "works neither under torch.func nor in forward mode"
        refuse(backend, transformed(), why, "eager")
    if backend == "fused":
        refuse(backend, call.softcap is not None, "has no softcap", "eager or tiled")
    elif backend == "loops":
        refuse(backend, call.query.is_meta, "reads values and query is on meta", "eager")
    elif backend == "tiled":
        refuse(backend, call.dropout_p > 0, "has no dropout", "eager or fused")
    elif backend in ("onednn", "spans", "triton"):
        return planned(backend, call, call.mask)
    return None


def planned(backend: str, call: Call, mask: Any) -> Any:
    """The same of those that plan by a mask."""
    query, key, triton = call.query, call.key, backend == "triton"
    refuse(backend, traced(), "plans with values, which are not there yet", "fused")
    if backend == "spans":
        why = None if query.is_cpu else "is for the CPU"
    else:
        why = (kernels if triton else onednn).obstacle(query)
    refuse(backend, why is not None, f"{why}", "fused")
    refuse(backend, call.softcap is not None, "has no softcap", "eager or tiled")
    refuse(backend, call.bias is not None, "has no bias", "fused or tiled")
    refuse(backend, call.dropout_p > 0, "has no dropout", "eager or fused")
    odd = triton and query.shape[-1] != call.value.shape[-1]
    refuse(backend, odd, "takes values as wide as keys", "fused or tiled")
    rule = isinstance(mask, Mask) or (mask is None and backend != "spans")
    refuse(backend, not rule, f"needs a Mask and mask is {kind(mask)}", "fused or tiled")
    if mask is None:
        return plans.slabs(query, key, None) if backend == "onednn" else None
    if triton:
        plan = kernels.rule(query, key, mask)
    elif backend == "onednn":
        plan = plans.slabs(query, key, mask)
    else:
        plan = plans.plan(query, key, mask, call.learns)
    if plan is None:  # only now: to write down what a mask holds takes longer than to attend
        refuse(backend, True, unplanned(query, mask, triton), "fused or tiled")
    return plan


def unplanned(query: Tensor, mask: Mask, triton: bool) -> str:
    """Why a mask has no plan."""
    if triton:
        return f"knows a window and one stretch of keys for each sequence, and not {brief(mask)}"
    from attention.blocks.lanes import MOST  # late, as in plans

    if mask.heads is not None:
        return f"has one plan for all heads, and {brief(mask)} tells them apart"
    if plans.apart(query, mask):
        axes = f"and query has {query.ndim}"
        return f"tells sequences apart on four axes, batch, heads, T and D, {axes}"
    most = f"takes {MOST} stretches of keys a query at most"
    return f"{most}, and {brief(mask)} gives none, or more"


def refuse(backend: str, asked: bool, why: str, instead: str) -> None:
    if asked:
        raise ValueError(f"backend {backend!r} {why}: expected {instead}")
