"""Bad input, refused in one sentence: the argument, what was expected, what came."""

from attention.checks.caches import (
    alone,
    cached,
    capacity,
    cropped,
    forgotten,
    full,
    memory,
    order,
    reach,
    remembered,
)
from attention.checks.masks import bias, mask
from attention.checks.modules import from_torch, heads, sizes, to_torch, together, tokens
from attention.checks.numbers import (
    above_zero,
    backend,
    count,
    dropout,
    epsilon,
    scale,
    softcap,
)
from attention.checks.positions import even, first, layout, placed, positions, rotated
from attention.checks.rules import counts, devices, held, integers, pair, ruled, side
from attention.checks.tensors import inputs

__all__ = [
    "above_zero",
    "alone",
    "backend",
    "bias",
    "cached",
    "capacity",
    "count",
    "counts",
    "cropped",
    "devices",
    "dropout",
    "epsilon",
    "even",
    "first",
    "forgotten",
    "from_torch",
    "full",
    "heads",
    "held",
    "inputs",
    "integers",
    "layout",
    "mask",
    "memory",
    "order",
    "pair",
    "placed",
    "positions",
    "reach",
    "remembered",
    "rotated",
    "ruled",
    "scale",
    "side",
    "sizes",
    "softcap",
    "to_torch",
    "together",
    "tokens",
]
