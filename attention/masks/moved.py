"""A mask on another device."""

from copy import copy
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_is_leaf, tree_map

from attention.holding import holder, parts


def moved(part: Any, device: torch.device | str, done: dict[int, Any]) -> Any:
    """The same with its tensors on a device, wherever they lie.

    Copied and not made anew: its class may be made of other arguments than of what it holds.

    Args:
        part: A mask, or what lies in one.
        device: Where to.
        done: The copies so far, by the id of what they are of: a mask may hold one that holds it.
    """
    if isinstance(part, Tensor):
        return part.to(device)
    if not tree_is_leaf(part):  # a list, say; a torch.Size is one that is none
        return tree_map(lambda x: moved(x, device, done), part)
    if not holder(part):
        return part
    if id(part) not in done:
        other = done[id(part)] = copy(part)
        for name, x in parts(part).items():
            object.__setattr__(other, name, moved(x, device, done))  # also where it is frozen
    return done[id(part)]
