"""Queries, keys and values: types, then dtypes, devices and shapes; the first fault is named."""

import torch
from torch import Tensor

from attention.checks.tensors import DTYPES, counted, floats, one_device, one_dtype

SHAPES = "expected query (…, T, D), key (…, S, D) and value (…, S, E)"
HEADS = "expected query (…, H, T, D), key (…, K, S, D) and value (…, K, S, E), H a multiple of K"


def usual(query: Tensor, key: Tensor, value: Tensor, whole: bool = False) -> bool:
    """Whether these go together, in 1 to 2 µs a call: by whole sizes where those may be known.

    What is asked of sizes while compiling holds for each later call, and queries would have to be
    as many as keys, or never so. Slices alone ask less, and take a microsecond more.
    """
    if not (isinstance(query, Tensor) and isinstance(key, Tensor) and isinstance(value, Tensor)):
        return False
    if query.is_nested or key.is_nested or value.is_nested:  # which has no shape
        return False
    if not (query.layout is key.layout is value.layout is torch.strided):
        return False
    q, k, v = query.shape, key.shape, value.shape
    dtype = query.dtype
    return (
        dtype in DTYPES
        and dtype is key.dtype
        and dtype is value.dtype
        # A device is made anew each time it is asked for.
        and (
            (query.is_cpu and key.is_cpu and value.is_cpu)
            or query.device == key.device == value.device
        )
        and len(q) == len(k) == len(v) > 1
        and ((whole and k == v) or k[:-1] == v[:-1])
        and ((whole and q == k) or (q[-1] == k[-1] and (q[:-2] == k[:-2] or shares(q, k))))
    )


def shares(q: torch.Size, k: torch.Size) -> bool:
    """Whether heads of queries share heads of keys."""
    return q[:-3] == k[:-3] and 0 < k[-3] < q[-3] and q[-3] % k[-3] == 0


def explain(query: Tensor, key: Tensor, value: Tensor) -> None:
    """A longer look, for what is wrong with the rest."""
    named = {"query": query, "key": key, "value": value}
    for name, tensor in named.items():
        floats(name, tensor)
    for name, tensor in named.items():
        one_dtype(name, tensor, "query", query)
        one_device(name, tensor, "query", query)
    shapes(query.shape, key.shape, value.shape)


def shapes(query: torch.Size, key: torch.Size, value: torch.Size) -> None:
    named = {"query": query, "key": key, "value": value}

    def got() -> str:  # called only where it is raised: a compiler cannot trace it
        return "got " + ", ".join(f"{name} {tuple(size)}" for name, size in named.items())

    for name, size in named.items():
        if len(size) < 2:
            raise ValueError(f"{name} has {counted(len(size), 'axis')}, too few: {SHAPES}, {got()}")
    for name, size in named.items():
        if len(size) != len(query):
            raise ValueError(
                f"{name} has {counted(len(size), 'axis')} but query has {len(query)}: "
                f"{SHAPES}, {got()}"
            )
        if size[:-3] != query[:-3]:
            raise ValueError(
                f"{name} has batch axes {tuple(size[:-3])} but query has {tuple(query[:-3])}: "
                f"{HEADS}, {got()}"
            )
    if value[:-2] != key[:-2]:
        raise ValueError(
            f"value has {counted(value[-3], 'head')} but key has {key[-3]}: {HEADS}, {got()}"
        )
    grouped = query[:-2] != key[:-2]
    if grouped and not (0 < key[-3] <= query[-3] and query[-3] % key[-3] == 0):
        raise ValueError(
            f"key has {counted(key[-3], 'head')} but query has {query[-3]}: {HEADS}, {got()}"
        )
    if key[-1] != query[-1]:
        raise ValueError(f"key has width {key[-1]} but query has {query[-1]}: {SHAPES}, {got()}")
    if value[-2] != key[-2]:
        raise ValueError(
            f"value has {counted(value[-2], 'position')} but key has {key[-2]}: {SHAPES}, {got()}"
        )
