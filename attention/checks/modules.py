"""What a module is made with, and what it is called with."""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.nn.utils import parametrize

from attention import autocast
from attention.checks.numbers import count
from attention.checks.tensors import counted, shape, strided

# Torch's module has one of its own.
LINEAR = nn.Linear, NonDynamicallyQuantizableLinear


def sizes(**named: object) -> None:
    for name, value in named.items():
        count(name, value, 1)


def heads(embed_dim: int, num_heads: int, num_kv_heads: int, head_dim: int | None) -> None:
    if head_dim is None and embed_dim % num_heads:
        raise ValueError(
            f"embed_dim is {embed_dim} and num_heads {num_heads}: "
            "expected a multiple of num_heads, or a head_dim"
        )
    if num_heads % num_kv_heads:
        raise ValueError(
            f"num_heads is {num_heads} and num_kv_heads {num_kv_heads}: "
            "expected a multiple of num_kv_heads"
        )


def tokens(name: str, x: object, weight: object) -> None:
    """The vectors that a module is called with, which its first weight must fit."""
    if not isinstance(x, Tensor):
        named = "; a mask is given by its name, mask=" if hasattr(x, "to_tensor") else ""
        raise TypeError(f"{name} is a {type(x).__name__}: expected a torch.Tensor{named}")
    strided(name, x)
    if x.dtype is torch.bool:
        raise TypeError(
            f"{name} has dtype torch.bool: expected numbers; a mask is given by its name, mask="
        )
    if not isinstance(weight, Tensor):  # of a layer of 8 bits it is a method, of a wrapped one None
        if x.ndim < 2:
            what = counted(x.ndim, "axis")
            raise ValueError(f"{name} has {what}: expected (…, tokens, width), got {shape(x)}")
        return
    width = weight.shape[1]
    if x.ndim < 2 or x.shape[-1] != width:
        what = counted(x.ndim, "axis") if x.ndim < 2 else f"width {x.shape[-1]}"
        raise ValueError(f"{name} has {what}: expected (…, tokens, {width}), got {shape(x)}")
    if x.device != weight.device:
        raise ValueError(
            f"{name} is on {x.device} but the module is on {weight.device}: expected one device"
        )
    exact = torch.float64 in (x.dtype, weight.dtype)  # which autocast leaves alone
    mixed = autocast.active(x) and x.is_floating_point() and not exact
    if x.dtype != weight.dtype and not mixed:
        raise TypeError(
            f"{name} has dtype {x.dtype} but the module has {weight.dtype}: expected one dtype"
        )


def read(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, asks: str = "query") -> None:
    """What a module reads: each by itself, and beside the query, which is right.

    Where nobody asks yet, the key stands in the query's place: `asks` is its name.
    """
    for name, x in (("key", key), ("value", value)):
        tokens(name, x, weight)
    for name, x in (("key", key), ("value", value)):
        if x.shape[:-2] != query.shape[:-2]:
            raise ValueError(
                f"{name} has batch axes {tuple(x.shape[:-2])} but {asks} has "
                f"{tuple(query.shape[:-2])}: expected the same, "
                f"got {asks} {shape(query)} and {name} {shape(x)}"
            )
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(
            f"value has {counted(value.shape[-2], 'token')} but key has {key.shape[-2]}: "
            f"expected as many, got key {shape(key)} and value {shape(value)}"
        )


def state(theirs: Any) -> None:
    """What a `state_dict` of somebody's attention is."""
    if not isinstance(theirs, Mapping):
        raise TypeError(f"theirs is a {type(theirs).__name__}: expected a state_dict")
    for name, x in theirs.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"theirs has a {type(x).__name__} at {name!r}: expected torch.Tensors")
        if not re.fullmatch(r"[^.]+\.(weight|bias)", str(name)):
            raise ValueError(f"theirs has {name!r}: expected names as q_proj.weight or q_proj.bias")
        if not x.ndim:
            raise ValueError(f"theirs has a number at {name!r}: expected a matrix or a vector")


def packed(name: str, x: Tensor, parts: int, expected: str) -> None:
    """The rows of several projections, one below the other."""
    if x.shape[0] % parts:
        raise ValueError(f"{name} has shape {shape(x)}: expected rows in a multiple of {expected}")


def stacked(name: str, value: object) -> None:
    raise TypeError(
        f"{name} is set to a {type(value).__name__}: "
        f"expected new numbers, as in {name}.weight.copy_(…) under torch.no_grad()"
    )


def from_torch(module: Any) -> None:
    """What of `nn.MultiheadAttention` has a counterpart here."""
    if not isinstance(module, nn.MultiheadAttention):
        raise TypeError(f"module is a {type(module).__name__}: expected nn.MultiheadAttention")
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
        raise TypeError(f"out_proj is a {type(layer).__name__}: expected nn.Linear itself")
    kinds = ("weight",) if module.in_proj_bias is None else ("weight", "bias")
    names = [f"{part}{kind}" for kind in kinds for part in ("in_proj_", "out_proj.")]
    if odd := sorted({*names} ^ {*module.state_dict()}):
        raise TypeError(f"the module differs by {', '.join(odd)}: expected {', '.join(names)}")
    width = module.embed_dim
    if layer.weight.shape != (width, width):
        raise ValueError(
            f"out_proj.weight has shape {shape(layer.weight)}: expected {(width, width)}"
        )
