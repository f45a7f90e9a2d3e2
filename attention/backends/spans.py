"""Attention under a structured mask: torch's CPU kernel on the blocks that it leaves."""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention.absent import without
from attention.backends.once import once
from attention.backends.suited import FORWARD, REGISTER, of_one_width
from attention.blocks import Blocks, Plan
from attention.booleans import additive
from attention.heads import four, group

BACKWARD = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default

Rows = Float[Tensor, "all_heads _ width"]  # rows: queries, or keys

# Blocks a call: it bounds the memory of what overlaps before it is added up.
BLOCKS_A_CALL = 32


def spans(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    plan: Plan,
    bias: None,
    scale: float,
    softcap: None,
    dropout_p: float,
) -> tuple[Float[Tensor, "*heads queries value_dim"], None]:
    """Attend block by block; where several have keys of one query, merge what they give.

    Source:
        Dao, *FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning*
        (2023), section 3.1: a block's share by its log-sum-exp, and the gradient of a block.
    """
    shape, dtype = (*query.shape[:-1], value.shape[-1]), query.dtype
    # Halves would be rounded in each block before they are merged, and the kernel gains nothing
    # from them without instructions of their own: measured 80 against 85 GFLOP/s, float16 41.
    kind = torch.promote_types(dtype, torch.float32)
    query, key, value = of_one_width(*(four(x).to(kind) for x in (query, key, value)))
    query, key, value = without(query, key, value, plan.idle, plan.unread)
    size = group(query, key)
    if size > 1:  # a query of each head of a group, then the next one: they see the same keys
        query = query.unflatten(1, (-1, size)).transpose(2, 3).flatten(2, 3)
    batch, heads, rows, width = query.shape
    context: Any = Spans.apply(rows_of(query), rows_of(key), rows_of(value), plan, scale, size)
    context = context.view(batch, heads, rows, width)
    if size > 1:
        context = context.unflatten(2, (-1, size)).transpose(2, 3).flatten(1, 2)
    if plan.idle is not None:  # whatever gradient comes for it
        context = context.masked_fill(plan.idle, 0.0)
    return context[..., : shape[-1]].reshape(shape).to(dtype), None


def rows_of(tensor: Float[Tensor, "batch heads rows width"]) -> Rows:
    """All heads of a batch on one axis; a row in one piece, as the kernel wants it."""
    flat = tensor.flatten(0, 1)
    return flat if flat.stride(-1) == 1 else flat.contiguous()


class Spans(torch.autograd.Function):
    """The blocks one after another, forward and backward."""

    @staticmethod
    def forward(
        ctx: Any, query: Rows, key: Rows, value: Rows, plan: Plan, scale: float, size: int
    ) -> Rows:
        context = torch.zeros_like(query)
        lowest = torch.finfo(query.dtype).min  # as good as −∞, and lowest − lowest is 0, not NaN
        lse = query.new_full(query.shape[:-1], lowest)  # the log-sum-exp of the scores so far
        for heads, part in walk(plan, len(key)):
            asked, read, count = part.queries.times(size), part.keys, part.count
            q, k, v, out, so_far = some(heads, query, key, value, context, lse)
            found, sums = FORWARD(
                asked.view(q, count),
                read.view(k, count),
                read.view(v, count),
                attn_mask=hidden(part, size, query),
                scale=scale,
            )
            if part.tables.idle is not None:
                sums = sums.masked_fill(part.tables.idle.repeat_interleave(size), lowest)
            out, so_far = asked.view(out, count), asked.view(so_far, count)
            if part.fresh:
                out.copy_(found)
                so_far.copy_(sums)
            else:
                both = so_far.logaddexp(sums).clamp_(min=lowest)
                out.mul_((so_far - both).exp_()[..., None])
                out.addcmul_(found, (sums - both).exp_()[..., None])
                so_far.copy_(both)
        ctx.save_for_backward(query, key, value, context, lse)
        ctx.rest = plan, scale, size
        return context

    @staticmethod
    def backward(ctx: Any, *of_context: Rows) -> tuple[Rows | None, ...]:
        query, key, value, context, lse = ctx.saved_tensors
        plan, scale, size = ctx.rest
        grad = of_context[0].contiguous()
        # Zeros of the gradient's kind: it may stand for several, where they come at once.
        grads = [grad.new_zeros(x.shape) for x in (query, key, value)]
        for heads, part in walk(plan, len(key)):
            asked, read, count = part.queries.times(size), part.keys, part.count
            g, q, k, v, c, sums = some(heads, grad, query, key, value, context, lse)
            of_query, *of_read = BACKWARD(
                asked.view(g, count),
                asked.view(q, count),
                read.view(k, count),
                read.view(v, count),
                asked.view(c, count),
                asked.view(sums, count).contiguous(),
                0.0,
                False,
                attn_mask=hidden(part, size, query),
                scale=scale,
            )
            into_query, *into_read = some(heads, *grads)
            asked.view(into_query, count).add_(of_query)
            for whole, of_blocks in zip(into_read, of_read, strict=True):
                # Keys of one block may be keys of the next: added in strips that do not overlap.
                for first in range(0, read.size, read.step):
                    strip = read._replace(
                        start=read.start + first, size=min(read.step, read.size - first)
                    )
                    strip.view(whole, count).add_(of_blocks.narrow(2, first, strip.size))
        return *once(tuple(grads)), None, None, None


def some(
    heads: slice, *all_heads: Float[Tensor, "all_heads ..."]
) -> Iterator[Float[Tensor, "heads ..."]]:
    """Some heads of each.

    Not by a slice, for which torch has no rule where several gradients come at once.
    """
    if heads == slice(0, all_heads[0].shape[0]):
        return iter(all_heads)
    return (rows.narrow(0, heads.start, heads.stop - heads.start) for rows in all_heads)


def walk(plan: Plan, heads: int) -> Iterator[tuple[slice, Blocks]]:
    """Each part of the plan with the heads that it is for, of all those of a batch."""
    each = heads // plan.batch
    for first, last, found in plan.parts:
        for blocks in found:
            for part in blocks.parts(BLOCKS_A_CALL):
                yield slice(first * each, last * each), part


def hidden(part: Blocks, size: int, like: Rows) -> Float[Tensor, "..."] | None:
    """What is added to the scores of a block: −∞ where a query may not attend."""
    keep, _, small = part.tables
    if keep is None:
        narrow = part.keys.size < REGISTER
        return like.new_zeros(1, part.keys.size) if narrow else None
    if size == 1 and small is not None and like.dtype is torch.float32:
        return small
    return additive(keep.repeat_interleave(size, 0) if size > 1 else keep, like.dtype)
