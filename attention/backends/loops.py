"""Attention as Python loops: the definition, word for word."""

from itertools import product

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import dropout

from attention.heads import group


def loops(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    keep: Bool[Tensor, "..."] | None,
    bias: Float[Tensor, "..."] | None,
    scale: float,
    softcap: float | None,
    dropout_p: float,
) -> tuple[Float[Tensor, "*heads queries value_dim"], Float[Tensor, "*heads queries keys"]]:
    """Take one query at a time: score the keys it may see, make weights, average the values."""
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):  # a sum of many small weights needs the digits
        query, key, value = query.float(), key.float(), value.float()
    # Zeros with a gradient of zero: an output that nothing is added to stays differentiable.
    inputs = query.sum() + key.sum() + value.sum() + (0.0 if bias is None else bias.sum())
    zero = inputs.masked_fill(torch.ones_like(inputs, dtype=torch.bool), 0.0)
    context = zero.expand(*query.shape[:-1], value.shape[-1]).clone()  # (…, H, T, E)
    weights = zero.expand(*query.shape[:-1], key.shape[-2]).clone()  # (…, H, T, S)
    keep = None if keep is None else keep.expand_as(weights)
    bias = None if bias is None else bias.expand_as(weights)
    size = group(query, key)
    for *batch, i in product(*map(range, query.shape[:-1])):
        # The last axis of a batch is the head; the heads of a group read one key head.
        read = (*batch[:-1], *(head // size for head in batch[-1:]))
        seen = [j for j in range(key.shape[-2]) if keep is None or keep[*batch, i, j]]
        if not seen:
            continue  # a query that may attend to nothing keeps its zeros
        scores = []
        for j in seen:
            score = scale * torch.dot(query[*batch, i], key[*read, j])
            if softcap is not None:
                score = softcap * torch.tanh(score / softcap)
            scores.append(score if bias is None else score + bias[*batch, i, j])
        top = torch.stack(scores).detach().max()  # the largest exponent is 0: no overflow
        shares = [torch.exp(score - top) for score in scores]
        total = torch.stack(shares).sum()
        for j, share in zip(seen, shares, strict=True):
            weight = dropout(share / total, dropout_p) if dropout_p else share / total
            weights[*batch, i, j] = weight
            context[*batch, i] += weight * value[*read, j]
    return context.to(dtype), weights.to(dtype)
