"""How far one call raises the peak of memory, forward, and forward and backward.

    .venv/bin/python benchmarks/memory.py     # about 5 minutes

Writes `memory.json`, in MiB. One sequence, 8 heads of 64 entries, float32; each call in a process
of its own, after a short one that loads what it needs. With a mask as a tensor, the tensor counts,
and what torch's kernel makes of it: `dense`. `to_tensor` adds what its making needs, in one piece.
"""

import subprocess
import sys

import torch
from cost import peak
from masks import HEADS, WIDTH, masks
from timing import figures, keep
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention import Mask, dot_product_attention

LENGTHS = (1024, 2048, 4096, 8192)
STRIP = 64  # rows
WAYS = {
    "is_causal": ("is_causal", "causal"),
    "dense, window": ("dense", "window"),
    "to_tensor, window": ("to_tensor", "window"),
    "tiled, causal": ("tiled", "causal"),
    "auto, causal": ("auto", "causal"),
    "auto, window": ("auto", "window"),
    "auto, documents": ("auto", "documents at random"),
    "auto, prefix": ("auto", "prefix"),
}


def call(way: str, name: str, x: Tensor) -> Tensor:
    length = x.shape[-2]
    mask = masks(length)[name]
    if way == "is_causal":
        return scaled_dot_product_attention(x, x, x, is_causal=True)
    if way in ("dense", "to_tensor"):
        assert mask is not None  # noqa: S101
        seen = strips(mask, length) if way == "dense" else mask.to_tensor(length, length)
        return scaled_dot_product_attention(x, x, x, attn_mask=seen)
    return dot_product_attention(x, x, x, mask, backend=way)


def strips(mask: Mask, length: int) -> Tensor:
    """The mask as a tensor, made in strips: its making needs little beside it."""
    seen = torch.empty(length, length, dtype=torch.bool)
    for first in range(0, length, STRIP):
        rows = slice(first, min(length, first + STRIP))
        seen[rows] = mask.tile(length, length, rows, slice(0, length))
    return seen


def rise(way: str, name: str, length: int) -> None:
    """Print how many MiB forward takes, and forward and backward."""
    small = torch.randn(1, HEADS, 600, WIDTH, requires_grad=True)
    call(way, name, small).sum().backward()
    x = torch.randn(1, HEADS, length, WIDTH, requires_grad=True)
    before = peak()
    context = call(way, name, x)
    forward = peak() - before
    context.sum().backward()
    print(forward, peak() - before)


def main() -> None:
    cells: dict[str, dict[str, list[float]]] = {}
    for title, (way, name) in WAYS.items():
        cells[title] = {}
        for length in LENGTHS:
            command = [sys.executable, __file__, way, name, str(length)]
            out = subprocess.check_output(command, text=True)
            cells[title][str(length)] = [figures(float(x)) for x in out.split()]
        print(f"{title}: {cells[title]}", file=sys.stderr, flush=True)
    keep(__file__, "memory", dict(cells))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        rise(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main()
