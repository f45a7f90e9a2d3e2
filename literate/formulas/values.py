"""The value of a formula's tree, for given values of its names and of its indices."""

import re
from collections.abc import Callable

import numpy as np
import torch

from literate.formulas.arithmetic import CALLED, COMPUTED, GATHERED, RELATED, Value
from literate.formulas.cursor import Unread
from literate.formulas.indices import Given, Indices, every, named_by, number, parted, ranges
from literate.formulas.nodes import Node

VECTOR = re.compile("[a-z](_[a-z]+)*")  # what is bold if it is one
COLUMNS = "columns"  # given: vectors are columns


def holds(node: Node, given: Given, where: Callable | None) -> bool:
    """Whether a relation holds for all values of its free indices; there must be one.

    Of two that say the same, whether both do or neither.
    """
    if node[0] == "same":
        return holds(node[1], given, where) == holds(node[2], given, where)
    here = [at for at in every(node, given) if where is None or asked(where, at)]
    if not here:
        raise Unread("its indices have no value")
    return all(related(node, given, at) for at in here)


def related(node: Node, given: Given, at: Indices) -> bool:
    _, first, *rest = node
    left = value(first, given, at)
    for sign, side in zip(rest[::2], rest[1::2], strict=True):
        right = value(side, given, at)
        if not RELATED[sign](left, right):
            return False
        left = right
    return True


def values(node: Node, given: Given) -> object:
    """What it is for all values of its free indices, an axis for each."""
    found = [value(node, given, at) for at in every(node, given)]
    sizes = [len(one) for one in ranges(node, given, set()).values()]
    return np.reshape(found, (*sizes, *found[0].shape)).tolist()


def value(node: Node, given: Given, at: Indices) -> Value:
    kind, *parts = node
    if kind == "number":
        return np.float64(parts[0])
    if kind == "name":
        return value_at(*parts, given=given, at=at)
    if kind == "each":
        return gathered(node, given, at)
    if kind == "call":
        return called(*parts, given=given, at=at)
    return COMPUTED[kind](*(value(part, given, at) for part in parts))


def value_at(name: str, below: list, bold: bool, given: Given, at: Indices) -> Value:
    """The value of a name where its indices say; an index by itself is a number."""
    if not below and name in at:
        return np.float64(at[name])
    full, indices = parted(name, below, given)
    found = number(given[full])[tuple(spot(one, at) for one in indices)]
    if found.ndim > 2:
        raise Unread(f"{full} has {found.ndim} axes where it stands")
    if bold and found.ndim == 0:
        raise Unread(f"{full} is a number, and bold")
    if found.ndim == 1 and not bold and VECTOR.fullmatch(full):
        raise Unread(f"{full} is a vector, and not bold")
    return vector(found, given)


def spot(index: tuple, at: Indices) -> int:
    letter, far = index
    found = (letter if isinstance(letter, int) else at[letter]) + far
    if found < 0:
        raise Unread(f"nothing stands at {found}")
    return found


def vector(found: np.ndarray, given: Given) -> Value:
    """A vector as a row, or as a column where a page has them so."""
    if found.ndim != 1:
        return found
    return found[:, None] if COLUMNS in given else found[None]


def called(name: str, base: list, *parts: Node, given: Given, at: Indices) -> Value:
    """The value of a function, of the page's own if it gives one."""
    found = [value(part, given, at) for part in parts]
    if callable(own := given.get(name)):
        return vector(number(own(*map(torch.as_tensor, found))), given)
    if len(found) > 1 and name not in ("max", "min"):
        raise Unread(f"{name} is of one, and {len(found)} are given")
    if name == "log":
        return np.log(found[0]) / np.log(base[0][0])
    return CALLED[name](*found)


def gathered(node: Node, given: Given, at: Indices) -> Value:
    """A sum, or the largest or least, over all values of an index that its conditions admit."""
    _, kind, ((letter, _), *conditions), stop, body = node
    if letter in at:
        raise Unread(f"{letter} is free, and that of a {kind}")
    if stop is None:
        if letter not in (found := ranges(body, given, {*at})):
            raise Unread(f"nothing stands at {letter}")
        all_of = found[letter]
    else:
        (_, start), *conditions = conditions
        ends = [float(value(end, given, at)) for end in (start, stop)]
        if not all(end.is_integer() for end in ends):
            raise Unread(f"a sum from {ends[0]:g} to {ends[1]:g} is not read")
        all_of = range(int(ends[0]), int(ends[1]) + 1)
    each = [at | {letter: one} for one in all_of]
    for condition in conditions:
        each = [now for now in each if admits(condition, letter, given, now)]
    found = [value(body, given, now) for now in each]
    if not found:
        raise Unread(f"{letter} has no value")
    return GATHERED[kind](found)


def admits(condition: tuple, letter: str, given: Given, at: Indices) -> bool:
    """Whether a value of an index is one of those that a sum is over."""
    sign, other = condition
    if sign in RELATED:
        return bool(RELATED[sign](np.float64(at[letter]), value(other, given, at)))
    if sign not in given:
        raise Unread(f"no condition is given for {sign}")
    if missing := {*named_by(given[sign])} - {*at}:
        raise Unread(f"{sign} asks for {min(missing)}, which is no index here")
    return asked(given[sign], at)


def asked(condition: Callable, at: Indices) -> bool:
    """What a page's condition says of the indices that it names; yes if one of them is not here."""
    names = named_by(condition)
    return not {*names} <= {*at} or bool(condition(*(at[name] for name in names)))
