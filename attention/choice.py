"""Which backend computes a call: chosen, or named by the caller."""

import math
from typing import Any

import torch
from torch import Tensor

from attention import checks, kernels
from attention.heads import group
from attention.masks import Causal, Mask
from attention.masks.table import small
from attention.transforms import transformed, unseen

# So many scores, of all heads, are computed in the time that a plan takes: half a millisecond.
FEW = 1 << 18
# Of the square causal mask: with fewer, no plan gains enough.
MANY = 1 << 21
# With a softcap: so many scores are faster by tiles, which stay in a cache.
LARGE = 1 << 24
# A plan is taken where it costs that share of what torch computes, or less: what it takes varies
# more with what else the machine does. Torch needs no tensor for its own causal mask, and one that
# is not kept has to be made.
KEPT, MADE, SQUARE = 0.95, 1.05, 0.75


def auto(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | Tensor | None,
    bias: Tensor | None,
    softcap: float | None,
    dropout_p: float,
    weights: bool,
) -> tuple[str, Any]:
    """The name of the first line that fits, and the plan if there is one.

    The lines, in their order:

        weights, or torch.func at work                                    eager
        a softcap, with dropout, while compiling, or on few scores        eager
        a softcap                                                         tiled
        a mask that leaves few blocks, no bias or dropout, on a CPU       spans
        a mask that torch's kernels do not know, the same, on a GPU       triton
        all else                                                          fused
    """
    if weights or transformed():
        return "eager", None
    if softcap is not None:
        # Sizes are not counted while compiling: an export would be for these alone.
        if dropout_p or torch.compiler.is_compiling():
            return "eager", None
        scores = query.shape[:-1].numel() * key.size(-2)
        return ("eager" if scores < LARGE else "tiled"), None
    if isinstance(mask, Mask) and bias is None and not dropout_p:
        found = saving(query, key, value, mask)
        if found is not None:
            return found
    return "fused", None


def saving(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> tuple[str, Any] | None:
    """What skips what a mask leaves out, and the plan for it; None if too little is left out."""
    queries, keys = query.size(-2), key.size(-2)
    if torch.compiler.is_compiling() or not many(query, keys) or unseen():
        return None
    if mask.over(keys).full(keys - queries, keys - 1, 0, keys):
        return None
    if query.is_cuda:
        rule = None if square(mask, query, key) else kernels.sparing(query, key, value, mask)
        return None if rule is None else ("triton", rule)
    if query.device.type != "cpu" or query.shape[-1] != value.shape[-1]:
        return None
    most = KEPT if small(mask, queries, keys, query.device) else MADE
    if square(mask, query, key):
        # Torch's kernel leaves out keys, 512 at a time; and it can do more with gradients.
        most = SQUARE * min(1.0, 0.5 + 256 / keys)
        if most <= 0.5 or query.shape[:-1].numel() * keys < MANY or learning(query, key, value):
            return None
    # Late: a quarter of the time that the package takes to load.
    from attention.blocks import ROWS

    plan = planned(query, key, value, mask)
    dense = query.shape[:-2].numel() * max(queries, ROWS) * keys
    # Blocks compute halves in single precision, which some machines do at half the speed.
    if query.dtype.itemsize == 2:
        most /= 2
    cost = plan.cost(key.shape[:-2].numel(), group(query, key)) if plan else math.inf
    return ("spans", plan) if cost < most * dense else None


def many(query: Tensor, keys: int) -> bool:
    """Whether there is so much to compute that a plan is looked for."""
    return query.shape[:-1].numel() * keys >= FEW


def square(mask: Mask, query: Tensor, key: Tensor) -> bool:
    """Whether it is the one mask that torch's kernel knows by itself, aligned as ours if T = S."""
    return type(mask) is Causal and query.size(-2) == key.size(-2)


def planned(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> Any:
    """The plan of a mask, if it has one for these queries; or None."""
    queries, keys = query.size(-2), key.size(-2)
    checks.counts(mask, queries, keys)
    checks.devices(mask, query.device)
    checks.fits(mask, query, key)
    if mask.heads is not None or (mask.batch not in (None, 1) and query.ndim != 4):
        return None
    from attention import blocks  # late, as above

    return blocks.plan(mask, queries, keys, learning(query, key, value))


def learning(*tensors: Tensor) -> bool:
    """Whether gradients of one of them will be asked for."""
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


def named(
    backend: str,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | Tensor | None,
    bias: Tensor | None,
    softcap: float | None,
    dropout_p: float,
    weights: bool,
) -> Any:
    """Refuse what a backend cannot do, and name one that can; the plan that it needs, if any."""
    plan = None
    if backend in ("fused", "tiled", "spans", "triton"):
        refuse(backend, weights, "does not return weights", "eager")
        why = "works neither under torch.func nor in forward mode"
        refuse(backend, transformed(), why, "eager")
    if backend == "fused":
        refuse(backend, softcap is not None, "has no softcap", "eager or tiled")
    elif backend == "loops":
        refuse(backend, query.is_meta, "reads values and query is on meta", "eager")
    elif backend == "tiled":
        refuse(backend, dropout_p > 0, "has no dropout", "eager or fused")
    elif backend in ("spans", "triton"):
        compiling = torch.compiler.is_compiling()
        refuse(backend, compiling, "plans with values, which are not there yet", "fused")
        if backend == "spans":
            refuse(backend, query.device.type != "cpu", "is for the CPU", "fused")
        else:
            why = kernels.obstacle(query)
            refuse(backend, why is not None, f"{why}", "fused")
        refuse(backend, softcap is not None, "has no softcap", "eager or tiled")
        refuse(backend, bias is not None, "has no bias", "fused or tiled")
        refuse(backend, dropout_p > 0, "has no dropout", "eager or fused")
        odd = query.shape[-1] != value.shape[-1]
        refuse(backend, odd, "takes values as wide as keys", "fused or tiled")
        rule = isinstance(mask, Mask) or (mask is None and backend == "triton")
        refuse(backend, not rule, f"needs a Mask and mask is {kind(mask)}", "fused or tiled")
        if isinstance(mask, Mask) and backend == "spans":
            plan = planned(query, key, value, mask)
            unknown = f"cannot tell which stretches of keys a query sees under {mask!r}"
            refuse(backend, plan is None, unknown, "fused or tiled")
        elif isinstance(mask, Mask):
            plan = kernels.rule(query, key, mask)
            several = f"knows masks of one stretch of keys a query, and not {mask!r}"
            refuse(backend, plan is None, several, "fused or tiled")
    return plan


def refuse(backend: str, asked: bool, why: str, instead: str) -> None:
    if asked:
        raise ValueError(f"backend {backend!r} {why}: expected {instead}")


def kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
