"""Mixed precision: under autocast, inputs are cast as torch casts those of its own attention."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor


def active(tensor: object) -> bool:
    return (
        torch._C._is_any_autocast_enabled()  # private, and saves half a microsecond a call
        and isinstance(tensor, Tensor)
        and not tensor.is_meta  # torch has no autocast for it, and raises if asked
        and torch.is_autocast_enabled(tensor.device.type)
    )


def mixes(x: Tensor, other: Tensor) -> bool:
    """Whether one may differ in dtype from another, since both will be lowered: not float64."""
    return active(x) and floating(x) and torch.float64 not in (x.dtype, other.dtype)


def lower(*tensors: Any) -> list[Any]:
    """Floating tensors in autocast's dtype; all as they are if one is of float64.

    Autocast leaves float64 alone, and an error about the others then says what was given.
    """
    dtype = torch.get_autocast_dtype(tensors[0].device.type)
    if any(floating(x) and x.dtype == torch.float64 for x in tensors):
        return list(tensors)
    return [x.to(dtype) if floating(x) else x for x in tensors]


def floating(x: object) -> bool:
    return isinstance(x, Tensor) and x.is_floating_point()


def off(run: Callable[..., Any], device: str) -> Callable[..., Any]:
    """The same function, which no longer sees autocast."""

    def plain(*arguments: Any) -> Any:
        with nullcontext() if device == "meta" else torch.autocast(device, enabled=False):
            return run(*arguments)

    return plain
