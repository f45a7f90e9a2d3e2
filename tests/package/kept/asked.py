"""Masks that hold something, what a call makes of them, and how often it asks."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from attention import Mask, dot_product_attention
from attention.dispatch import dense, route
from attention.kept import Kept


@dataclass(frozen=True)
class Told(Mask):
    """A data class: Python writes its `__init__`, and what compares and shows it."""

    width: int

    def __call__(self, batch, head, query, key):
        return (query - key < self.width) & (key <= query)


class Named(Mask):
    """It holds what it was given, under any name."""

    def __init__(self, **held: object) -> None:
        vars(self).update(held)

    def __call__(self, batch, head, query, key):
        held = vars(self)
        back, ahead = held.get("back", 0), held.get("ahead", 0)
        back = 3 if back is True or str(back) == "-0.0" else back
        return (query - key <= back) & (key - query <= ahead)


def attend(mask: Mask | Tensor) -> Tensor:
    x = torch.linspace(-1, 1, 96).reshape(2, 6, 8)
    return dot_product_attention(x, x, x, mask)


def count(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often a mask is asked from now on, with nothing kept."""
    asked, tile = [], Mask.tile
    monkeypatch.setattr(Mask, "tile", lambda *x: asked.append(1) or tile(*x))
    for module in (route, dense):
        monkeypatch.setattr(module, "kept", Kept(2))
    return asked
