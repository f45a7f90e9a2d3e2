"""Whether somebody differentiates or maps from outside, and whether there are values at all."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad


def transformed() -> bool:
    """Whether torch.func is at work, or forward mode.

    Torch's kernels know neither vmap nor jvp, and what writes into a given tensor knows neither.
    """
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0


def differentiable(*tensors: Tensor) -> bool:
    """Whether a gradient will ask for one of these, and so for what it was computed with."""
    if transformed():  # derivatives that no tensor tells of
        return True
    return learns(*tensors)


def learns(*tensors: Tensor) -> bool:
    """Whether gradients of these are recorded; transforms do not say so of a tensor."""
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)


def depth() -> int:
    """How many transforms of torch.func are at work, one inside the other."""
    if torch.compiler.is_compiling() or not torch._C._are_functorch_transforms_active():
        return 0
    functorch: Any = vars(torch._C)["_functorch"]
    return len(functorch.get_interpreter_stack())


MODE = torch._C._TorchDispatchModeKey
TRACERS = MODE.FAKE, MODE.PROXY, MODE.FUNCTIONAL


def traced() -> bool:
    """Whether values cannot be looked at, and what is found is for this call alone.

    So it is while compiling, exporting or tracing, with tensors that only have a shape, and under
    torch.func.
    """
    # Written out: by functions of their own these would cost a fifth of a microsecond a call.
    return (
        torch.compiler.is_compiling()
        or torch._C._are_functorch_transforms_active()
        or forward_ad._current_level >= 0
        or torch._C._get_tracing_state() is not None
        or (
            torch._C._len_torch_dispatch_stack() > 0
            and any(torch._C._get_dispatch_mode(mode) is not None for mode in TRACERS)
        )
    )


def readable(tensor: Tensor) -> bool:
    """Whether values may be looked at: a CPU's are at hand, and those of a subclass may be none."""
    return tensor.is_cpu and type(tensor) in (Tensor, torch.nn.Parameter) and not traced()
