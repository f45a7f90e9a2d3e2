"""Gradients that cannot be differentiated again, and say so."""

from typing import Any

import torch
from torch import Tensor


class Once(torch.autograd.Function):
    """The first few tensors; whoever differentiates them is told which backends could."""

    @staticmethod
    def forward(ctx: Any, count: int, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        return tuple(None if grad is None else grad.view_as(grad) for grad in grads[:count])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        raise RuntimeError(
            "this kernel cannot be differentiated twice: expected backend eager, tiled or loops; "
            "of a module, return_weights=True"
        )


def once(
    grads: tuple[Tensor | None, ...], of: tuple[Tensor | None, ...] = ()
) -> tuple[Tensor | None, ...]:
    """For a backward that is recorded, with `create_graph`; others are left alone.

    `of` is what they were made of, where torch did not see it.
    """
    return Once.apply(len(grads), *grads, *of) if torch.is_grad_enabled() else grads
