"""What torch does slowly on a CPU with tables of booleans, done with their bytes: 0, or 1."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.transforms import traced

# With fewer bytes in a row, torch compares them one by one.
ROW = 128
# −∞ of each dtype as an integer of as many bytes: each bit is 1 but those of the fraction, which
# are 10, 7, 23 and 52.
BITS = {
    torch.float16: (torch.int16, -1 << 10),
    torch.bfloat16: (torch.int16, -1 << 7),
    torch.float32: (torch.int32, -1 << 23),
    torch.float64: (torch.int64, -1 << 52),
}


def any_along(keep: Bool[Tensor, "..."], dim: int) -> Bool[Tensor, "..."]:
    """Whether any is true along an axis, which stays, with one entry: quick for −1 and −2 alone.

    The largest byte says so. Torch's `any` took 1.3 to 20 times as long; and for 64 masks of 64
    tokens one byte after another 7 to 12 times as long as eight together.
    """
    if traced() or not keep.shape[dim]:
        return keep.any(dim=dim, keepdim=True)
    numbers, keys = keep.view(torch.uint8), keep.size(-1)
    if keys < ROW and keep.is_contiguous():
        if dim == -1 and keys % 8 == 0 and keep.storage_offset() % 8 == 0:  # eight as one number
            # In one row first: where an axis is of one, any stride counts as contiguous.
            eights = keep.view(-1).view(torch.int64).view(*keep.shape[:-1], keys // 8)
            least, most = torch.aminmax(eights, dim=-1, keepdim=True)
            return (least != 0) | (most != 0)
        rows = -(-ROW // keys) if dim == -2 and keys else 1
        if rows > 1 and keep.size(-2) % rows == 0:  # so many as one row
            numbers = numbers.unflatten(-2, (-1, rows)).flatten(-2).amax(dim=-2)
            numbers = numbers.unflatten(-1, (rows, keys))
    return numbers.amax(dim=dim, keepdim=True).view(torch.bool)


def additive(keep: Bool[Tensor, "..."], dtype: torch.dtype) -> Float[Tensor, "..."]:
    """What is added to scores: 0 where a query sees, and −∞ where not: 0 or 1 times its bits.

    To choose between the two took 10 to 25 times as long, and 1 − 1/0 twice as long.
    """
    if traced():
        return keep.new_zeros(keep.shape, dtype=dtype).masked_fill(~keep, float("-inf"))
    whole, infinite = BITS[dtype]
    return (~keep).view(torch.uint8).to(whole).mul_(infinite).view(dtype)


def hide(
    scores: Float[Tensor, "*heads queries keys"], keep: Bool[Tensor, "..."]
) -> Float[Tensor, "*heads queries keys"]:
    """The scores, −∞ where a query does not see; in their place, where nobody else looks at them.

    For 8 heads of 1,024 tokens `masked_fill` took 12 times as long.
    """
    watched = traced() or torch._C._len_torch_dispatch_stack() > 0
    if watched or not scores.is_cpu or type(scores) is not Tensor:
        return scores.masked_fill(~keep, float("-inf"))
    return scores.add_(additive(keep, scores.dtype))
