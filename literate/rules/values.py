"""The value of an expression as one number, or as a truth value."""

import math
import operator
from typing import Any


def as_number(value: Any) -> float | None:
    """A finite number, a float or an int; None for anything else, truth values and texts too."""
    if truth(value) is not None or isinstance(value, str):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None
    if not math.isfinite(number):
        return None
    try:
        return operator.index(value)  # beyond 2⁵³ a float has not all of them
    except (TypeError, RuntimeError):
        return number


def truth(value: Any) -> bool | None:
    """A truth value as a bool, of Python, torch or numpy; None for anything else."""
    if isinstance(value, bool):
        return value
    if str(getattr(value, "dtype", "")).endswith("bool") and math.prod(value.shape) == 1:
        return bool(value)
    return None
