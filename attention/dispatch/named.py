"""What a backend that a caller names cannot do."""

from typing import Any

from torch import Tensor

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
    elif backend in ("spans", "onednn", "triton"):
        return planned(backend, call, call.mask)
    return None


def planned(backend: str, call: Call, mask: Any) -> Any:
    """The same of those that skip what a mask leaves out: they plan what they compute."""
    refuse(backend, traced(), "plans with values, which are not there yet", "fused")
    why = obstacle(backend, call.query)
    refuse(backend, why is not None, f"{why}", "fused")
    refuse(backend, call.softcap is not None, "has no softcap", "eager or tiled")
    refuse(backend, call.bias is not None, "has no bias", "fused or tiled")
    refuse(backend, call.dropout_p > 0, "has no dropout", "eager or fused")
    odd = backend == "triton" and call.query.shape[-1] != call.value.shape[-1]
    refuse(backend, odd, "takes values as wide as keys", "fused or tiled")
    rule = isinstance(mask, Mask) or (mask is None and backend != "spans")
    refuse(backend, not rule, f"needs a Mask and mask is {kind(mask)}", "fused or tiled")
    return window(call, mask) if backend == "triton" else stretches(backend, call, mask)


def obstacle(backend: str, query: Tensor) -> str | None:
    """Why a backend cannot take such queries; None if it can."""
    if backend == "spans":
        return None if query.device.type == "cpu" else "is for the CPU"
    return (onednn if backend == "onednn" else kernels).obstacle(query)


def stretches(backend: str, call: Call, mask: Any) -> Any:
    """The blocks of a mask that tells its stretches, or its slabs."""
    if backend == "spans":
        found = plans.plan(call.query, call.key, mask, call.learns)
    else:
        found = plans.slabs(call.query, call.key, mask)
    if found is None:
        from attention.blocks.lanes import MOST  # late, as in plans

        why = f"takes {MOST} stretches of keys a query at most, and {mask!r} gives none, or more"
        refuse(backend, True, plans.apart(call.query, mask) or why, "fused or tiled")
    return found


def window(call: Call, mask: Any) -> Any:
    """The rule of a mask that the kernels know; None of no mask."""
    if mask is None:
        return None
    found = kernels.rule(call.query, call.key, mask)
    why = f"knows a window and one stretch of keys for each sequence, and not {mask!r}"
    refuse("triton", found is None, why, "fused or tiled")
    return found


def refuse(backend: str, asked: bool, why: str, instead: str) -> None:
    if asked:
        raise ValueError(f"backend {backend!r} {why}: expected {instead}")


def kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
