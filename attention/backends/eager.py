"""Attention as two matrix products and a softmax."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def eager(
    query: Float[Tensor, "*batch queries head_dim"],
    key: Float[Tensor, "*batch keys head_dim"],
    value: Float[Tensor, "*batch keys value_dim"],
    keep: Bool[Tensor, "..."] | None,
    scale: float,
) -> tuple[Float[Tensor, "*batch queries value_dim"], Float[Tensor, "*batch queries keys"]]:
    """Compute all scores in one product, and all contexts in another."""
    # Scaling the query first keeps the scores of a half precision from overflowing.
    scores = (query * scale) @ key.mT  # (…, T, S)
    if query.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()  # a sum of many small weights needs the digits
    if keep is None:
        weights = scores.softmax(dim=-1)
    else:
        # A row of −inf alone would be 0/0. It gets finite scores, and then weights of zero, so
        # that no NaN exists at any time, forward or backward.
        empty = ~keep.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~keep, float("-inf")).masked_fill(empty, 0.0)
        weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)
    weights = weights.to(value.dtype)
    return weights @ value, weights
