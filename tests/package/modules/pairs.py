"""The same weights in torch's module and in ours, and inputs for both."""

import torch
from torch import Tensor, nn

from attention import MultiHeadAttention

LENGTHS = torch.tensor([5, 3])


def pair(device: str, dtype: torch.dtype = torch.float64, **options):
    """The same weights in torch's module and in ours."""
    torch.manual_seed(0)
    options = {"batch_first": True, "device": device, "dtype": dtype, **options}
    theirs = nn.MultiheadAttention(12, 3, **options)
    if theirs.in_proj_bias is not None:  # which torch begins at zero
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    return MultiHeadAttention.from_torch(theirs), theirs


def inputs(device: str, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(1)
    shapes = (2, 4, 12), (2, 5, 12), (2, 5, 12)
    made = [torch.randn(shape, device=device, dtype=dtype, requires_grad=True) for shape in shapes]
    return made[0], made[1], made[2]
