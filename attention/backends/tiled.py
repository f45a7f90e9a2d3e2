"""Attention tile by tile: the memory it takes grows with the length, not with its square."""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention import autocast, checks
from attention.heads import any_of_group, fold, group, unfold
from attention.masks import Mask
from attention.masks.moved import moved
from attention.transforms import unseen

ROWS, COLUMNS = 128, 512  # how many queries, and how many keys, make a tile


def tiled(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    keep: Mask | Bool[Tensor, "..."] | None,
    bias: Float[Tensor, "..."] | None,
    scale: float,
    softcap: float | None,
    dropout_p: float,
) -> tuple[Float[Tensor, "*heads queries value_dim"], None]:
    """Go through the keys a tile at a time; of what is behind, keep a maximum, a sum, a context.

    Source:
        Milakov and Gimelshein, *Online normalizer calculation for softmax* (2018), section 3;
        Dao et al., *FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness*
        (2022), algorithms 1 and 4.
    """
    if bias is not None:
        if not unseen() and bias.is_inference():  # which cannot be saved
            bias = bias.clone()
        bias = bias.expand(*bias.shape[:-2], query.shape[-2], key.shape[-2])
    context: Tensor = Tiled.apply(query, key, value, bias, keep, scale, softcap)[0]
    return context, None


class Tiled(torch.autograd.Function):
    """Context and log-sum-exp of each query.

    The weights are not kept: from the log-sum-exp, backward has them anew, tile by tile. Both
    ways are made of operations that can be differentiated themselves.
    """

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        bias: Tensor | None,
        keep: Mask | Tensor | None,
        scale: float,
        softcap: float | None,
    ) -> tuple[Tensor, Tensor]:
        size = group(query, key)
        contexts, sums = [], []
        for rows in tiles(query.shape[-2], ROWS):
            asked = wide(query[..., rows, :])
            total = asked.new_zeros(*asked.shape[:-1], 1)  # (…, H, R, 1)
            top = torch.full_like(total, torch.finfo(total.dtype).min)
            context = asked.new_zeros(*asked.shape[:-1], value.shape[-1])
            for _, q, k, v, b, seen in visible(query, key, value, bias, keep, rows):
                scores = score(q, k, b, seen, size, scale, softcap)[0]  # (…, H, R, C)
                higher = top.maximum(scores.amax(dim=-1, keepdim=True))
                shrink, shares = (top - higher).exp(), (scores - higher).exp()
                total = total * shrink + shares.sum(dim=-1, keepdim=True)
                context = context * shrink + unfold(fold(shares, size) @ v, size)
                top = higher
            idle = total == 0  # a query that may attend to nothing keeps its zeros
            contexts.append((context / total.masked_fill(idle, 1.0)).to(query.dtype))
            sums.append((top + total.log()).masked_fill(idle, 0.0))
        context, total = torch.cat(contexts, dim=-2), torch.cat(sums, dim=-2)
        # The mask's tensors too: torch then says if they were changed before backward asks again.
        ctx.save_for_backward(query, key, value, bias, context, total, *tensors(keep))
        ctx.rest = moved(keep, query.device, {}), scale, softcap  # a copy, with the numbers of now
        return context, total

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        # As forward ran: the weights must be those of its sums.
        run = autocast.off(gradients, grads[0].device.type)
        return run(ctx.saved_tensors, *ctx.rest, *grads)


def gradients(
    saved: tuple[Any, ...],
    keep: Mask | Tensor | None,
    scale: float,
    softcap: float | None,
    of_context: Tensor,
    of_total: Tensor,
) -> tuple[Tensor | None, ...]:
    """Of query, key, value and bias; none of the other arguments."""
    query, key, value, bias, context, total, *_ = saved
    size = group(query, key)
    of_query, of_bias = [], []
    of_key = [wide(torch.zeros_like(k)) for k in key.split(COLUMNS, dim=-2)]
    of_value = [wide(torch.zeros_like(v)) for v in value.split(COLUMNS, dim=-2)]
    for rows in tiles(query.shape[-2], ROWS):
        # Not by a slice, for which torch has no rule where several gradients come at once.
        some = -2, rows.start, rows.stop - rows.start
        grad, of_sums = wide(of_context.narrow(*some)), of_total.narrow(*some)
        same = (grad * context[..., rows, :]).sum(dim=-1, keepdim=True) - of_sums  # (…, H, R, 1)
        of_rows = wide(torch.zeros_like(query[..., rows, :]))
        of_tiles = [] if bias is None else list(bias[..., rows, :].split(COLUMNS, dim=-1))
        of_tiles = [torch.zeros_like(tile) for tile in of_tiles]
        for n, q, k, v, b, seen in visible(query, key, value, bias, keep, rows):
            scores, slope = score(q, k, b, seen, size, scale, softcap)
            weights = (scores - total[..., rows, :]).exp()  # (…, H, R, C)
            of_value[n] = of_value[n] + fold(weights, size).mT @ fold(grad, size)
            of_scores = weights * (unfold(fold(grad, size) @ v.mT, size) - same)
            if b is not None:
                of_tiles[n] = of_scores.sum_to_size(b.shape)
            of_scores = of_scores * slope * scale
            of_rows = of_rows + unfold(fold(of_scores, size) @ k, size)
            of_key[n] = of_key[n] + fold(of_scores, size).mT @ fold(q, size)
        of_query.append(of_rows)
        of_bias += [torch.cat(of_tiles, dim=-1)] if of_tiles else []
    found = [torch.cat(parts, dim=-2).to(query.dtype) for parts in (of_query, of_key, of_value)]
    return *found, torch.cat(of_bias, dim=-2) if of_bias else None, None, None, None


def visible(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    keep: Mask | Tensor | None,
    rows: slice,
) -> Iterator[tuple[int, Tensor, Tensor, Tensor, Tensor | None, Tensor | None]]:
    """The tiles of some queries that a mask does not empty: their number, query, key and value,
    bias, and which query sees which key (None: all).
    """
    if isinstance(keep, Mask):  # some rules know their span only when told
        keep = keep.over(key.shape[-2])
    for n, columns in enumerate(tiles(key.shape[-2], COLUMNS)):
        seen, some = look(keep, rows, columns, query, key)
        if not some or columns.stop == 0:
            continue
        q, k, v = (
            wide(query[..., rows, :]),
            wide(key[..., columns, :]),
            wide(value[..., columns, :]),
        )
        b = None
        if bias is not None:
            b = wide(bias[..., rows, columns])
            finite = b != float("-inf")
            seen = finite if seen is None else seen & finite
            b = b.masked_fill(~finite, 0.0)
        if seen is not None:  # 0 · NaN is NaN: what takes no part is made 0
            read = any_of_group(seen.any(dim=-2), group(query, key))[..., None]
            q = q.masked_fill(~seen.any(dim=-1, keepdim=True), 0.0)
            k, v = k.masked_fill(~read, 0.0), v.masked_fill(~read, 0.0)
        yield n, q, k, v, b, seen


def look(
    keep: Mask | Tensor | None, rows: slice, columns: slice, query: Tensor, key: Tensor
) -> tuple[Tensor | None, bool]:
    """The mask of a tile, None if all is seen; and whether anything is."""
    if keep is None:
        return None, True
    queries, keys = query.shape[-2], key.shape[-2]
    hidden = unseen()  # what holds now need not hold in a later call
    if isinstance(keep, Mask) and not hidden:
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
    if hidden or tile.is_meta:  # there are no values to look at
        return tile, True
    return (None if tile.all() else tile), bool(tile.any())


def tensors(keep: Mask | Tensor | None) -> list[Tensor]:
    """What a mask is made of."""
    if isinstance(keep, Tensor):
        held = [keep]
    else:
        held = [] if keep is None else [tensor for *_, tensor in checks.held(keep)]
    # Those of inference mode cannot be saved, nor be changed outside of it.
    return [x for x in held if unseen() or not x.is_inference()]


def score(
    query: Tensor,
    key: Tensor,
    bias: Tensor | None,
    seen: Tensor | None,
    size: int,
    scale: float,
    softcap: float | None,
) -> tuple[Tensor, Tensor | float]:
    """The scores of a tile, −∞ where nothing is seen, and their slope in the products."""
    scores, slope = unfold(fold(query * scale, size) @ key.mT, size), 1.0
    if softcap is not None:
        bent = (scores / softcap).tanh()
        scores, slope = softcap * bent, 1.0 - bent.square()
    if bias is not None:
        scores = scores + bias
    if seen is not None:
        scores = scores.masked_fill(~seen, float("-inf"))
    return scores, slope


def tiles(count: int, size: int) -> Iterator[slice]:
    for first in range(0, max(count, 1), size):
        yield slice(first, min(first + size, count))


def wide(tensor: Tensor) -> Tensor:
    """In single precision at least: a sum of many small weights needs the digits."""
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))
