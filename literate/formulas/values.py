"""The value of a formula's tree, for given values of its names and of its indices.

A vector is a table of one row, as in the book; a number has no axis.
"""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np
import torch

from literate.formulas.tree import Node, Unread

Given = Mapping[str, object]
Indices = dict[str, int]
COLUMNS = "columns"  # given: vectors are columns

RELATED: dict[str, Callable] = {
    "=": lambda a, b: close(a, b),
    "≠": lambda a, b: not close(a, b),
    "<": lambda a, b: (a < b).all(),
    ">": lambda a, b: (a > b).all(),
    "≤": lambda a, b: (a <= b).all(),
    "≥": lambda a, b: (a >= b).all(),
}


def softmax(scores: np.ndarray) -> np.ndarray:
    risen = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return risen / risen.sum(axis=-1, keepdims=True)


CALLED: dict[str, Callable] = {
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "max": lambda *each: np.maximum.reduce(each),
    "min": lambda *each: np.minimum.reduce(each),
    "length": lambda vector: np.sqrt((vector**2).sum()),
    "softmax": softmax,
}
GATHERED: dict[str, Callable] = {"sum": sum, "max": max, "min": min}


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether they are equal, but for the rounding of single precision."""
    return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=1e-6)


def number(value: object) -> np.ndarray:
    """What a page gives as a name's value, in double precision."""
    plain = value.detach() if hasattr(value, "detach") else value
    return np.asarray(plain, dtype=np.float64)


def value(node: Node, given: Given, at: Indices) -> np.ndarray:
    kind, *parts = node
    if kind == "number":
        return np.float64(parts[0])
    if kind == "name":
        return named(*parts, given, at)
    if kind == "each":
        return gathered(*parts, given, at)
    if kind == "call":
        return called(*parts, given=given, at=at)
    if kind == "over" and parts[0][0] == parts[1][0] == "change":
        (_, (_, above, first)), (_, (_, below, second)) = parts
        return named(f"d{above}_d{below}", [*first, *second], given, at)
    found = [value(part, given, at) for part in parts]
    return COMPUTED[kind](*found)


def named(name: str, below: list, given: Given, at: Indices) -> np.ndarray:
    """A name's value, at its indices; the first of these may be a part of the name, as in W_q."""
    if not below and name in at:
        return np.float64(at[name])
    full, indices = parted(name, below, given)
    if full == "e" and full not in given:
        return np.float64(math.e)
    found = number(given[full])[tuple(spot(one, at) for one in indices)]
    if found.ndim > 2:
        raise Unread(f"{full} has {found.ndim} axes where it stands")
    return vector(found, given)


def vector(found: np.ndarray, given: Given) -> np.ndarray:
    """A vector as a row, or as a column where a page has them so."""
    if found.ndim != 1:
        return found
    return found[:, None] if COLUMNS in given else found[None]


def parted(name: str, below: list, given: Given) -> tuple[str, list]:
    """The longest name that is given, with its subscripts, and the rest of these."""
    for cut in range(len(below), -1, -1):
        full = "_".join([name, *(str(one) for one, _ in below[:cut])])
        if full in given or (full == "e" and not below):
            return full, below[cut:]
    raise Unread(f"no value is given for {name}")


def spot(index: tuple, at: Indices) -> int:
    letter, far = index
    where = letter if isinstance(letter, int) else at[letter] + far
    if where < 0:
        raise IndexError(where)
    return where


def called(name: str, base: list | None, *parts: Node, given: Given, at: Indices) -> np.ndarray:
    found = [value(part, given, at) for part in parts]
    if name == "log":
        return np.log(found[0]) / (math.log(base[0][0]) if base else 1.0)
    if callable(own := given.get(name)):
        return vector(number(own(*map(torch.as_tensor, found))), given)
    return CALLED[name](*found)


def gathered(
    kind: str, where: list, stop: Node | None, body: Node, given: Given, at: Indices
) -> np.ndarray:
    """A sum, or the largest or smallest, over all values of an index that its conditions admit."""
    (letter, _), *conditions = where
    first = [c[1] for c in conditions if c[0] == "="]
    if stop is not None:
        start = int(value(first[0], given, at))
        every = range(start, int(value(stop, given, at)) + 1)
    else:
        every = ranges(body, given, {*at})[letter]
    found = [
        value(body, given, at | {letter: one})
        for one in every
        if all(admits(c, given, at | {letter: one}, letter) for c in conditions if c[0] != "=")
    ]
    if not found:
        raise Unread(f"{letter} has no value")
    return GATHERED[kind](found)


def admits(condition: tuple, given: Given, at: Indices, letter: str) -> bool:
    sign, other = condition
    if sign in RELATED:
        return bool(RELATED[sign](np.float64(at[letter]), value(other, given, at)))
    return asked(given[sign], at)


def asked(condition: Callable, at: Indices) -> bool:
    """What a page's own condition says of the indices that it names; yes where there is one less."""
    names = inspect.signature(condition).parameters
    return not {*names} <= {*at} or bool(condition(*(at[name] for name in names)))


def ranges(node: Node, given: Given, bound: set[str]) -> dict[str, range]:
    """The values that each free index can have: those of the axes that it stands for."""
    found: dict[str, range] = {}
    for letter, far, size in used(node, given, bound):
        here = range(max(0, -far), size - max(0, far))
        before = found.setdefault(letter, here)
        if far == 0 and before != here and len(before) != size:
            found[letter] = range(max(before.start, here.start), min(before.stop, here.stop))
        elif before != here:
            found[letter] = range(max(before.start, here.start), min(before.stop, here.stop))
    return found


def used(node: Node, given: Given, bound: set[str]) -> Iterator[tuple[str, int, int]]:
    """Each free index with how far from it is asked, and the size of the axis that it stands for."""
    kind, *parts = node
    if kind == "each":
        _, ((letter, _), *_), _, body = parts
        yield from used(body, given, bound | {letter})
        return
    if kind == "over" and parts[0][0] == parts[1][0] == "change":
        (_, (_, above, first)), (_, (_, below, second)) = parts
        kind, parts = "name", [f"d{above}_d{below}", [*first, *second]]
    if kind == "name":
        name, below = parts
        if not below:
            return
        full, indices = parted(name, below, given)
        shape = number(given[full]).shape
        if len(indices) > len(shape):
            raise Unread(f"{full} has {len(shape)} axes, and {len(indices)} indices")
        for (letter, far), size in zip(indices, shape, strict=False):
            if isinstance(letter, str) and letter not in bound:
                yield letter, far, size
        return
    for part in parts:
        if isinstance(part, tuple):  # not the name of a function, nor the base of a logarithm
            yield from used(part, given, bound)


def times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of numbers, or of tables; one of a row and a column is a number."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[1] != b.shape[0]:
        raise Unread(f"{a.shape} times {b.shape}")
    found = a @ b
    return found[0, 0] if found.shape == (1, 1) else found


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.ndim and b.ndim:
        if a.shape != b.shape or 1 not in a.shape:
            raise Unread(f"no vectors of one size: {a.shape} and {b.shape}")
        return (a * b).sum()
    return a * b


def added(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.ndim and b.ndim and a.shape != b.shape:
        raise Unread(f"{a.shape} and {b.shape} are not added")
    return a + b


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.ndim:
        if b != -1:
            raise Unread("only a number has a power")
        return np.linalg.inv(a)
    return a**b


def over(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if b.ndim:
        raise Unread("only a number divides")
    return a / b


COMPUTED: dict[str, Callable] = {
    "add": added,
    "less": lambda a, b: added(a, -b),
    "negative": lambda a: -a,
    "times": times,
    "dot": dot,
    "over": over,
    "modulo": lambda a, b: a % b,
    "power": power,
    "turned": lambda a: a.T,
    "beside": lambda *parts: np.concatenate(parts, axis=1),
}


def every(node: Node, given: Given) -> Iterator[Indices]:
    """All values of the free indices."""
    found = ranges(node, given, set())
    for values in product(*found.values()):
        yield dict(zip(found, values, strict=True))


def values(node: Node, given: Given) -> object:
    """What it is, for all values of its free indices."""
    found = [value(node, given, at) for at in every(node, given)]
    sizes = [len(one) for one in ranges(node, given, set()).values()]
    return np.reshape(found, (*sizes, *found[0].shape)).tolist()


def holds(node: Node, given: Given, where: Callable | None) -> bool:
    """Whether a relation holds for all values of its free indices, of which there is one.

    Of two that say the same, whether both do or neither.
    """
    if node[0] == "same":
        return holds(node[1], given, where) == holds(node[2], given, where)
    first, *rest = node[1:]
    any_at_all = False
    for at in every(node, given):
        if where is not None and not asked(where, at):
            continue
        any_at_all = True
        left = value(first, given, at)
        for sign, side in zip(rest[::2], rest[1::2], strict=True):
            right = value(side, given, at)
            if not RELATED[sign](left, right):
                return False
            left = right
    if not any_at_all:
        raise Unread("its indices have no value")
    return True
