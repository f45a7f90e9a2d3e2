"""Caches: keys and values of what has been read, so that a new token computes its own alone."""

from attention.cache.base import Cache
from attention.cache.growing import KVCache
from attention.cache.memory import Memory
from attention.cache.rolling import RollingKVCache

__all__ = ["Cache", "KVCache", "Memory", "RollingKVCache"]
