"""Structured masks, inputs, and contexts with gradients: exact, found, and torch's own."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)

IDS = torch.tensor([[5] * 70 + [2] + [3] * 129 + [9] * 100, [0] * 30 + [7] * 270])


class Comb(Mask):
    """All see the first keys, and every second query others as well."""

    def __call__(self, batch, head, query, key):
        return (key < 50) | ((key >= 100) & (key < 200) & (query % 2 == 0))

    def intervals(self, query: Tensor, keys: int) -> list:
        return [(0, 50), (100, torch.where(query % 2 == 0, 200, 100))]


MASKS = {
    "causal": Causal(),
    "window": Causal() & SlidingWindow(100),
    "both sides": SlidingWindow(70),
    "padded window": Causal() & SlidingWindow(100) & Padding(torch.tensor([300, 170])),
    "padding": Padding(torch.tensor([0, 133])),
    "left": Causal() & Padding(torch.tensor([0, 133]), side="left"),
    "documents": Causal() & Documents(IDS),
    "prefix": PrefixLM(130),
    "narrow prefix": PrefixLM(8),
    "comb": Comb(),
    "sink": Causal() & (SlidingWindow(64) | ~SlidingWindow(150)),
    "later": ~Causal(),
}
SHAPES = [(300, 4, 4), (300, 8, 2), (60, 4, 2), (1, 4, 4), (400, 2, 2)]


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def exact(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> list[Tensor]:
    """Context and gradients in float64, by the backend that forms all scores."""
    wide = [x.detach().double().requires_grad_() for x in (query, key, value)]
    context = dot_product_attention(*wide, mask, backend="eager")
    return [context, *torch.autograd.grad(context, wide, context.detach().sin())]


def found(query: Tensor, key: Tensor, value: Tensor, mask: Mask | Tensor, backend: str) -> list:
    inputs = [x.detach().requires_grad_() for x in (query, key, value)]
    context = dot_product_attention(*inputs, mask, backend=backend)
    return [context, *torch.autograd.grad(context, inputs, context.detach().sin())]


def torchs_own(query: Tensor, key: Tensor, value: Tensor, keep: Tensor) -> list[Tensor]:
    inputs = [x.detach().requires_grad_() for x in (query, key, value)]
    context = scaled_dot_product_attention(*inputs, keep)
    return [context, *torch.autograd.grad(context, inputs, context.detach().sin())]


class Holes(Mask):
    """A window in which nobody sees every 64th key, and every 64th query sees nothing."""

    def __call__(self, batch, head, query, key):
        return (abs(query - key) < 5) & (query % 64 != 20) & (key % 64 != 34)

    def intervals(self, query: Tensor, keys: int) -> list:
        start, stop = query - 4, torch.where(query % 64 == 20, query - 4, query + 5)
        hole = start + (34 - start) % 64
        return [(start, stop.minimum(hole)), (hole + 1, stop)]
