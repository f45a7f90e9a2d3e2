"""A mask as the few numbers that the kernels know."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from attention.masks import Causal, Mask, Padding, SlidingWindow
from attention.masks.combine import And
from attention.masks.padding import From
from attention.masks.shifted import Shifted

FAR = 1 << 29  # farther than any key is; a position plus it still fits 32 bits


@dataclass(frozen=True, eq=False)
class Rule:
    """What a query at position `p` of sequence `b` may attend to: one stretch of keys `j`.

    p − left ≤ j ≤ p + right    and    spans[b, 0] ≤ j < spans[b, 1]
    """

    left: int = FAR
    right: int = FAR
    spans: Int[Tensor, "batch 2"] | None = None  # None: all keys, in every sequence


def ruled(mask: Mask, keys: int) -> Rule | None:
    """The rule of a mask over so many keys; None where it has none, or nobody wrote it down."""
    # By the very class: one that takes over from it may say something else.
    find = RULES.get(type(mask))
    return None if find is None else find(mask, keys)


def causal(mask: Causal, keys: int) -> Rule:
    return Rule(right=0)


def window(mask: SlidingWindow, keys: int) -> Rule:
    beside = min(mask.width - 1, FAR)
    return Rule(left=beside, right=beside)


def padding(mask: Padding, keys: int) -> Rule | None:
    if mask.side == "left":
        return ruled(mask.over(keys), keys)
    lengths = mask.lengths.long()  # of 8 bits they could not be shifted
    return Rule(spans=torch.stack([torch.zeros_like(lengths), lengths], dim=1))


def since(mask: From, keys: int) -> Rule:
    return Rule(spans=torch.stack([mask.start, torch.full_like(mask.start, keys)], dim=1))


def both(mask: And, keys: int) -> Rule | None:
    one, other = ruled(mask.left, keys), ruled(mask.right, keys)
    if one is None or other is None:
        return None
    spans = one.spans if other.spans is None else other.spans
    if one.spans is not None and other.spans is not None:
        starts = torch.maximum(one.spans[:, 0], other.spans[:, 0])
        spans = torch.stack([starts, torch.minimum(one.spans[:, 1], other.spans[:, 1])], dim=1)
    return Rule(min(one.left, other.left), min(one.right, other.right), spans)


def shifted(mask: Shifted, keys: int) -> Rule | None:
    found = ruled(mask.mask, keys + mask.by)
    if found is None or found.spans is None:
        return found
    return Rule(found.left, found.right, found.spans - mask.by)


RULES: dict[type[Mask], Callable[[Any, int], Rule | None]] = {
    Causal: causal,
    SlidingWindow: window,
    Padding: padding,
    From: since,
    And: both,
    Shifted: shifted,
}
