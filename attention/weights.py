"""Weights of projections: one by one as here, or packed into one as nn.MultiheadAttention's."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from attention import checks

PARTS = ("query_proj", "key_proj", "value_proj")  # in the order in which they are packed
KINDS = ("weight", "bias")


def unpacked(theirs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The state of torch's module as the state of ours."""
    ours = {name: x for name, x in theirs.items() if name.startswith("out_proj.")}
    for kind in KINDS:
        if f"in_proj_{kind}" in theirs:
            parts = theirs[f"in_proj_{kind}"].chunk(3)
            ours |= {f"{name}.{kind}": part for name, part in zip(PARTS, parts, strict=True)}
    return ours


def packed(ours: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The state of our module as the state of torch's."""
    theirs = {name: x for name, x in ours.items() if name.startswith("out_proj.")}
    for kind in KINDS:
        if f"out_proj.{kind}" in ours:
            theirs[f"in_proj_{kind}"] = torch.cat([ours[f"{name}.{kind}"] for name in PARTS])
    return theirs


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
    made.load_state_dict(unpacked(theirs.state_dict()))
    return made.train(theirs.training)


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
    made.load_state_dict(packed(ours.state_dict()))
    return made.train(ours.training)
