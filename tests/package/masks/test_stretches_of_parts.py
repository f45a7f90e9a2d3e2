"""What a mask of one's own gives as its `intervals`, where it is a part of another mask."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from attention import Causal, Documents, Mask, dot_product_attention
from attention.masks.shifted import Shifted

QUERY = torch.ones(1, 2, 4, 8)
TRUTHS = torch.ones(4, dtype=torch.bool)


class Prompt(Mask):
    """The first keys, whose stretches stop where they are said to."""

    def __init__(self, stop: Any) -> None:
        self.stop = stop

    def __call__(self, batch: Any, head: Any, query: Any, key: Any) -> Any:
        return key < 2

    def intervals(self, query: Tensor, keys: int) -> Any:
        return [(0, self.stop)]


JOINED: dict[str, Callable[[Mask], Mask]] = {
    "left of and": lambda part: part & Causal(),
    "right of and": lambda part: Causal() & part,
    "left of or": lambda part: part | Causal(),
    "right of or": lambda part: Causal() | part,
    "not": lambda part: ~part,
    "shifted": lambda part: Shifted(part, 2),
    "deep": lambda part: Causal() & (~(part | Causal()) | Documents(torch.ones(1, 4).long())),
}


@pytest.mark.untyped
@pytest.mark.parametrize("joined", JOINED.values(), ids=JOINED)
def test_a_part_is_looked_at_before_it_is_joined(joined: Callable[[Mask], Mask]) -> None:
    """Booleans beside counts would become counts."""
    mask = joined(Prompt(TRUTHS))
    with pytest.raises(TypeError, match=r"^Prompt gives intervals of torch.bool: expected int"):
        dot_product_attention(QUERY, QUERY, QUERY, mask, backend="spans")


@pytest.mark.parametrize("joined", JOINED.values(), ids=JOINED)
def test_a_part_that_is_right_passes(joined: Callable[[Mask], Mask]) -> None:
    mask, query = joined(Prompt(2)), torch.randn(1, 2, 4, 8)
    expected = dot_product_attention(query, query, query, mask, backend="eager")
    found = dot_product_attention(query, query, query, mask, backend="spans")
    torch.testing.assert_close(found, expected)
