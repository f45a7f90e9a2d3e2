"""What the docstrings of masks say."""

from typing import Any

import pytest
import torch
from sentences import Cases, is_so, saying

from attention import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow

PADDING = "masks.padding.Padding"
CASES: Cases = {}
says = saying(CASES)


def table(mask: Mask, queries: int = 4, keys: int = 4) -> list:
    return mask.to_tensor(queries, keys).squeeze().int().tolist()


@says("masks.base.Mask.span", "It is never too short and may be too long")
def _() -> bool:
    rules = [Causal(), SlidingWindow(2), PrefixLM(2), Causal() & SlidingWindow(3), ~Causal()]
    seen = [(rule.span(3, 5, keys=9), rule.to_tensor(9, 9)[3:6].any(dim=0)) for rule in rules]
    return all(set(keep.nonzero()[:, 0].tolist()) <= {*range(*span)} for span, keep in seen)


@says("masks.base.Mask.full", "False in doubt")
def _() -> bool:
    class Mine(Mask):
        def __call__(self, batch: Any, head: Any, query: Any, key: Any) -> Any:
            return key >= 0

    return Mine().full(0, 1, start=0, stop=2) is False


@says("masks.window.SlidingWindow", "less than `width` away, on either side.")
def _() -> bool:
    return table(SlidingWindow(2)) == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]


@says(PADDING, "More than `S` counts as `S`, and less than 0 as 0.")
def _() -> bool:
    return table(Padding(torch.tensor([9, -1])), 1) == [[1, 1, 1, 1], [0, 0, 0, 0]]


@says(PADDING, "The queries that stand on padding attend like the others")
def _() -> bool:
    return table(Padding(torch.tensor([1]), side="left"), 4) == [[0, 0, 0, 1]] * 4


@says("masks.documents.Documents", "A document need not be in one piece.")
def _() -> bool:
    return table(Documents(torch.tensor([[0, 1, 0]])), 1, 3) == [1, 0, 1]


@says("masks.prefix.PrefixLM", "with 0 the mask is causal")
def _() -> bool:
    return table(PrefixLM(0)) == table(Causal())


@pytest.mark.parametrize(("name", "words"), CASES)
def test_a_sentence_is_so(name: str, words: str) -> None:
    is_so(name, words, CASES[name, words])
