"""A mask as the tensor that a backend needs; a small one is made once for all calls."""

from typing import NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from attention import checks
from attention.kept import Kept
from attention.masks.base import Mask
from attention.transforms import transformed

# Scores. To ask a causal window of 64 tokens takes half as long as to attend.
SMALL = 1 << 18


class Table(NamedTuple):
    """What is left of a mask for some queries and keys."""

    columns: slice | None  # the keys that may be seen; None: all
    keep: Bool[Tensor, "..."] | None  # which query sees which of them; None: each sees all
    whole: bool  # whether each query surely sees a key, and each key is seen


kept: Kept[Table] = Kept(32)  # of at most 256 KiB each


def table(mask: Mask, queries: int, keys: int, device: torch.device, narrow: bool) -> Table:
    """The mask as a tensor, of those keys alone that may be seen if `narrow`.

    One query in a window of 256 of 2048 keys takes 1.2 times what torch takes for those 256 alone;
    with a mask over all keys it took 52 times that.
    """
    rows = slice(0, queries)
    # While compiling, which would be anew as a cache outgrows a window; and where a mask may hold
    # what nobody can look at.
    if torch.compiler.is_compiling() or transformed():
        return Table(None, mask.tile(queries, keys, rows, slice(0, keys), device), whole=False)

    def make() -> Table:
        checks.counts(mask, queries, keys)
        checks.devices(mask, device)
        told, first, last = mask.over(keys), keys - queries, keys - 1
        start, stop = told.span(first, last, keys) if narrow else (0, keys)
        columns = slice(start, stop) if stop - start < keys else None
        if start < stop and told.full(first, last, start, stop):
            return Table(columns, None, whole=True)
        keep = told.tile(queries, keys, rows, slice(start, stop), device)
        if not once:
            return Table(columns, keep, whole=False)
        whole = bool(keep.any(dim=-1).all() and keep.any(dim=-2).all())
        return Table(columns, keep.contiguous(), whole)

    size = (mask.batch or 1) * (mask.heads or 1) * queries * keys
    once = queries > 1 and size <= SMALL and device.type == "cpu"  # a cache grows with each query
    return kept.get(mask, (queries, keys, narrow), make) if once else make()
