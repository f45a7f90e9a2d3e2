"""Heads: split off and merged again; in groups, head `h` reads key head `h // group size`."""

from jaxtyping import Bool, Float, Shaped
from torch import Tensor


def group(query: Float[Tensor, "..."], key: Float[Tensor, "..."]) -> int:
    """How many query heads read one key head; 1 without heads."""
    if query.shape[:-2] == key.shape[:-2]:
        return 1
    return query.shape[-3] // key.shape[-3]


def fold(
    rows: Float[Tensor, "*heads queries width"], size: int
) -> Float[Tensor, "*kv_heads queries_of_group width"]:
    """The queries of a group as more queries of one head: so keys need no copy."""
    if size == 1:
        return rows
    *batch, heads, queries, width = rows.shape
    return rows.reshape(*batch, heads // size, size * queries, width)


def unfold(
    rows: Float[Tensor, "*kv_heads queries_of_group width"], size: int
) -> Float[Tensor, "*heads queries width"]:
    """Each query to its own head again."""
    if size == 1:
        return rows
    *batch, kv_heads, queries, width = rows.shape
    return rows.reshape(*batch, kv_heads * size, queries // size, width)


def any_of_group(heads: Bool[Tensor, "*heads keys"], size: int) -> Bool[Tensor, "*kv_heads keys"]:
    """Where at least one query head of a group has True; one row may stand for all heads."""
    if size == 1 or heads.ndim < 2 or heads.shape[-2] == 1:
        return heads
    return heads.unflatten(-2, (-1, size)).any(dim=-2)


def split(
    x: Float[Tensor, "*batch tokens heads_width"], heads: int
) -> Float[Tensor, "*batch {heads} tokens width"]:
    """A part of each token to each head: the parts stay with their token."""
    *batch, width = x.shape
    return x.view(*batch, heads, width // heads).transpose(-3, -2)


def merge(
    x: Float[Tensor, "*batch heads tokens width"],
) -> Float[Tensor, "*batch tokens heads_width"]:
    """What the heads found, side by side again."""
    return x.transpose(-3, -2).flatten(-2)


def four(tensor: Shaped[Tensor, "..."]) -> Shaped[Tensor, "batch heads rows width"]:
    """All batch axes as one; a batch of one and a head of one where there is none."""
    if tensor.ndim > 4:
        return tensor.flatten(0, -4)
    while tensor.ndim < 4:
        tensor = tensor[None]
    return tensor
