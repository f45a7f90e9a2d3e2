"""Weights of other modules, which come here or go there."""

import re
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.nn.utils import parametrize

from attention.checks.kinds import kind
from attention.checks.tensors import shape

# Torch's module has one of its own.
LINEAR = nn.Linear, NonDynamicallyQuantizableLinear


def state(theirs: Any) -> None:
    """What a `state_dict` of somebody's attention is."""
    if not isinstance(theirs, Mapping):
        raise TypeError(f"theirs is {kind(theirs)}: expected a state_dict")
    for name, x in theirs.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"theirs has {kind(x)} at {name!r}: expected torch.Tensors")
        if not re.fullmatch(r"[^.]+\.(weight|bias)", str(name)):
            raise ValueError(
                f"theirs has {name!r}: expected names as q_proj.weight or q_proj.bias, of one layer"
            )
        if not x.ndim:
            raise ValueError(f"theirs has a number at {name!r}: expected a matrix or a vector")


def packed(name: str, x: Tensor, parts: int, expected: str) -> None:
    """The rows of several projections, one below the other."""
    if x.shape[0] % parts:
        raise ValueError(f"{name} has shape {shape(x)}: expected rows in a multiple of {expected}")


def from_torch(module: Any) -> None:
    """What of `nn.MultiheadAttention` has a counterpart here."""
    if not isinstance(module, nn.MultiheadAttention):
        raise TypeError(f"module is {kind(module)}: expected nn.MultiheadAttention")
    if type(module).forward is not nn.MultiheadAttention.forward:
        raise TypeError(f"{type(module).__name__} has a forward of its own: expected torch's")
    if not module.batch_first:
        raise ValueError("module has batch_first=False: expected batch_first=True, as it is here")
    if not module._qkv_same_embed_dim:
        raise ValueError(
            f"module has kdim {module.kdim} and vdim {module.vdim}: "
            f"expected both to be embed_dim, {module.embed_dim}"
        )
    if module.bias_k is not None or module.add_zero_attn:
        name = "add_zero_attn" if module.add_zero_attn else "add_bias_kv"
        raise ValueError(f"module has {name}=True: expected False, since it adds a key of its own")
    joined(module)


def to_torch(module: Any) -> None:
    """What of our module has a counterpart in `nn.MultiheadAttention`."""
    heads, head_dim = module.num_heads, module.head_dim
    if module.num_kv_heads != heads:
        raise ValueError(
            f"num_kv_heads is {module.num_kv_heads}: nn.MultiheadAttention has no grouped heads, "
            f"expected num_heads, {heads}"
        )
    if heads * head_dim != module.embed_dim:
        raise ValueError(
            f"head_dim is {head_dim}: nn.MultiheadAttention expects "
            f"embed_dim / num_heads, {module.embed_dim} / {heads}"
        )
    for name, has in (
        ("positions", module.positions is not None),
        ("qk_norm", module.query_norm is not None),
        ("softcap", module.softcap is not None),
        ("scale", module.scale != head_dim**-0.5),
    ):
        if has:
            raise ValueError(f"the module has {name}: nn.MultiheadAttention has none")
    joined(module)


def joined(module: Any) -> None:
    """That all weights are its own, which go over by their names."""
    if parametrize.is_parametrized(module):
        name = next(iter(module.parametrizations))
        raise TypeError(f"{name} of the module is parametrized: expected a plain nn.Parameter")
    layer = module.out_proj
    if type(layer) not in LINEAR:
        raise TypeError(f"out_proj is {kind(layer)}: expected nn.Linear itself")
    kinds = ("weight",) if module.in_proj_bias is None else ("weight", "bias")
    names = [f"{part}{each}" for each in kinds for part in ("in_proj_", "out_proj.")]
    if odd := sorted({*names} ^ {*module.state_dict()}):
        raise TypeError(f"the module differs by {', '.join(odd)}: expected {', '.join(names)}")
    width = module.embed_dim
    if layer.weight.shape != (width, width):
        raise ValueError(
            f"out_proj.weight has shape {shape(layer.weight)}: expected {(width, width)}"
        )
