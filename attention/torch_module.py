"""Our module with the weights of torch's own, and torch's with ours."""

from typing import Any

from torch import nn

from attention import checks


def from_torch(ours: type[Any], theirs: nn.MultiheadAttention) -> Any:
    """Our module, made of this class, with the weights of torch's."""
    checks.from_torch(theirs)
    like = theirs.out_proj.weight
    made = ours(
        theirs.embed_dim,
        theirs.num_heads,
        bias=theirs.in_proj_bias is not None,
        dropout=theirs.dropout,
        device="meta",  # nothing is drawn: all of it is loaded
        dtype=like.dtype,
    )
    return like_this(made.to_empty(device=like.device), theirs)


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
        device="meta",
        dtype=like.dtype,
    )
    return like_this(made.to_empty(device=like.device), ours)


def like_this(made: Any, given: Any) -> Any:
    """With the weights of the other, of which those learn that learn there, and in its mode."""
    made.load_state_dict(given.state_dict())
    for name, part in given.named_parameters():
        made.get_parameter(name).requires_grad_(part.requires_grad)
    return made.train(given.training)
