"""Attention as two matrix products and a softmax."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import dropout

from attention.absent import silence
from attention.booleans import hide
from attention.heads import fold, group, unfold
from attention.transforms import traced


def eager(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    keep: Bool[Tensor, "..."] | None,
    bias: Float[Tensor, "..."] | None,
    scale: float,
    softcap: float | None,
    dropout_p: float,
) -> tuple[Float[Tensor, "*heads queries value_dim"], Float[Tensor, "*heads queries keys"]]:
    """Compute all scores in one product, and all contexts in another."""
    dtype = query.dtype
    half = dtype in (torch.float16, torch.bfloat16)
    if half:
        # Scores overflow in half precision, and a sum of many small weights needs the digits.
        query, key, value = query.float(), key.float(), value.float()
    idle = None
    if keep is not None:
        query, key, value, keep, idle = silence(query, key, value, keep)
    size = group(query, key)
    scores = unfold(fold(query * scale, size) @ key.mT, size)  # (…, H, T, S)
    if softcap is not None:
        scores = softcap * (scores / softcap).tanh()
    if bias is not None:
        scores = scores + bias
    if keep is not None:
        scores = hide(scores, keep)
    weights = softmax(scores)
    if idle is not None:
        weights = weights.masked_fill(idle, 0.0)
    if dropout_p:
        weights = dropout(weights, dropout_p)
    context = unfold(fold(weights, size) @ value, size)  # (…, H, T, E)
    if idle is not None:  # whatever gradient comes for it, which a zero weight would not stop
        context = context.masked_fill(idle, 0.0)
    return (context.to(dtype), weights.to(dtype)) if half else (context, weights)


def softmax(scores: Float[Tensor, "*heads queries keys"]) -> Float[Tensor, "*heads queries keys"]:
    """In the place of the scores, where no gradient asks for them and they are a plain tensor.

    A second table of 1,024 by 1,024 for each of 32 heads takes as long to get as to fill: 162 ms
    against 32 on one core.
    """
    if scores.requires_grad or traced() or type(scores) is not Tensor:
        return scores.softmax(dim=-1)
    return torch.softmax(scores, dim=-1, out=scores)
