"""Caches of every kind, by name, and a module for them."""

import pytest
import torch

from attention import Causal, KVCache, MultiHeadAttention, RollingKVCache, SlidingWindow

WINDOW = Causal() & SlidingWindow(4)
KINDS = {
    "grows": KVCache,
    "fixed": lambda: KVCache(16, fixed=True),
    "rolling": lambda: RollingKVCache(4),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def module(**options) -> MultiHeadAttention:
    torch.manual_seed(0)
    attend = MultiHeadAttention(10, 6, num_kv_heads=3, head_dim=4, dtype=torch.float64, **options)
    return attend.requires_grad_(False)


def tokens(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, 10, dtype=torch.float64)
