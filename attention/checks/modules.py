"""What a module is made with, and what it is called with."""

import torch
from torch import Tensor

from attention import autocast
from attention.checks.kinds import kind
from attention.checks.numbers import count
from attention.checks.tensors import counted, one_device, one_dtype, shape, strided

BY_NAME = "a mask is given by its name, mask="


def sizes(**named: object) -> list[int]:
    return [count(name, value, 1) for name, value in named.items()]


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
        named = f"; {BY_NAME}" if hasattr(x, "to_tensor") else ""
        raise TypeError(f"{name} is {kind(x)}: expected a torch.Tensor{named}")
    strided(name, x)
    if x.dtype is torch.bool:
        raise TypeError(f"{name} has dtype torch.bool: expected numbers; {BY_NAME}")
    if not isinstance(weight, Tensor):  # of a layer of 8 bits it is a method, of a wrapped one None
        if x.ndim < 2:
            what = counted(x.ndim, "axis")
            raise ValueError(f"{name} has {what}: expected (…, tokens, width), got {shape(x)}")
        return
    if not (x.is_floating_point() or x.is_complex()):
        named = "" if name in ("query", "x") else f"; {BY_NAME}"
        raise TypeError(
            f"{name} has dtype {x.dtype}: "
            f"expected vectors of floating point, as nn.Embedding gives{named}"
        )
    width = weight.shape[1]
    if x.ndim < 2 or x.shape[-1] != width:
        what = counted(x.ndim, "axis") if x.ndim < 2 else f"width {x.shape[-1]}"
        raise ValueError(f"{name} has {what}: expected (…, tokens, {width}), got {shape(x)}")
    one_device(name, x, "the module", weight)
    if not autocast.mixes(x, weight):
        one_dtype(name, x, "the module", weight)


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


def stacked(name: str, value: object) -> None:
    raise TypeError(
        f"{name} is set to {kind(value)}: "
        f"expected new numbers, as in {name}.weight.copy_(…) under torch.no_grad()"
    )
