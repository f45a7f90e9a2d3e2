"""Attention as Python loops: the definition, word for word."""

from itertools import product

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def loops(
    query: Float[Tensor, "*batch queries head_dim"],
    key: Float[Tensor, "*batch keys head_dim"],
    value: Float[Tensor, "*batch keys value_dim"],
    keep: Bool[Tensor, "..."] | None,
    scale: float,
) -> tuple[Float[Tensor, "*batch queries value_dim"], Float[Tensor, "*batch queries keys"]]:
    """Take one query at a time: score the keys it may see, make weights, average the values."""
    if query.is_meta:
        raise ValueError("backend 'loops' reads values and query is on meta: expected eager")
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):  # a sum of many small weights needs the digits
        query, key, value = query.float(), key.float(), value.float()
    # Zeros with a gradient of zero: an output that nothing is added to stays differentiable.
    inputs = query.sum() + key.sum() + value.sum()
    zero = inputs.masked_fill(torch.ones_like(inputs, dtype=torch.bool), 0.0)
    context = zero.expand(*query.shape[:-1], value.shape[-1]).clone()  # (…, T, E)
    weights = zero.expand(*query.shape[:-1], key.shape[-2]).clone()  # (…, T, S)
    if keep is not None:
        keep = keep.expand_as(weights)
    for *batch, i in product(*map(range, query.shape[:-1])):
        seen = [j for j in range(key.shape[-2]) if keep is None or keep[*batch, i, j]]
        if not seen:
            continue  # a query that may attend to nothing keeps its zeros
        scores = [scale * torch.dot(query[*batch, i], key[*batch, j]) for j in seen]
        top = torch.stack(scores).detach().max()  # the largest exponent is 0: no overflow
        shares = [torch.exp(score - top) for score in scores]
        total = torch.stack(shares).sum()
        for j, share in zip(seen, shares, strict=True):
            weights[*batch, i, j] = share / total
            context[*batch, i] += share / total * value[*batch, j]
    return context.to(dtype), weights.to(dtype)
