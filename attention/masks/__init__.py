"""Masks: which query may attend to which key. `True` means attend."""

from attention.masks.base import Mask
from attention.masks.causal import Causal
from attention.masks.documents import Documents
from attention.masks.padding import Padding
from attention.masks.prefix import PrefixLM
from attention.masks.window import SlidingWindow

__all__ = ["Causal", "Documents", "Mask", "Padding", "PrefixLM", "SlidingWindow"]
