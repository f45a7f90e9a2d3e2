"""Attention in PyTorch: one function, and every way to compute it."""

from attention.cache import KVCache, Memory, RollingKVCache
from attention.functional import dot_product_attention
from attention.graph import AttentionGraph
from attention.masks import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow
from attention.multi_head import MultiHeadAttention
from attention.positions import ALiBi, Positions, Rotary, sinusoidal
from attention.self_attention import SelfAttention
from attention.table import AttentionTable

__all__ = [
    "ALiBi",
    "AttentionGraph",
    "AttentionTable",
    "Causal",
    "Documents",
    "KVCache",
    "Mask",
    "Memory",
    "MultiHeadAttention",
    "Padding",
    "Positions",
    "PrefixLM",
    "RollingKVCache",
    "Rotary",
    "SelfAttention",
    "SlidingWindow",
    "dot_product_attention",
    "sinusoidal",
]
