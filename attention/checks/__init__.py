"""Bad input, refused in one sentence: the argument, what was expected, what came."""

from attention.checks.masks import bias, mask
from attention.checks.modules import from_torch, heads, sizes, to_torch, together, tokens
from attention.checks.numbers import backend, count, dropout, scale, softcap
from attention.checks.rules import counts, devices, held, integers, pair, ruled, side
from attention.checks.tensors import inputs

__all__ = [
    "backend",
    "bias",
    "count",
    "counts",
    "devices",
    "dropout",
    "from_torch",
    "heads",
    "held",
    "inputs",
    "integers",
    "mask",
    "pair",
    "ruled",
    "scale",
    "side",
    "sizes",
    "softcap",
    "to_torch",
    "together",
    "tokens",
]
