"""Arguments that are a number or a name."""

import math
import operator
from numbers import Integral, Real
from typing import Any

import torch

from attention.checks.kinds import brief, kind

LARGEST, SMALLEST = torch.finfo(torch.float32).max, torch.finfo(torch.float32).tiny
LONGEST = (1 << 63) - 1  # of int64


def backend(name: object, known: tuple[str, ...]) -> None:
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"backend {brief(name)} is unknown: expected one of {', '.join(known)}")


def scale(value: Any, head_dim: int) -> float:
    """The scale as a float; `1 / sqrt(head_dim)` for None."""
    if value is None:
        return max(head_dim, 1) ** -0.5
    return finite("scale", value)


def softcap(value: Any) -> float | None:
    if value is None:
        return None
    # A smaller one would be 0 in float32, and a score of 0 over it NaN.
    if (number := finite("softcap", value)) < SMALLEST:
        raise ValueError(f"softcap is {number:.3g}: expected a number above 0, or None for no cap")
    return number


def above_zero(name: str, value: Any) -> float:
    if (number := finite(name, value)) <= 0:
        raise ValueError(f"{name} is {number:.3g}: expected a number above 0")
    return number


def epsilon(name: str, value: Any) -> float | None:
    """What is added to a mean square; None for none. 1, for True, would halve it."""
    if value is True or value is False:
        return 1e-6 if value else None
    expected = "True, False, or a float such as 1e-6"
    if isinstance(value, Integral):
        raise TypeError(f"{name} is {value}: expected {expected}")
    real(name, value, expected)
    return above_zero(name, value)


def dropout(name: str, value: Any) -> float:
    number = finite(name, value)
    if not 0 <= number < 1:
        raise ValueError(f"{name} is {number:.3g}: expected a share of at least 0 and below 1")
    return number


def finite(name: str, value: Any) -> float:
    if isinstance(value, float) and -LARGEST <= value <= LARGEST:  # the usual case, and not nan
        return value
    # A size, while exporting. Not covered, since Dynamo reads it and nothing runs it.
    if isinstance(value, torch.SymFloat | torch.SymInt):  # pragma: no cover
        return value  # type: ignore[return-value]
    expected = "a number or None" if name in ("scale", "softcap") else "a number"
    if name == "scale" and isinstance(value, torch.Tensor):
        expected += "; multiply the query by it, with scale=1.0"
    real(name, value, expected)
    try:
        number = float(value)
    except OverflowError:  # an integer too large for any float
        number = math.inf
    if not abs(number) <= LARGEST:  # also so for nan
        raise ValueError(f"{name} is {number:.3g}: expected a finite number of float32")
    return number


def count(name: str, value: Any, least: int) -> int:
    value = whole(name, value)
    if value < least:
        raise ValueError(f"{name} is {value}: expected a count of at least {least}")
    # Torch would compare with it as if it were negative. While compiling it would be a guard.
    if not torch.compiler.is_compiling() and value > LONGEST:
        raise ValueError(f"{name} is {value}: expected a count below 2 ** 63")
    return value


def flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {kind(value)}: expected True or False")


def real(name: str, value: object, expected: str = "a number") -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {kind(value)}: expected {expected}")


def whole(name: str, value: Any) -> int:
    """The number as an integer of Python: NumPy has others."""
    size: Any = value  # a tensor while torch.jit traces, a symbol while exporting
    if isinstance(value, torch.Tensor) and torch._C._get_tracing_state() is not None:
        return size
    if type(value) is int or isinstance(value, torch.SymInt):
        return size
    if isinstance(value, bool) or not isinstance(value, Integral):
        # To Dynamo, which reads this and runs nothing, each number of NumPy's is an array.
        array = torch.compiler.is_dynamo_compiling() and not isinstance(value, float | torch.Tensor)
        if array and getattr(value, "ndim", None) == 0:  # pragma: no cover
            dtype = torch.as_tensor(value).dtype
            if not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool):
                return int(value)
        raise TypeError(f"{name} is {kind(value)}: expected an int")
    return operator.index(value)
