"""The inputs of linear layers."""

from typing import Any

import torch
from torch import Tensor

from attention import MultiHeadAttention


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def parts(shape: tuple[int, ...], width: int) -> list[Tensor]:
    """Tokens, a matrix and a bias."""
    return [drawn(*shape), drawn(width, shape[-1], seed=1), drawn(width, seed=2)]


def multi_head(**options: Any) -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(256, 4, **options)
