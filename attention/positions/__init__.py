"""Positions: where a token stands, told to attention, which cannot tell by itself."""

from attention.positions.alibi import ALiBi
from attention.positions.base import Positions
from attention.positions.rotary import Rotary
from attention.positions.sinusoidal import sinusoidal

__all__ = ["ALiBi", "Positions", "Rotary", "sinusoidal"]
