"""What takes no part: queries that may attend to nothing, keys that nobody may attend to."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention import heads
from attention.booleans import any_along
from attention.transforms import readable

# The length of all queries, keys or values as one vector: with less, no product of theirs is
# infinite, nor one with a usual scale or gradient. A billion numbers of size 1 have 3e4.
ORDINARY = 1e6


def idle_queries(keep: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Which queries may attend to nothing, shape `(…, T, 1)`."""
    return ~any_along(keep, -1)


def unread_keys(keep: Bool[Tensor, "..."], size: int) -> Bool[Tensor, "..."]:
    """Which keys no query may attend to, shape `(…, S, 1)`; `size` query heads share a key head."""
    return ~heads.any_of_group(any_along(keep, -2)[..., 0, :], size)[..., None]


def sound(bias: Float[Tensor, "..."]) -> bool:
    """Whether all of a bias is finite, where that can be looked at: by its sum, in one pass.

    Else what masks and what hides are made out, in three tables: that took up to 1.8 times as long
    as to attend.
    """
    return readable(bias) and bool(added_up(bias.detach()).isfinite())


def bounded(
    bias: Float[Tensor, "..."], keep: Bool[Tensor, "..."] | None
) -> tuple[Float[Tensor, "..."], Bool[Tensor, "..."]]:
    """A bias without its −∞, and the mask that has them: what that hides may hold anything."""
    finite = bias != float("-inf")
    keep = finite if keep is None else keep & finite
    return bias.masked_fill(~keep, 0.0), keep


def added_up(numbers: Float[Tensor, "..."]) -> Float[Tensor, ""]:
    """Their sum, of halves in single precision: it may be large."""
    return numbers.sum(dtype=torch.promote_types(numbers.dtype, torch.float32))


def ordinary(*tensors: Tensor) -> bool:
    """Whether 0 times each number is 0: to look takes a tenth of the time of copies without."""
    return all(bool(torch.linalg.vector_norm(x.detach()) < ORDINARY) for x in tensors)


def without(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    idle: Bool[Tensor, "..."] | None,
    unread: Bool[Tensor, "..."] | None,
) -> tuple[
    Float[Tensor, "*heads queries head_dim"],
    Float[Tensor, "*kv_heads keys head_dim"],
    Float[Tensor, "*kv_heads keys value_dim"],
]:
    """Idle queries, and unread keys with their values, made zero: 0 · NaN is NaN."""
    if idle is not None:
        query = query.masked_fill(idle, 0.0)
    if unread is not None:
        key, value = key.masked_fill(unread, 0.0), value.masked_fill(unread, 0.0)
    return query, key, value


def silence(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    keep: Bool[Tensor, "..."],
    idle: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*heads queries head_dim"],
    Float[Tensor, "*kv_heads keys head_dim"],
    Float[Tensor, "*kv_heads keys value_dim"],
    Bool[Tensor, "..."],
    Bool[Tensor, "..."] | None,
]:
    """Make absent queries, keys and values zero, and let an absent query attend to all.

    0 · NaN is NaN, and a row of −inf alone is 0/0. Without either no NaN arises, forward or
    backward. The last of what is returned says which queries are absent, shape `(…, T, 1)`:
    their contexts and weights are to be made zero in the end; None if there are none. They are
    `idle`, if that is known.
    """
    idle = idle_queries(keep) if idle is None else idle
    harmless = readable(query) and ordinary(query, key, value)
    if harmless and not idle.any():
        return query, key, value, keep, None
    unread = None if harmless else unread_keys(keep, heads.group(query, key))
    # An idle query will attend to all, with weights that backward finds anew: of large scores,
    # infinite. So it is made zero in any case.
    return *without(query, key, value, idle, unread), keep | idle, idle
