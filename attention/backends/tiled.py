"""Attention tile by tile: the memory it takes grows with the length, not with its square."""

import math
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention import autocast, holding
from attention.backends.tiles import COLUMNS, ROWS, Tile, tiles, under, visible, wide
from attention.booleans import hide
from attention.heads import fold, group, unfold
from attention.masks import Mask
from attention.masks.moved import moved
from attention.transforms import traced


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
        bias = savable(bias).expand(*bias.shape[:-1], key.shape[-2])
    if isinstance(keep, Tensor):
        keep = savable(keep)
    # By other names: compiled code takes no tensor twice.
    key, value = key.view_as(key), value.view_as(value)
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
            for tile in visible(query, key, value, bias, keep, rows):
                scores = score(tile, size, scale, softcap)[0]  # (…, H, R, C)
                higher = top.maximum(scores.amax(dim=-1, keepdim=True))
                shrink, shares = (top - higher).exp(), (scores - higher).exp()
                total = total * shrink + shares.sum(dim=-1, keepdim=True)
                context = context * shrink + unfold(fold(shares, size) @ tile.value, size)
                top = higher
            idle = total == 0  # may attend to nothing: zeros, also where 0 · ∞ was added
            contexts.append((context / total).masked_fill(idle, 0.0).to(query.dtype))
            sums.append((top + total.log()).masked_fill(idle, math.inf))
        context, lse = torch.cat(contexts, dim=-2), torch.cat(sums, dim=-2)
        # The mask's tensors too: torch then says if they were changed before backward asks again.
        ctx.save_for_backward(query, key, value, bias, context, lse, *tensors(keep))
        # A table is among those, and freed with them. A rule is copied: its numbers may change.
        rule = moved(keep, query.device, {}) if isinstance(keep, Mask) else None
        ctx.rest = rule, scale, softcap
        return context, lse

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        # As forward ran: the weights must be those of its sums.
        run = autocast.off(gradients, grads[0].device.type)
        return run(ctx.saved_tensors, *ctx.rest, ctx.needs_input_grad[3], *grads)


def gradients(
    saved: tuple[Any, ...],
    rule: Mask | None,
    scale: float,
    softcap: float | None,
    bias_learns: bool,
    of_context: Tensor,
    of_lse: Tensor,
) -> tuple[Tensor | None, ...]:
    """Of query, key, value and bias; none of the other arguments."""
    query, key, value, bias, context, lse, *held = saved
    keep = held[0] if rule is None and held else rule  # a tensor is all that is held
    size = group(query, key)
    of_query, of_bias = [], []  # of the bias, the parts of some rows, or what is added for all
    of_key = [nothing(k) for k in key.split(COLUMNS, dim=-2)]
    of_value = [nothing(v) for v in value.split(COLUMNS, dim=-2)]
    for rows in tiles(query.shape[-2], ROWS):
        # Not by a slice, for which torch has no rule where several gradients come at once.
        asked = -2, rows.start, rows.stop - rows.start
        sums, of_sums = lse[..., rows, :], of_lse.narrow(*asked)
        # A query that sees nothing may get any gradient: 0 · NaN is NaN.
        idle = sums == math.inf
        grad = wide(of_context.narrow(*asked)).masked_fill(idle, 0.0)
        same = (grad * context[..., rows, :]).sum(dim=-1, keepdim=True) - of_sums  # (…, H, R, 1)
        of_rows = nothing(query[..., rows, :])
        # Of a bias that does not learn, no table is made.
        biases = under(bias, rows).split(COLUMNS, dim=-1) if bias_learns else ()
        of_biases = [nothing(part) for part in biases]
        for tile in visible(query, key, value, bias, keep, rows):
            n = tile.number
            scores, slope = score(tile, size, scale, softcap)
            weights = (scores - sums).exp()  # (…, H, R, C)
            of_value[n] = of_value[n] + fold(weights, size).mT @ fold(grad, size)
            of_scores = weights * (unfold(fold(grad, size) @ tile.value.mT, size) - same)
            if bias_learns:
                of_biases[n] = of_scores.sum_to_size(of_biases[n].shape)
            of_scores = of_scores * slope * scale
            of_rows = of_rows + unfold(fold(of_scores, size) @ tile.key, size)
            of_key[n] = of_key[n] + fold(of_scores, size).mT @ fold(tile.query, size)
        of_query.append(of_rows.masked_fill(idle, 0.0))
        if bias_learns:
            part = torch.cat(of_biases, dim=-1)
            one = of_bias and bias.shape[-2] == 1
            of_bias = [of_bias[0] + part] if one else [*of_bias, part]
    found = [torch.cat(parts, dim=-2).to(query.dtype) for parts in (of_query, of_key, of_value)]
    return *found, torch.cat(of_bias, dim=-2) if bias_learns else None, None, None, None


def nothing(of: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Zeros made of a tensor: where no tile adds to them, they are its gradient all the same."""
    return wide(of).masked_fill(torch.ones((), dtype=torch.bool, device=of.device), 0.0)


def savable(tensor: Tensor) -> Tensor:
    """A copy of what inference mode made, which cannot be saved, where a gradient may ask for it.

    In that mode itself nobody asks: there a copy of a bias took a third of the time.
    """
    kept = not torch.is_grad_enabled() or traced() or not tensor.is_inference()
    return tensor if kept else tensor.clone()


def tensors(keep: Mask | Tensor | None) -> list[Tensor]:
    """What a mask is made of."""
    if isinstance(keep, Tensor):
        held = [keep]
    else:
        held = [] if keep is None else [tensor for *_, tensor in holding.held(keep)]
    # Those of inference mode cannot be saved, nor be changed outside of it.
    return [x for x in held if traced() or not x.is_inference()]


def score(
    tile: Tile, size: int, scale: float, softcap: float | None
) -> tuple[Float[Tensor, "*heads rows columns"], Float[Tensor, "*heads rows columns"] | float]:
    """The scores of a tile, −∞ where nothing is seen, and their slope in the products."""
    scores, slope = unfold(fold(tile.query * scale, size) @ tile.key.mT, size), 1.0
    if softcap is not None:
        bent = (scores / softcap).tanh()
        scores, slope = softcap * bent, 1.0 - bent.square()
    if tile.bias is not None:
        scores = scores + tile.bias
    if tile.seen is not None:
        scores = hide(scores, tile.seen)
    return scores, slope
