"""The inputs of usual calls."""

import torch
from torch import Tensor

from attention import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow

MASKS = {
    "none": None,
    "causal": Causal(),
    "window": Causal() & SlidingWindow(4),
    "prefix": PrefixLM(5),
    "documents": Documents((torch.arange(20) // 7)[None]) & Causal(),
    "padding": Padding(torch.tensor([17, 20])),
}


class Own(Mask):
    """Of which nobody knows what it shows."""

    def __call__(self, batch, head, query, key):
        return key >= 0


def draw(*shape: int, seed: int = 0, **options) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(**options)


def given(query: tuple[int, ...], key: tuple[int, ...], **options) -> list[Tensor]:
    return [
        draw(*query, seed=1, **options),
        draw(*key, seed=2, **options),
        draw(*key, seed=3, **options),
    ]
