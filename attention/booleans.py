"""What torch does slowly on a CPU with tables of booleans, done with their bytes: 0, or 1."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.transforms import traced


def any_along(keep: Bool[Tensor, "..."], dim: int) -> Bool[Tensor, "..."]:
    """Whether any is true along an axis, which stays, with one entry.

    The largest byte says so. Torch's `any` took 1.3 to 20 times as long.
    """
    if traced() or not keep.shape[dim]:
        return keep.any(dim=dim, keepdim=True)
    return keep.view(torch.uint8).amax(dim=dim, keepdim=True).view(torch.bool)


def added(keep: Bool[Tensor, "..."], dtype: torch.dtype) -> Float[Tensor, "..."]:
    """What is added to scores: 0 where a query sees, 1 − 1/1, and −∞ where not, 1 − 1/0.

    To choose between the two took twice as long for a batch of 256 tokens under a causal mask, and
    ten times as long where a mask is as good as random.
    """
    if traced():  # the code that is made may not divide by 0
        return keep.new_zeros(keep.shape, dtype=dtype).masked_fill(~keep, float("-inf"))
    # A byte that came from elsewhere may be larger, and is true as well: 1 − 1/3 is cut to 0.
    return keep.view(torch.uint8).to(dtype).reciprocal_().neg_().add_(1.0).clamp_(max=0.0)


def hide(
    scores: Float[Tensor, "*heads queries keys"], keep: Bool[Tensor, "..."]
) -> Float[Tensor, "*heads queries keys"]:
    """The scores, −∞ where a query does not see; in their place, where nobody else looks at them.

    For 8 heads of 1,024 tokens `masked_fill` took 12 times as long.
    """
    watched = traced() or torch._C._len_torch_dispatch_stack() > 0
    if watched or not scores.is_cpu or type(scores) is not Tensor:
        return scores.masked_fill(~keep, float("-inf"))
    return scores.add_(added(keep, scores.dtype))
