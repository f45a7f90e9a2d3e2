"""One matrix for queries, keys and values, with the names that nn.MultiheadAttention has for it."""

from collections.abc import MutableMapping, Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear

from attention import checks

PARTS = ("query_proj", "key_proj", "value_proj")  # in the order in which they are packed


class Projection(NamedTuple):
    """Some rows of a stack of projections, as one of them."""

    weight: Float[Tensor, "width embed_dim"]
    bias: Float[Tensor, "width"] | None

    def __call__(self, x: Float[Tensor, "*batch embed_dim"]) -> Float[Tensor, "*batch width"]:
        return linear(x, self.weight, self.bias)


def stack(layers: list[nn.Linear]) -> tuple[nn.Parameter, nn.Parameter | None]:
    """Weights and biases of several layers, one below the other."""
    weight = nn.Parameter(torch.cat([layer.weight.detach() for layer in layers]))
    if layers[0].bias is None:
        return weight, None
    return weight, nn.Parameter(torch.cat([layer.bias.detach() for layer in layers]))


def join(
    state: MutableMapping[str, Any], prefix: str, kinds: Sequence[str], rows: Sequence[int]
) -> None:
    """Pack the projections of a state that has them apart, as most models keep them.

    What does not fit stays as it is: torch then names what is missing and what is not expected.
    """
    for kind in kinds:
        names, whole = [f"{prefix}{part}.{kind}" for part in PARTS], f"{prefix}in_proj_{kind}"
        if whole not in state and fit([state.get(name) for name in names], rows):
            state[whole] = torch.cat([state.pop(name) for name in names])


def fit(parts: Sequence[Any], rows: Sequence[int]) -> bool:
    """Whether these are tensors of so many rows, and alike in all else."""
    if not all(isinstance(part, Tensor) and part.ndim for part in parts):
        return False
    like = {(part.shape[1:], part.dtype, part.device) for part in parts}
    return len(like) == 1 and [part.shape[0] for part in parts] == [*rows]


def from_torch(ours: type[Any], theirs: nn.MultiheadAttention) -> Any:
    """Our module, made of this class, with the weights of torch's."""
    checks.from_torch(theirs)
    like = theirs.out_proj.weight
    made = ours(
        theirs.embed_dim,
        theirs.num_heads,
        bias=theirs.in_proj_bias is not None,
        dropout=theirs.dropout,
        device=like.device,
        dtype=like.dtype,
    )
    return like_this(made, theirs)


def to_torch(ours: Any) -> nn.MultiheadAttention:
    """Torch's module, with the weights of ours."""
    checks.to_torch(ours)
    like = ours.out_proj.weight
    made = nn.MultiheadAttention(
        ours.embed_dim,
        ours.num_heads,
        dropout=ours.dropout,
        bias=ours.out_proj.bias is not None,
        batch_first=True,
        device=like.device,
        dtype=like.dtype,
    )
    return like_this(made, ours)


def like_this(made: Any, given: Any) -> Any:
    """With the weights of the other, of which those learn that learn there, and in its mode."""
    made.load_state_dict(given.state_dict())
    for name, part in given.named_parameters():
        made.get_parameter(name).requires_grad_(part.requires_grad)
    return made.train(given.training)
