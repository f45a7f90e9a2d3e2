"""Positions as waves, added to the tokens."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention import checks
from attention.positions.tables import cos_sin, frequencies


def sinusoidal(
    at: Int[Tensor, "*shape"],
    width: int,
    *,
    base: float = 10_000.0,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "*shape width"]:
    """A vector for each position, which is added to the token that stands there.

        wave[p, 2i]     = sin(at[p] · base^(−2i / width))             (…, width)
        wave[p, 2i + 1] = cos(at[p] · base^(−2i / width))

    The slowest wave takes `2 pi · base^(1 − 2 / width)` positions for one turn.

    Args:
        at: Positions, of any shape: `torch.arange(T)`, or, where sequences are padded on the
            left, `torch.arange(T) - mask.first(T)[:, None]`, which counts from the first token.
        width: Of the vectors, an even count.
        base: How much slower than the first wave the last one would be, without unit, above 0.
        dtype: Of the vectors, whose angles are computed in float64.

    Raises:
        TypeError: The positions are not a tensor of integers, or a number has the wrong type, or
            the dtype is not one of floating point.
        ValueError: The width is odd or less than 2, or the base is not above 0.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.5.

    Examples:
        >>> import torch
        >>> from attention import sinusoidal
        >>> sinusoidal(torch.arange(3), width=4)
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.0100,  0.9999],
                [ 0.9093, -0.4161,  0.0200,  0.9998]])
    """
    checks.integers("at", at)
    checks.floating(dtype)
    width = checks.even("width", width)
    frequency = frequencies(width, checks.above_zero("base", base), at.device)
    cos, sin = cos_sin(at, frequency, dtype)
    return torch.stack([sin, cos], dim=-1).flatten(-2)
