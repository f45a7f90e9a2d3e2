"""A module, and how tokens come to it in chunks."""

import torch
from hypothesis import strategies as st
from torch import Tensor

from attention import Causal, MultiHeadAttention, Padding, SlidingWindow
from attention.cache import Cache
from attention.masks import Mask

seeds = st.integers(0, 2**31 - 1)


def module(seed: int = 0, kv_heads: int = 2, group: int = 3, **options) -> MultiHeadAttention:
    torch.manual_seed(seed)
    options = {"head_dim": 4, "dtype": torch.float64, **options}
    attend = MultiHeadAttention(10, kv_heads * group, num_kv_heads=kv_heads, **options)
    return attend.requires_grad_(False)


def masked(window: int | None, lengths: Tensor | None) -> Mask:
    mask = Causal() if window is None else SlidingWindow(window) & Causal()
    return mask if lengths is None else mask & Padding(lengths, side="left")


def in_chunks(attend, x: Tensor, chunks, cache: Cache, window=None, lengths=None) -> Tensor:
    """As a server runs it: each chunk knows the lengths that have come so far."""
    outs, end = [], 0
    for tokens in chunks:
        end += tokens
        so_far = None if lengths is None else (lengths - (x.shape[-2] - end)).clamp(min=0)
        mask = masked(window, so_far)
        outs.append(attend(x[..., end - tokens : end, :], mask=mask, cache=cache))
    return torch.cat(outs, dim=-2)
