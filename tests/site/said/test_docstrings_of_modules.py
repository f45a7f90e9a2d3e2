"""What the docstrings of modules and of positions say."""

from typing import Any

import pytest
import torch
from sentences import Cases, is_so, saying
from torch import Tensor, nn

from attention import MultiHeadAttention, Padding, Positions, Rotary

MODULE = "multi_head.MultiHeadAttention"
CASES: Cases = {}
says = saying(CASES)


class Told(Positions):
    """Keeps what it is told."""

    def place(self, query: Tensor, key: Tensor, past: int, first: Any = 0) -> tuple[Tensor, Tensor]:
        self.query, self.first = query, first
        return query, key


@says(MODULE, "They count from the first token that padding on the left leaves.")
@says("masks.base.Mask.first", "at 0, or after padding on the left")
def _() -> bool:
    told = Told()
    module = MultiHeadAttention(8, 2, positions=told)
    module(torch.randn(2, 5, 8), mask=Padding(torch.tensor([3, 5]), side="left"))
    return told.first.tolist() == [2, 0]


@says(MODULE, "With `qk_norm` each query and key is normalised, and after that `positions`")
def _() -> bool:
    told = Told()
    MultiHeadAttention(8, 2, positions=told, qk_norm=True)(9 * torch.randn(1, 5, 8))
    return bool((told.query.square().mean(dim=-1) - 1).abs().max() < 1e-3)


@says(f"{MODULE}.from_torch", "Torch's boolean masks say whom to ignore, ours whom to attend to")
@says(f"{MODULE}.from_torch", "Its weights are averaged over heads, ours are not.")
def _() -> bool:
    theirs, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(1, 5, 8)
    ignored = ~torch.ones(5, 5).tril().bool()
    out, mean = theirs(x, x, x, attn_mask=ignored)
    ours, each = MultiHeadAttention.from_torch(theirs)(x, mask=~ignored, return_weights=True)
    return torch.allclose(out, ours, atol=1e-6) and torch.allclose(mean, each.mean(dim=1))


@says("positions.rotary.Rotary", "How many numbers of each head turn, from the first on")
def _() -> bool:
    x = torch.ones(1, 6)
    turned = Rotary(width=2).rotate(x, torch.tensor([1]))[0]
    return turned[2:].tolist() == [1.0] * 4 and bool((turned[:2] != 1).all())


@pytest.mark.parametrize(("name", "words"), CASES)
def test_a_sentence_is_so(name: str, words: str) -> None:
    is_so(name, words, CASES[name, words])
