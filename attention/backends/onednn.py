"""Attention by the products of oneDNN, some queries at a time and a head for each thread."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention.absent import without
from attention.backends.once import once
from attention.backends.threads import each
from attention.blocks.slabs import Slab, Slabs
from attention.heads import four, group

# A linear layer, `x W.T`, as torch computes it in compiled code.
LINEAR: Any = getattr(getattr(torch.ops.mkldnn, "_linear_pointwise", None), "default", None)

# A sum of more products, over keys, entries or queries, is made of shorter ones, since oneDNN adds
# one after another: of 1,024 keys at once, contexts erred up to 3.6 times as much as torch's, of
# 256 up to 1.5 times. To take the mean of all values away first would let hidden ones into it.
KEYS, ENTRIES, QUERIES = 256, 128, 64

Rows = Float[Tensor, "batch _ _ _"]  # heads, rows and widths differ


def onednn(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    plan: Slabs,
    bias: None,
    scale: float,
    softcap: None,
    dropout_p: float,
) -> tuple[Float[Tensor, "*heads queries value_dim"], None]:
    """Two products and a softmax, as the formula has them, for all keys that some queries see.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), equation 1; its gradient as in Dao et
        al., *FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness* (2022),
        appendix B.2.
    """
    shape = *query.shape[:-1], value.shape[-1]
    query, key, value = four(query), four(key), four(value)
    query, key, value = without(query, key, value, plan.idle, plan.unread)
    context: Any = OneDNN.apply(query, key, value, plan, scale)
    if plan.idle is not None:  # whatever gradient comes for it
        context = context.masked_fill(plan.idle, 0.0)
    return context.reshape(shape), None


class OneDNN(torch.autograd.Function):
    """The heads beside one another, forward and backward.

    The weights are not kept: backward makes those of a slab anew.
    """

    @staticmethod
    def forward(ctx: Any, query: Rows, key: Rows, value: Rows, plan: Slabs, scale: float) -> Rows:
        size = group(query, key)
        # Zeros are for a query without keys; to fill them is work for all threads, which then wait
        # for more of it, and take 5 ms from ours.
        context = query.new_empty(*query.shape[:-1], value.shape[-1])

        def head(sequence: int, head: int) -> None:
            q = query[sequence, head] * scale
            k = key[sequence, head // size].contiguous()
            v = value[sequence, head // size]
            out = context[sequence, head].zero_()
            for slab in plan.of(sequence):
                rows, columns = slab.rows, slab.columns
                shares = weights(q[rows], k[columns], slab)
                out[rows] = product(shares, v[columns].T, KEYS)

        each(head, *query.shape[:2])
        ctx.save_for_backward(query, key, value, context)
        ctx.rest = plan, scale, size
        return context

    @staticmethod
    def backward(ctx: Any, *of_context: Rows) -> tuple[Rows | None, ...]:
        query, key, value, context = ctx.saved_tensors
        plan, scale, size = ctx.rest
        grad = of_context[0].contiguous()
        # Of the gradient's kind: it may stand for several, where they come at once.
        of_query, of_key, of_value = (grad.new_empty(x.shape) for x in (query, key, value))

        def keys(sequence: int, head: int) -> None:
            """All gradients of a head of keys, and of the queries that share it."""
            k = key[sequence, head].contiguous()
            v = value[sequence, head]
            # Turned: so both products that are added up here have many columns, and few rows.
            turned_k, turned_v = (grad.new_zeros(x.T.shape) for x in (k, v))  # (D, S), (E, S)
            for n in range(head * size, (head + 1) * size):
                q, g, c = query[sequence, n] * scale, grad[sequence, n], context[sequence, n]
                same = (g * c).sum(dim=-1, keepdim=True)  # (T, 1)
                out = of_query[sequence, n].zero_()
                for slab in plan.of(sequence):
                    rows, columns = slab.rows, slab.columns
                    shares = weights(q[rows], k[columns], slab)  # (R, C)
                    some = part(g, rows)
                    part(turned_v, columns, 1).add_(product(some.T, shares.T, QUERIES))
                    of_scores = product(some, v[columns], ENTRIES)
                    of_scores = of_scores.sub_(part(same, rows)).mul_(shares)
                    part(turned_k, columns, 1).add_(product(q[rows].T, of_scores.T, QUERIES))
                    part(out, rows).copy_(product(of_scores, k[columns].T, KEYS))
                out.mul_(scale)
            of_key[sequence, head].copy_(turned_k.T)
            of_value[sequence, head].copy_(turned_v.T)

        each(keys, *key.shape[:2])
        return *once((of_query, of_key, of_value), (query, key, value, grad)), None, None


def part(rows: Float[Tensor, "..."], some: slice, dim: int = 0) -> Float[Tensor, "..."]:
    """What a slice gives, for which torch has no rule where several gradients come at once."""
    return rows.narrow(dim, some.start, some.stop - some.start)


def weights(
    query: Float[Tensor, "rows head_dim"], key: Float[Tensor, "columns head_dim"], slab: Slab
) -> Float[Tensor, "rows columns"]:
    """The weights of a slab, each query's of all that it sees."""
    scores = product(query, key, ENTRIES)
    for columns, hidden in slab.edges:
        scores[:, columns] += hidden
    return torch.softmax(scores, dim=-1, out=scores)


def product(
    left: Float[Tensor, "rows inner"], right: Float[Tensor, "columns inner"], most: int
) -> Float[Tensor, "rows columns"]:
    """`left right.T`, each entry as sums of at most so many products."""
    if 0 in (left.numel(), right.numel()):
        return left @ right.T
    inner = left.size(1)
    if inner <= most:
        return linear(left, right)
    step = -(-inner // -(-inner // most))  # equal parts: a short one is slow
    parts = zip(left.split(step, dim=1), right.split(step, dim=1), strict=True)
    first, *others = (linear(*both) for both in parts)
    for other in others:
        first += other
    return first


def linear(
    left: Float[Tensor, "rows inner"], right: Float[Tensor, "columns inner"]
) -> Float[Tensor, "rows columns"]:
    """The same as one product, for matrices that lie as oneDNN has code for."""
    if not (right.is_contiguous() or right.T.is_contiguous()):
        right = right.contiguous()  # of rows with gaps it multiplies one number at a time
    return LINEAR(left.contiguous(), right, None, "none", [], "")
