"""Memory in which keys and values lie, with room for those that come."""

import torch
from jaxtyping import Float
from torch import Tensor

Keys = Float[Tensor, "*batch kv_heads tokens head_dim"]
Values = Float[Tensor, "*batch kv_heads tokens value_dim"]
Held = tuple[
    Float[Tensor, "*batch kv_heads held head_dim"], Float[Tensor, "*batch kv_heads held value_dim"]
]
Rows = Float[Tensor, "..."]
Rooms = tuple[Rows, Rows]  # of keys and of values


def room(x: Rows, positions: int) -> Rows:
    """Memory for as many positions, with whatever numbers were in it."""
    with torch.inference_mode(False):  # what is made in that mode cannot be written to after it
        return x.new_empty(*x.shape[:-2], positions, x.shape[-1])


def like(buffer: Rows, x: Rows) -> bool:
    """Whether a buffer is for what came."""
    return (
        buffer.shape[:-2] == x.shape[:-2]
        and buffer.shape[-1] == x.shape[-1]
        and (buffer.dtype, buffer.device) == (x.dtype, x.device)
    )
