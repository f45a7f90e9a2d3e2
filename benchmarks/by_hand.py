"""What a rule saves beside torch's own kernel, used by one who knows the mask.

    .venv/bin/python benchmarks/by_hand.py    # 2048 and 8192 tokens: 2 minutes

Writes `by_hand.json`. Shapes and masks are those of `masks.py`. A ratio is how many times as long
as `auto` a call takes. `by hand` calls torch's kernel without a table of scores for each pair of
tokens: on the part of the text that is seen, or on parts of it. What it needs besides, a mask for
the borders of a window, is made beforehand.
"""

import sys
from collections.abc import Callable

import torch
from masks import HEADS, WIDTH, Way, masks, ours
from timing import compare, keep, rate, say
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from attention import Documents, Mask

attend = scaled_dot_product_attention


def equal_texts(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Eight texts of one length: a batch of eight."""
    rows = (x.unflatten(2, (8, -1)).transpose(1, 2)[0] for x in (query, key, value))
    return attend(*rows, is_causal=True).transpose(0, 1).flatten(1, 2)[None]


def texts(lengths: list[int]) -> Way:
    """A call for each text."""

    def run(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        parts = zip(*(x.split(lengths, dim=2) for x in (query, key, value)), strict=True)
        return torch.cat([attend(*part, is_causal=True) for part in parts], dim=2)

    return run


def window(length: int) -> Way:
    """Blocks of as many queries as the window is wide, on twice as many keys."""
    width = min(256, length // 4)
    behind = torch.arange(width)[:, None] + width - torch.arange(2 * width)
    seen = (behind >= 0) & (behind < width)
    seen = seen.repeat(length // width, 1, 1, 1)  # (blocks, 1, W, 2 W)
    seen[0, :, :, :width] = False  # before the text

    def run(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        rows = query[0].unflatten(1, (-1, width)).transpose(0, 1)  # (blocks, H, W, D)
        pairs = (pad(x[0], (0, 0, width, 0)).unfold(1, 2 * width, width) for x in (key, value))
        found = attend(rows, *(x.transpose(0, 1).mT for x in pairs), attn_mask=seen)
        return found.transpose(0, 1).flatten(1, 2)[None]

    return run


def prefix(length: int) -> Way:
    """All under the causal mask, then the prefix once more, without."""

    def run(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        found = attend(query, key, value, is_causal=True)
        first = (x[:, :, : length // 4] for x in (query, key, value))
        found[:, :, : length // 4] = attend(*first)
        return found

    return run


def padding(length: int) -> Way:
    """The keys that are padding cut off."""
    kept = length * 5 // 8
    return lambda q, k, v: attend(q, k[:, :, :kept], v[:, :, :kept])


def lengths(mask: Mask) -> list[int]:
    """Of the texts, as they lie in the mask that `masks.py` made."""
    (ids,) = (part.ids[0] for part in vars(mask).values() if isinstance(part, Documents))
    return ids.unique_consecutive(return_counts=True)[1].tolist()


def by_hand(length: int) -> dict[str, Way]:
    return {
        "window": window(length),
        "documents": equal_texts,
        "documents at random": texts(lengths(masks(length)["documents at random"])),
        "prefix": prefix(length),
        "padding": padding(length),
    }


def cell(name: str, way: Way, length: int) -> dict[str, dict[str, float]]:
    inputs = torch.randn(3, 1, HEADS, length, WIDTH)
    auto = ours(masks(length)[name], "auto")
    torch.testing.assert_close(way(*inputs), auto(*inputs), rtol=1e-4, atol=1e-5)
    calls: dict[str, Callable[[], object]] = {
        "auto": lambda: auto(*inputs),
        "by hand": lambda: way(*inputs),
    }
    found = compare(calls, "auto", seconds=8.0)
    say(f"{name}, {length}", found, "auto")
    return found


if __name__ == "__main__":
    cells: dict[str, object] = {}
    for length in (2048, 8192):
        print(f"a product of matrices: {rate()} GFLOP/s", file=sys.stderr, flush=True)
        found = {name: cell(name, way, length) for name, way in by_hand(length).items()}
        cells[str(length)] = {"product": rate(), **found}
    keep(__file__, "forward", cells)
