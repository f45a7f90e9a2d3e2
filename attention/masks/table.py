"""A small mask as a tensor, made once for all calls with an equal one."""

from typing import NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from attention import checks
from attention.kept import Kept, value
from attention.masks.base import Mask
from attention.transforms import transformed

# Scores; a larger mask takes less to make than what it is for.
SMALL = 1 << 16


class Table(NamedTuple):
    keep: Bool[Tensor, "..."]
    whole: bool  # whether each query surely sees a key, and each key is seen


kept: Kept[Table] = Kept(64)  # of 64 KiB each


def table(mask: Mask, queries: int, keys: int, columns: slice, device: torch.device) -> Table:
    """Some columns of `to_tensor`.

    At 64 tokens, to ask a causal window takes five times as long as to attend.
    """
    rows = slice(0, queries)
    if torch.compiler.is_compiling() or transformed():
        return Table(mask.tile(queries, keys, rows, columns, device), whole=False)
    size = (mask.batch or 1) * (mask.heads or 1) * queries * (columns.stop - columns.start)
    if device.type != "cpu" or size > SMALL or queries == 1:  # a cache grows with each query
        return Table(mask.tile(queries, keys, rows, columns, device), whole=False)

    checks.devices(mask, device)

    def make() -> Table:
        keep = mask.tile(queries, keys, rows, columns, device).contiguous()
        return Table(keep, bool(keep.any(dim=-1).all() and keep.any(dim=-2).all()))

    return kept.get((value(mask), queries, keys, columns.start, columns.stop), make)
