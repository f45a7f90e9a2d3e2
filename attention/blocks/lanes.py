"""A mask as stretches of keys for each query, none of which overlap."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attention.masks import Mask
from attention.masks.intervals import stretches

Made = TypeVar("Made")
Lanes = tuple[Int[Tensor, "lanes batch queries"], Int[Tensor, "lanes batch queries"]]

# A rule of more stretches a query than that is cut into too many blocks to gain anything.
MOST = 6


def lanes(mask: Mask, queries: int, keys: int) -> Lanes | None:
    """Where each stretch starts and where it stops, in the order of the keys.

    A query of fewer stretches than others has empty ones, from `S` to `S`, at the end. None if
    the mask does not know its stretches.
    """
    position = torch.arange(keys - queries, keys)
    found = stretches(mask.over(keys), position, keys)
    if found is None:
        return None
    shape = (1 if mask.batch is None else mask.batch, queries)
    if len(found) > MOST:
        return None
    if not found:
        found = [(keys, keys)]
    start = torch.stack([torch.as_tensor(a).long().expand(shape) for a, _ in found]).clamp(0, keys)
    stop = torch.stack([torch.as_tensor(b).long().expand(shape) for _, b in found]).clamp(0, keys)
    if len(found) > 1:  # to sort a single one takes as long as all else here
        start = start.masked_fill(stop <= start, keys)
        start, order = start.sort(dim=0, stable=True)
        stop = stop.gather(0, order)
        # What an earlier stretch has, a later one leaves to it.
        before = torch.cat([torch.zeros_like(stop[:1]), stop.cummax(dim=0).values[:-1]])
        start = start.maximum(before)
    empty = stop <= start
    start, stop = start.masked_fill(empty, keys), stop.masked_fill(empty, keys)
    used = ~empty.flatten(1).all(dim=1)
    return start[used], stop[used]


def unread(
    starts: Int[Tensor, "lanes batch queries"], stops: Int[Tensor, "lanes batch queries"], keys: int
) -> Bool[Tensor, "batch keys"]:
    """Which keys no query of a sequence sees."""
    marks = torch.zeros(starts.shape[1], keys + 1, dtype=torch.long)
    for start, stop in zip(starts, stops, strict=True):
        marks.scatter_add_(1, start, (start < stop).long())
        marks.scatter_add_(1, stop, -(start < stop).long())
    return marks.cumsum(dim=1)[:, :-1] == 0


def on_cpu(make: Callable[..., Made], *given: Any) -> Made:
    """What is made there, also where another device is the default."""
    usual = torch.get_default_device().type == "cpu"
    with nullcontext() if usual else torch.device("cpu"):  # to enter one takes a fifth of a plan
        return make(*given)
