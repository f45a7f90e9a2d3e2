"""Whether somebody differentiates or maps from outside."""

import torch
from torch.autograd import forward_ad


def transformed() -> bool:
    """Whether torch.func is at work, or forward mode.

    Torch's kernels know neither vmap nor jvp, and what writes into a given tensor knows neither.
    """
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0
