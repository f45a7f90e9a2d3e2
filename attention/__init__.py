"""Attention in PyTorch: one function, and every way to compute it."""

from attention.functional import dot_product_attention
from attention.masks import Causal, Mask

__all__ = ["Causal", "Mask", "dot_product_attention"]
