"""Angles of positions: in float64, because a large position leaves float32 no digits for them."""

import torch
from jaxtyping import Float, Float64, Int
from torch import Tensor

WITHOUT_FLOAT64 = {"mps"}  # kinds of devices whose angles the CPU computes


def angles(
    at: Int[Tensor, "*shape"], width: int, base: float
) -> Float64[Tensor, "*shape half_width"]:
    """One angle for each pair of numbers, in radians: the first pair turns fastest.

        angle[p, i] = at[p] · base^(−2i / width)            (…, width / 2)

    At position 1,000,000 two neighbouring numbers of float32 lie 0.06 apart: an angle in float32
    is wrong by as much as 0.03. In float64 it is right to 1e-10.
    """
    device = torch.device("cpu") if at.device.type in WITHOUT_FLOAT64 else at.device
    even = torch.arange(0, width, 2, dtype=torch.float64, device=device)
    return at.to(device).double()[..., None] * base ** (-even / width)


def cos_sin(
    at: Int[Tensor, "*shape"], width: int, base: float, dtype: torch.dtype
) -> tuple[Float[Tensor, "*shape half_width"], Float[Tensor, "*shape half_width"]]:
    """Cosine and sine of the angles, rounded to a dtype only now, on the device of `at`."""
    angle = angles(at, width, base)
    return angle.cos().to(dtype).to(at.device), angle.sin().to(dtype).to(at.device)
