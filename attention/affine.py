"""A linear layer's product on a CPU, by the faster of the two libraries that torch has for it.

torch asks MKL for the product of a linear layer, and oneDNN for a convolution. A linear layer is a
convolution whose window is one token. MKL seems to keep to 8 numbers at a time on AMD's processors.
oneDNN takes 16, and servers from Zen 5 on multiply 16 as fast as 8: 2,048 tokens of width 512 by as
many rows take less than half of the time. Both round each sum; oneDNN's errors are larger, at a
width of 1,024 about 2.4 times. Where something learns, MKL is asked: a convolution keeps more for
it. For a moment a convolution holds the tokens or the result twice.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from attention.processor import sooner
from attention.transforms import learns, traced

# With fewer rows, or products of two numbers, and with more numbers of the matrix to a row, what
# oneDNN first does with the matrix costs more than it gains; with fewer outputs it is slower.
MIN_ROWS, MIN_PRODUCTS, MAX_NUMBERS, MIN_OUTPUTS = 256, 1 << 24, 1 << 14, 16
PICTURES = 16  # with fewer, and one thread, torch asks MKL
NATIVE: Any = torch._C
LINEAR = NATIVE._nn.linear  # what `functional.linear` is if nobody has replaced it


def affine(
    x: Float[Tensor, "*batch in_width"],
    weight: Float[Tensor, "out_width in_width"],
    bias: Float[Tensor, "out_width"] | None,
) -> Float[Tensor, "*batch out_width"]:
    """`x W.T + b`, as `torch.nn.functional.linear` computes it, to within rounding."""
    if traced() or not pays(x, weight, bias):
        return functional.linear(x, weight, bias)
    return convolved(x, weight, bias)


def convolved(
    x: Float[Tensor, "*batch in_width"],
    weight: Float[Tensor, "out_width in_width"],
    bias: Float[Tensor, "out_width"] | None,
) -> Float[Tensor, "*batch out_width"]:
    """The same as a convolution: a token is a pixel, its entries are the channels."""
    rows = x.reshape(-1, x.shape[-1])
    spare = rounded_up(len(rows)) - len(rows)
    if spare:
        rows = functional.pad(rows, (0, 0, 0, spare))
    pictures = rows.reshape(PICTURES, -1, 1, rows.shape[1]).permute(0, 3, 1, 2)
    made = functional.conv2d(pictures, weight[:, :, None, None], bias)
    made = made.permute(0, 2, 3, 1).reshape(len(rows), -1)[: len(rows) - spare]
    # No view, as the result of `linear` is none: a view may not be changed in place everywhere.
    return torch.ops.aten._unsafe_view(made, [*x.shape[:-1], len(weight)])


def rounded_up(rows: int) -> int:
    """As many rows, or up to a quarter more: one of four numbers between powers of two.

    For each number that it has not met oneDNN writes new code. That takes about as long as a large
    product, and several times as long as a small one.
    """
    step = 1 << (rows.bit_length() - 3)
    return -(-rows // step) * step


def pays(x: Tensor, weight: Tensor, bias: Tensor | None) -> bool:
    """Whether a convolution is sooner, and only its time and its rounding tell of it."""
    parts = [x, weight] if bias is None else [x, weight, bias]
    return (
        weight.ndim == 2
        and x.numel() * len(weight) >= MIN_PRODUCTS
        and x.shape[-1] == weight.shape[1]
        and x.numel() >= MIN_ROWS * x.shape[-1]
        and len(weight) * x.shape[-1] ** 2 <= x.numel() * MAX_NUMBERS
        and len(weight) >= MIN_OUTPUTS
        and sooner(*parts)
        and (bias is None or bias.shape == weight.shape[:1])
        and not learns(*parts)
        and functional.linear is LINEAR  # whoever replaces it is to be asked
    )
