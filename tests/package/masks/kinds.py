"""Masks of every kind, by name."""

import torch

from attention import Causal, Documents, Padding, PrefixLM, SlidingWindow

LENGTHS = torch.tensor([3, 0, 5])
IDS = torch.tensor([[0, 0, 1, 1, 1], [4, 2, 2, 4, 0], [7, 7, 7, 7, 7]])
MASKS = {
    "causal": Causal(),
    "window": SlidingWindow(2),
    "causal window": Causal() & SlidingWindow(3),
    "right": Padding(LENGTHS),
    "left": Padding(LENGTHS, side="left"),
    "documents": Documents(IDS),
    "one sequence": Documents(IDS[:1]),
    "packed": Documents(IDS.sort(descending=True).values),
    "prefix": PrefixLM(2),
    "not": ~Causal(),
    "or": SlidingWindow(1) | Padding(LENGTHS, side="left"),
    "all": Causal() & Documents(IDS) & ~Padding(LENGTHS) | PrefixLM(1),
}
