"""The tiles of a table of scores: some queries, some keys, and what a mask leaves of each."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.absent import bounded, idle_queries, unread_keys, without
from attention.heads import group
from attention.masks import Mask
from attention.transforms import traced

ROWS, COLUMNS = 128, 512  # how many queries, and how many keys, make a tile


class Tile(NamedTuple):
    """Some queries and some keys. What takes no part among them is zero, as 0 · NaN is NaN."""

    number: int  # among those of the same queries
    query: Float[Tensor, "*heads rows head_dim"]
    key: Float[Tensor, "*kv_heads columns head_dim"]
    value: Float[Tensor, "*kv_heads columns value_dim"]
    bias: Float[Tensor, "..."] | None
    seen: Bool[Tensor, "..."] | None  # which query sees which key; None: all


def visible(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    bias: Float[Tensor, "..."] | None,
    keep: Mask | Bool[Tensor, "..."] | None,
    rows: slice,
) -> Iterator[Tile]:
    """The tiles of some queries, but for those that a mask empties."""
    if isinstance(keep, Mask):  # some rules know their span only when told
        keep = keep.over(key.shape[-2])
    for n, columns in enumerate(tiles(key.shape[-2], COLUMNS)):
        seen, any_seen = look(keep, rows, columns, query, key)
        if not any_seen or columns.stop == 0:
            continue
        q, k, v = (
            wide(query[..., rows, :]),
            wide(key[..., columns, :]),
            wide(value[..., columns, :]),
        )
        b = None
        if bias is not None:
            b = wide(under(bias, rows)[..., columns])
            b, seen = bounded(b, seen)
        if seen is not None:
            q, k, v = without(q, k, v, idle_queries(seen), unread_keys(seen, group(query, key)))
        yield Tile(n, q, k, v, b, seen)


def look(
    keep: Mask | Tensor | None, rows: slice, columns: slice, query: Tensor, key: Tensor
) -> tuple[Tensor | None, bool]:
    """The mask of a tile, None if all is seen; and whether anything is."""
    if keep is None:
        return None, True
    queries, keys = query.shape[-2], key.shape[-2]
    values_known = not traced()  # else what holds now need not hold in a later call
    if isinstance(keep, Mask) and values_known:
        first, last = rows.start + keys - queries, rows.stop - 1 + keys - queries
        start, stop = keep.span(first, last, keys)
        if columns.stop <= start or stop <= columns.start:
            return None, False
        if keep.full(first, last, columns.start, columns.stop):
            return None, True
    if isinstance(keep, Mask):
        tile = keep.tile(queries, keys, rows, columns, query.device)
    else:
        tile = keep.expand(*keep.shape[:-2], queries, keys)[..., rows, columns]
    if not values_known or tile.is_meta:
        return tile, True
    return (None if tile.all() else tile), bool(tile.any())


def under(bias: Float[Tensor, "..."], rows: slice) -> Float[Tensor, "..."]:
    """The bias of some queries, which may be one for all."""
    return bias if bias.shape[-2] == 1 else bias[..., rows, :]


def tiles(count: int, size: int) -> Iterator[slice]:
    for first in range(0, max(count, 1), size):
        yield slice(first, min(first + size, count))


def wide(tensor: Tensor) -> Tensor:
    """In single precision at least: a sum of many small weights needs the digits."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
