"""What the signs of a formula do with numbers and tables.

A number has no axis, a vector is a table of one row or one column.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from literate.formulas.cursor import Unread

Value = Any  # a number or a table of numpy's


def alike(a: Value, b: Value) -> bool:
    """Whether values of one shape are the same, but for the rounding of single precision."""
    return np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)


def close(a: Value, b: Value) -> bool:
    """Whether they are equal; ∞ is equal to nothing."""
    finite = np.isfinite(a).all() and np.isfinite(b).all()
    return bool(a.shape == b.shape and finite and alike(a, b))


def apart(a: Value, b: Value) -> bool:
    """Whether they are of one shape, and differ."""
    return a.shape == b.shape and not alike(a, b)


def times(a: Value, b: Value) -> Value:
    """The product of numbers, or of tables; one of a row and a column is a number."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[1] != b.shape[0]:
        raise Unread(f"{a.shape} times {b.shape} is no product")
    found = a @ b
    return found[0, 0] if found.shape == (1, 1) else found


def dot(a: Value, b: Value) -> Value:
    """The dot product of two vectors; with a number, the product."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape != b.shape or 1 not in a.shape:
        raise Unread(f"no vectors of one size: {a.shape} and {b.shape}")
    return (a * b).sum()


def plus(a: Value, b: Value) -> Value:
    if a.shape != b.shape:
        raise Unread(f"{a.shape} and {b.shape} are not added")
    return a + b


def over(a: Value, b: Value) -> Value:
    if b.ndim:
        raise Unread("only a number divides")
    return a / b


def power(a: Value, b: Value) -> Value:
    """A power of a number, or the inverse of a table."""
    if a.ndim and b.ndim == 0 and b == -1:
        if a.shape[0] != a.shape[1] or np.linalg.matrix_rank(a) < len(a):
            raise Unread("it has no inverse")
        return np.linalg.inv(a)
    if a.ndim or b.ndim:
        raise Unread("only a number has a power, and is one")
    return a**b


def length(a: Value) -> Value:
    if a.ndim == 0:
        raise Unread("only a vector has a length")
    return np.sqrt(dot(a, a))


def softmax(scores: Value) -> Value:
    """Along each row."""
    if scores.ndim == 0 or scores.shape[1] == 1:
        raise Unread("the softmax of a column, or of a number, is 1")
    risen = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return risen / risen.sum(axis=-1, keepdims=True)


COMPUTED: dict[str, Callable] = {
    "add": plus,
    "less": lambda a, b: plus(a, -b),
    "negative": lambda a: -a,
    "times": times,
    "dot": dot,
    "over": over,
    "power": power,
    "turned": lambda a: a.T,
    "beside": lambda *parts: np.concatenate(parts, axis=1),
}
CALLED: dict[str, Callable] = {
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "max": lambda *each: np.maximum.reduce(each),
    "min": lambda *each: np.minimum.reduce(each),
    "length": length,
    "softmax": softmax,
}
GATHERED: dict[str, Callable] = {"sum": sum, "max": np.maximum.reduce}
RELATED: dict[str, Callable] = {
    "=": close,
    "≠": apart,
    "<": lambda a, b: (a < b).all(),
    ">": lambda a, b: (a > b).all(),
    "≤": lambda a, b: (a <= b).all(),
    "≥": lambda a, b: (a >= b).all(),
}
