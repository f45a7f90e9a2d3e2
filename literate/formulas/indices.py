"""The names of a formula, what is given for them, and which values its free indices have."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from literate.formulas.cursor import Unread
from literate.formulas.nodes import Node

Given = Mapping[str, Any]
Indices = dict[str, int]


def number(value: Any) -> np.ndarray:
    """What a page gives as a name's value, in double precision."""
    plain = value.detach() if hasattr(value, "detach") else value
    return np.asarray(plain, dtype=np.float64)


def parted(name: str, below: list, given: Given) -> tuple[str, list]:
    """The longest name that is given, as `W_q`, and the indices that are left."""
    for cut in range(len(below), -1, -1):
        full = "_".join([name, *(str(letter) for letter, _ in below[:cut])])
        if full in given and not any(far for _, far in below[:cut]):
            return full, below[cut:]
    raise Unread(f"no value is given for {name}")


def named_by(condition: Callable) -> list[str]:
    """The indices that a page's condition asks about, by their names."""
    return [*inspect.signature(condition).parameters]


def every(node: Node, given: Given) -> Iterator[Indices]:
    """All values of the free indices."""
    found = ranges(node, given, set())
    for values in product(*found.values()):
        yield dict(zip(found, values, strict=True))


def ranges(node: Node, given: Given, bound: set[str]) -> dict[str, range]:
    """The values of each free index: those for which all that it stands at is there."""
    found: dict[str, range] = {}
    sizes: dict[str, int] = {}
    for letter, far, size in used(node, given, bound):
        if sizes.setdefault(letter, size) != size:
            raise Unread(f"{letter} stands at {sizes[letter]} values, and at {size}")
        before = found.get(letter, range(size))
        found[letter] = range(max(before.start, -far), min(before.stop, size - far))
    return found


def used(node: Node, given: Given, bound: set[str]) -> Iterator[tuple[str, int, int]]:
    """Each free index, how far from it something stands, and how many values that has."""
    kind, *parts = node
    if kind == "each":
        _, ((letter, _), *_), _, body = parts
        yield from used(body, given, bound | {letter})
    elif kind == "name" and parts[1]:
        full, indices = parted(parts[0], parts[1], given)
        shape = number(given[full]).shape
        if len(indices) > len(shape):
            raise Unread(f"{full} has {len(shape)} axes, and {len(indices)} indices")
        for (letter, far), size in zip(indices, shape, strict=False):
            if isinstance(letter, str) and letter not in bound:
                yield letter, far, size
    elif kind != "name":
        for part in parts:
            if isinstance(part, tuple):  # not a function's name, nor a logarithm's base
                yield from used(part, given, bound)
