"""Bad input, refused in one sentence: the argument, what was expected, what came."""

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

import torch
from torch import Tensor

DTYPES = {torch.float64, torch.float32, torch.float16, torch.bfloat16}
SHAPES = "expected query (…, T, D), key (…, S, D) and value (…, S, E)"


def backend(name: object, known: Iterable[str]) -> None:
    if name not in (names := list(known)):
        raise ValueError(f"backend {name!r} is unknown: expected one of {', '.join(names)}")


def scale(value: Any, head_dim: int) -> float:
    """The scale as a float; `1 / sqrt(head_dim)` for None."""
    if value is None:
        return max(head_dim, 1) ** -0.5
    if isinstance(value, torch.SymFloat | torch.SymInt):  # a size, while exporting
        return value  # type: ignore[return-value]
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"scale is a {type(value).__name__}: expected a number or None")
    try:
        number = float(value)
    except OverflowError:  # an integer too large for any float
        number = math.inf
    if not abs(number) <= torch.finfo(torch.float32).max:  # also so for nan
        raise ValueError(f"scale is {number:.3g}: expected a finite number of float32")
    return number


def inputs(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Check types, then dtypes, devices and shapes, so that the first fault is the one named."""
    named = {"query": query, "key": key, "value": value}
    for name, tensor in named.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}: expected a torch.Tensor")
        if tensor.dtype not in DTYPES:
            raise TypeError(
                f"{name} has dtype {tensor.dtype}: expected float64, float32, float16 or bfloat16"
            )
    for name, tensor in named.items():
        if tensor.dtype != query.dtype:
            raise TypeError(
                f"{name} has dtype {tensor.dtype} but query has {query.dtype}: expected one dtype"
            )
        if tensor.device != query.device:
            raise ValueError(
                f"{name} is on {tensor.device} but query is on {query.device}: expected one device"
            )

    def got() -> str:  # called only where it is raised: a compiler cannot trace it
        return "got " + ", ".join(f"{name} {shape(tensor)}" for name, tensor in named.items())

    for name, tensor in named.items():
        if tensor.ndim < 2:
            raise ValueError(f"{name} has {axes(tensor.ndim)}, too few: {SHAPES}, {got()}")
    for name, tensor in named.items():
        if tensor.shape[:-2] != query.shape[:-2]:
            raise ValueError(
                f"{name} has batch axes {tuple(tensor.shape[:-2])} but query has "
                f"{tuple(query.shape[:-2])}: {SHAPES}, {got()}"
            )
    if key.shape[-1] != query.shape[-1]:
        raise ValueError(
            f"key has width {key.shape[-1]} but query has {query.shape[-1]}: {SHAPES}, {got()}"
        )
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(
            f"value has {positions(value)} but key has {key.shape[-2]}: {SHAPES}, {got()}"
        )


def mask(keep: object, query: Tensor, key: Tensor) -> None:
    if keep is None:
        return
    if isinstance(keep, type):
        name = keep.__name__
        raise TypeError(f"mask is the class {name}: expected an instance, {name}()")
    if not isinstance(keep, Tensor):
        raise TypeError(
            f"mask is a {type(keep).__name__}: expected a Mask, a boolean torch.Tensor or None"
        )
    if keep.dtype != torch.bool:
        raise TypeError(
            f"mask has dtype {keep.dtype}: expected torch.bool, where True means attend"
        )
    if keep.device != query.device:
        raise ValueError(
            f"mask is on {keep.device} but query is on {query.device}: expected one device"
        )
    scores = (*query.shape[:-1], key.shape[-2])
    fits = keep.ndim >= 2 and keep.ndim <= len(scores)
    trailing = scores[len(scores) - keep.ndim :]
    if not fits or any(m not in (1, s) for m, s in zip(keep.shape, trailing, strict=True)):
        raise ValueError(
            f"mask has shape {shape(keep)}: expected (…, T, S), which broadcasts to "
            f"{tuple(scores)}, and at least two axes"
        )


def shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


def axes(count: int) -> str:
    return f"{count} axis" if count == 1 else f"{count} axes"


def positions(tensor: Tensor) -> str:
    count = tensor.shape[-2]
    return f"{count} position" if count == 1 else f"{count} positions"
