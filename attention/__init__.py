"""Attention in PyTorch: one function, and every way to compute it."""

from attention.functional import dot_product_attention
from attention.masks import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow

__all__ = [
    "Causal",
    "Documents",
    "Mask",
    "Padding",
    "PrefixLM",
    "SlidingWindow",
    "dot_product_attention",
]
