"""A mask as the tensor that a backend needs; a small one is made once for all calls."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.absent import idle_queries
from attention.backends.suited import REGISTER
from attention.booleans import additive, any_along
from attention.dispatch.sight import in_sight
from attention.heads import four
from attention.kept import Kept
from attention.masks.base import Mask
from attention.transforms import traced

# Entries of a mask that is kept, 1 MiB; as numbers, a quarter of them. To ask a causal window of 64
# tokens takes half as long as to attend.
SMALL, NUMBERS = 1 << 20, 1 << 18


class Dense(NamedTuple):
    """What is left of a mask for some queries and keys."""

    columns: slice | None  # the keys that may be seen; None: all
    keep: Bool[Tensor, "..."] | None  # which query sees which of them; None: each sees all
    whole: bool  # whether each query surely sees a key, and each key is seen
    idle: Bool[Tensor, "..."] | None = None  # which queries see none, if that was looked at
    # What the kernel adds to the scores, on four axes: 0, and −∞ where a query does not see.
    added: Float[Tensor, "..."] | None = None


kept: Kept[Dense] = Kept(16)  # of at most 1.25 MiB each; 2.25 in double precision


def dense(
    mask: Mask,
    queries: int,
    keys: int,
    device: torch.device,
    narrow: bool,
    dtype: torch.dtype | None,
) -> Dense:
    """The mask as a tensor, of those keys alone that may be seen if `narrow`.

    One query in a window of 256 of 2048 keys takes 1.2 times what torch takes for those 256 alone;
    with a mask over all keys it took 52 times that.

    With a `dtype`, a small one is made into what the kernel adds to the scores too. Of booleans the
    kernel makes that in each call: 8 µs of 95 for 64 tokens.
    """
    if traced():  # compiled code would be anew as a cache outgrows a window
        rows, columns = slice(0, queries), slice(0, keys)
        return Dense(None, mask.tile(queries, keys, rows, columns, device), whole=False)

    asked = queries, keys, device, narrow, dtype
    if not small(mask, queries, keys, device):
        return make(mask, *asked)
    return kept.get(mask, asked, lambda: make(mask, *asked))


def make(
    mask: Mask,
    queries: int,
    keys: int,
    device: torch.device,
    narrow: bool,
    dtype: torch.dtype | None,
) -> Dense:
    told, sight = mask.over(keys), in_sight(mask, queries, keys) if narrow else range(keys)
    start, stop = sight.start, sight.stop
    full = start < stop and told.full(keys - queries, keys - 1, start, stop)
    if not full and told.batch is not None:  # else no key that is left is hidden from all
        start, stop = to_registers(start, stop, keys)
    columns = slice(start, stop) if stop - start < keys else None
    if full:
        return Dense(columns, None, whole=True)
    keep = told.tile(queries, keys, slice(0, queries), slice(start, stop), device)
    if device.type == "cpu" and keep.stride(-2) == 0 and queries:  # alike for all queries
        keep = keep[..., :1, :]
    if not small(mask, queries, keys, device):
        return Dense(columns, keep, whole=False)
    idle = idle_queries(keep)
    whole = not idle.any() and bool(any_along(keep, -2).all())
    keep = keep.clone(memory_format=torch.contiguous_format)
    if dtype is None or keep.numel() > NUMBERS:
        return Dense(columns, keep, whole, idle)
    return Dense(columns, keep, whole, idle, additive(four(keep), dtype))


def to_registers(start: int, stop: int, keys: int) -> tuple[int, int]:
    """With hidden keys, up to a multiple of the numbers that a register holds.

    In 32 sequences of 12 heads, 128 tokens with 128 keys take 0.85 of the time of 126.
    """
    stop += min((start - stop) % REGISTER, keys - stop)
    return start - min((start - stop) % REGISTER, start), stop


def small(mask: Mask, queries: int, keys: int, device: torch.device) -> bool:
    """Whether a mask is kept as a tensor; not for one query, whose keys are more in each call."""
    size = (mask.batch or 1) * (mask.heads or 1) * queries * keys
    return queries > 1 and size <= SMALL and device.type == "cpu"
