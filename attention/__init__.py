"""Attention in PyTorch: one function, and every way to compute it."""

from attention.functional import dot_product_attention
from attention.graph import AttentionGraph
from attention.masks import Causal, Mask
from attention.table import AttentionTable

__all__ = ["AttentionGraph", "AttentionTable", "Causal", "Mask", "dot_product_attention"]
