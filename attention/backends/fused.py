"""Attention as torch computes it: one kernel, which never holds all the scores at once."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention.absent import silence


def fused(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    keep: Bool[Tensor, "..."] | None,
    bias: Float[Tensor, "..."] | None,
    scale: float,
    softcap: float | None,
    dropout_p: float,
    causal: bool = False,
) -> tuple[Float[Tensor, "*heads queries value_dim"], None]:
    """Bring everything to the four axes that torch's kernels take.

    `causal` is for as many queries as keys: with fewer, torch aligns the first query with the
    first key, and a cache needs the last with the last.

    Source:
        Dao, *FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning*
        (2023), section 3.
    """
    empty = None
    if keep is not None:
        query, key, value, keep, empty = silence(query, key, value, keep)
        if bias is not None:
            bias = bias.masked_fill(~keep, float("-inf"))
    if not isinstance(scale, float):  # pragma: no cover, since Dynamo reads it and nothing runs it
        query, scale = query * scale, 1.0  # a size, while exporting: the kernel would fix it
    over = keep if bias is None else bias
    if over is not None:
        over = four_of(over, query.shape[:-3])
    q, k, v = query, key, value
    if query.ndim != 4:
        q, k, v = four(query), four(key), four(value)
    # A bool also while sizes are symbols: `!=` would be one more symbol, which the kernel refuses.
    grouped = not q.size(1) == k.size(1)  # noqa: SIM201
    context = scaled_dot_product_attention(
        q, k, v, over, dropout_p, causal, scale=scale, enable_gqa=grouped
    )
    if query.ndim != 4:
        context = context.reshape(*query.shape[:-1], value.shape[-1])
    if empty is not None:
        context = context.masked_fill(empty, 0.0)
    return context, None


def four(tensor: Float[Tensor, "..."]) -> Float[Tensor, "batch heads rows width"]:
    """All batch axes as one; a batch of one and a head of one where there is none."""
    if tensor.ndim > 4:
        return tensor.flatten(0, -4)
    while tensor.ndim < 4:
        tensor = tensor[None]
    return tensor


def four_of(
    over: Float[Tensor, "..."] | Bool[Tensor, "..."], batch: torch.Size
) -> Float[Tensor, "batch heads rows width"] | Bool[Tensor, "batch heads rows width"]:
    """The same for what is laid over the scores, which may lack axes or have one for all."""
    while over.ndim < 4:
        over = over[None]
    if len(batch) > 1:
        over = over.expand(*batch, *over.shape[-3:]).flatten(0, -4)
    return over
