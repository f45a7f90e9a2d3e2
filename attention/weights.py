"""Weights of projections: one by one as here, or packed into one as nn.MultiheadAttention's."""

from collections.abc import Mapping

import torch
from torch import Tensor

PARTS = ("query_proj", "key_proj", "value_proj")  # in the order in which torch packs them
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
