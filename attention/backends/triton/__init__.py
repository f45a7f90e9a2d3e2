"""Attention on an NVIDIA GPU, by kernels in Triton that can be read line by line.

In the order of a call: `rules` makes a mask into a few numbers, `launch` starts the kernels of
`forward`, `decode` and `backward` with the sizes of `configs`, and those find their tiles with
`tiles`. On Hopper, `hopper` may start the forward of `hopper_kernel` instead, and `hopper_backward`
the gradients of `hopper_queries` and `hopper_keys`. What these share is in `hopper_launch` before
they start, and in `hopper_pieces` after.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from triton import knobs

from attention.backends.once import once
from attention.backends.triton import launch
from attention.backends.triton.launch import Keys, Queries
from attention.backends.triton.rules import Rule
from attention.heads import four

# Whether Triton made the kernels into numpy, for a machine without a GPU: it looks once, at import.
INTERPRETED = knobs.runtime.interpret


def triton(
    query: Float[Tensor, "*heads queries width"],
    key: Float[Tensor, "*kv_heads keys width"],
    value: Float[Tensor, "*kv_heads keys width"],
    rule: Rule | None,
    bias: None,
    scale: float,
    softcap: None,
    dropout_p: float,
) -> tuple[Float[Tensor, "*heads queries width"], None]:
    """Attend tile by tile, and fetch no tile that the mask empties.

    Source:
        Dao, *FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning*
        (2023), algorithms 1 and 2.
    """
    if scale < 1e-37:  # −∞, which hides a score, times 0 in single precision would not hide it
        sign = -1.0 if scale <= -1e-37 else 0.0
        query, scale = query * sign, abs(scale) if sign else 1.0
    context: Any = Triton.apply(*map(rows, (query, key, value)), rule or Rule(), scale)
    return context.reshape(query.shape), None


def rows(tensor: Float[Tensor, "..."]) -> Float[Tensor, "batch heads rows width"]:
    """Four axes, and each row in one piece, as the kernels read it and torch lays out the like."""
    tensor = four(tensor)
    # Of rows that overlap or repeat, the result would not always have its rows in one piece.
    like = torch.empty_like(tensor, device="meta")
    return tensor if tensor.stride(-1) == like.stride(-1) == 1 else tensor.contiguous()


class Triton(torch.autograd.Function):
    """Contexts and gradients; in between, one number a query is kept beside the contexts."""

    @staticmethod
    def forward(
        ctx: Any, query: Queries, key: Keys, value: Keys, rule: Rule, scale: float
    ) -> Queries:
        with torch.cuda.device_of(query):  # kernels start on the current device
            context, sums = launch.contexts(query, key, value, rule, scale)
        ctx.save_for_backward(query, key, value, context, sums)
        ctx.rest = rule, scale
        return context

    @staticmethod
    def backward(ctx: Any, *grads: Queries) -> tuple[Tensor | None, ...]:
        query, key, value, context, sums = ctx.saved_tensors
        rule, scale = ctx.rest
        grad = rows(grads[0])
        with torch.cuda.device_of(grad):
            found = launch.gradients(query, key, value, context, sums, grad, rule, scale)
        # With what a second derivative would go through, so that it is told whom to ask.
        return *once((*found, query, key, value))[:3], None, None
