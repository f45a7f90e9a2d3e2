"""What bad uses of a cache are made of."""

import torch

from attention import MultiHeadAttention

KEY, VALUE = torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 5)
X = torch.randn(2, 6, 12)
ATTEND = MultiHeadAttention(12, 6, num_kv_heads=3).requires_grad_(False)

FIRST = torch.tensor([0])


def elsewhere(x: torch.Tensor) -> torch.Tensor:
    return x.to("meta")
