"""Calling a linear layer, or asking for its product without the call where that is sooner."""

from typing import TypeGuard

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.modules.module import _has_any_global_hook

from attention.affine import affine
from attention.transforms import traced

TORCHS = nn.Linear.__call__, nn.Linear.forward


def through(
    layer: nn.Module, x: Float[Tensor, "*batch in_width"]
) -> Float[Tensor, "*batch out_width"]:
    """What a layer makes of `x`. Traced, it is called, and so seen by its name."""
    if traced() or not plain(layer):
        return layer(x)
    return affine(x, layer.weight, layer.bias)


def plain(layer: nn.Module | None) -> TypeGuard[nn.Linear]:
    """Whether a layer is torch's own, and nobody listens to it or has changed what it does."""
    return (
        type(layer) is nn.Linear
        and (nn.Linear.__call__, nn.Linear.forward) == TORCHS
        and "forward" not in vars(layer)
        and not (layer._forward_hooks or layer._forward_pre_hooks)
        and not (layer._backward_hooks or layer._backward_pre_hooks or _has_any_global_hook())
    )
