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
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        # Scores overflow in half precision, and a sum of many small weights needs the digits.
        query, key, value = query.float(), key.float(), value.float()
    if keep is None:
        weights = ((query * scale) @ key.mT).softmax(dim=-1)  # (…, T, S)
    else:
        # Who may attend to nothing, and what nobody may attend to, takes no part: 0 · NaN is NaN,
        # and a row of −inf alone is 0/0. So no NaN arises from them, forward or backward.
        empty = ~keep.any(dim=-1, keepdim=True)  # (…, T, 1)
        unseen = ~keep.any(dim=-2, keepdim=True).mT  # (…, S, 1)
        query = query.masked_fill(empty, 0.0)
        key, value = key.masked_fill(unseen, 0.0), value.masked_fill(unseen, 0.0)
        scores = ((query * scale) @ key.mT).masked_fill(~(keep | empty), float("-inf"))
        weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)
    return (weights @ value).to(dtype), weights.to(dtype)
