"""Where tokens stand, and how heads are told."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from attention.checks.kinds import brief, kind
from attention.checks.numbers import count
from attention.checks.tensors import (
    DTYPES,
    as_many,
    broadcasts,
    counted,
    integers,
    one_device,
    strided,
)


def turned(x: Any, at: Any) -> None:
    """Tokens that are turned, and the positions to which."""
    if not isinstance(x, Tensor) or x.dtype not in DTYPES:
        came = f"has dtype {x.dtype}" if isinstance(x, Tensor) else f"is {kind(x)}"
        expected = "a torch.Tensor of float64, float32, float16 or bfloat16"
        raise TypeError(f"x {came}: expected {expected}")
    strided("x", x)
    if x.ndim < 2:
        raise ValueError(f"x has {counted(x.ndim, 'axis')}, too few: expected (…, T, D)")
    integers("at", at)
    one_device("at", at, "x", x)
    axes = tuple(x.shape[:-1])
    if not broadcasts(tuple(at.shape), axes):
        raise ValueError(
            f"at has shape {tuple(at.shape)}: expected one that broadcasts to {axes}, "
            f"the axes of x {tuple(x.shape)} but the last; with heads, (batch, 1, T)"
        )


def floating(dtype: object) -> None:
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise TypeError(
            f"dtype is {brief(dtype)}: expected one of floating point, as torch.float32"
        )


def even(name: str, value: int) -> int:
    value = count(name, value, 2)
    if value % 2:
        raise ValueError(f"{name} is {value}: expected an even count, since numbers turn in pairs")
    return value


def layout(name: object, known: Iterable[str]) -> None:
    names = list(known)
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"layout is {brief(name)}: expected {' or '.join(map(repr, names))}")


def rotated(width: int | None, head_dim: int) -> None:
    """How many numbers of a head turn."""
    if width is None:
        even("head_dim", head_dim)
    elif width > head_dim:
        raise ValueError(f"head_dim is {head_dim}: expected the width that turns, {width}, or more")


def placed(way: object, base: type) -> None:
    """The positions of a module."""
    if isinstance(way, type) and issubclass(way, base):
        name = way.__name__
        raise TypeError(f"positions is the class {name}: expected an instance, {name}()")
    if not isinstance(way, base):
        raise TypeError(
            f"positions is {kind(way)}: expected Rotary(), ALiBi(), Positions of your own or None"
        )


def first(starts: object, query: Tensor) -> None:
    """Where the sequences of a padded batch begin, as a mask says it."""
    if not isinstance(starts, Tensor):
        return
    if starts.device != query.device:
        raise ValueError(
            f"mask holds lengths on {starts.device} but query is on {query.device}: "
            "expected one device"
        )
    as_many(starts.shape[0], tuple(query.shape[:-2]))
