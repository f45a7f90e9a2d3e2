"""What a mask saves: each backend and torch's own ways, under each mask, for each length.

    .venv/bin/python benchmarks/masks.py forward    # 64 to 8192 tokens: 5 minutes
    .venv/bin/python benchmarks/masks.py again      # 2048 tokens once more: how far runs differ
    .venv/bin/python benchmarks/masks.py backward   # forward and backward, 2048 tokens
    .venv/bin/python benchmarks/masks.py loaded     # 8192 tokens, on a busy machine: 5 minutes
    .venv/bin/python benchmarks/masks.py flag       # torch's causal flag beside no mask
    .venv/bin/python benchmarks/masks.py batches    # many short texts at once: 2 minutes
    .venv/bin/python benchmarks/masks.py short      # one text of 64 or 128 tokens: 2 minutes

On another machine, with fewer lengths:

    .venv/bin/python benchmarks/masks.py elsewhere  # 2048 and 8192 tokens: 4 minutes
    .venv/bin/python benchmarks/masks.py learning   # as backward
    .venv/bin/python benchmarks/masks.py busy       # as loaded

(`batches, before` is what this script found before all sequences of a mask were planned at once,
and `short, before` before torch itself was left to refuse what does not go together.)

Writes its part of `masks.json`. One sequence, 8 heads of 64 entries, float32. A ratio is how many
times as long as `auto` a call takes. `dense` is torch's kernel with the mask as a tensor, made
beforehand; `is_causal` its own causal mask, which under another mask is another result and only
an anchor; `flex` compiled FlexAttention; `formula` two products and a softmax.
"""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import cycle

import torch
from timing import Cell, compare, figures, keep, rate, say
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention
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
from attention.processor import narrow_mkl

HEADS, WIDTH = 8, 64
TOKENS, TEXTS, TEXT_HEADS = 4096, (64, 32, 16, 8), 12  # of a batch; so many texts share the tokens
FLEX = {"causal", "window", "documents", "prefix"}  # a mask more is 10 s of compiling more

Way = Callable[[Tensor, Tensor, Tensor], Tensor]
Cells = dict[str, object]


def masks(length: int) -> dict[str, Mask | None]:
    cuts = torch.randperm(length, generator=torch.Generator().manual_seed(0))[:7, None]
    place = torch.arange(length)
    return {
        "none": None,
        "causal": Causal(),
        "window": Causal() & SlidingWindow(min(256, length // 4)),
        "documents": Causal() & Documents((place * 8 // length)[None]),
        "documents at random": Causal() & Documents((place >= cuts).sum(dim=0)[None]),
        "prefix": PrefixLM(length // 4),
        "padding": Padding(torch.tensor([length * 5 // 8])),
    }


def formula(query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None) -> Tensor:
    scores = query @ key.mT / WIDTH**0.5
    if seen is not None:
        scores = scores.masked_fill(~seen, float("-inf"))
    return scores.softmax(dim=-1) @ value


def ours(mask: Mask | None, backend: str) -> Way:
    return lambda q, k, v: dot_product_attention(q, k, v, mask, backend=backend)


def flex(mask: Mask, length: int) -> Way:
    torch._dynamo.reset()
    run = torch.compile(flex_attention, dynamic=False)
    blocks = mask.block_mask(length, length)
    return lambda q, k, v: run(q, k, v, block_mask=blocks)


def ways(name: str, mask: Mask | None, length: int, backward: bool) -> dict[str, Way]:
    seen = None if mask is None else mask.to_tensor(length, length)
    found: dict[str, Way] = {
        "auto": ours(mask, "auto"),
        "tiled": ours(mask, "tiled"),
        "dense": lambda q, k, v: scaled_dot_product_attention(q, k, v, attn_mask=seen),
    }
    if mask is not None:
        found["is_causal"] = lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True)
        found["spans"] = ours(mask, "spans")
    if length >= 2048 and narrow_mkl():  # where `auto` may choose it
        found["onednn"] = ours(mask, "onednn")
    if length <= 2048:
        found["eager"] = ours(mask, "eager")
        found["formula"] = lambda q, k, v: formula(q, k, v, seen)
    if mask is not None and name in FLEX and length >= 2048 and not backward:
        found["flex"] = flex(mask, length)
    return found


def cell(
    name: str, mask: Mask | None, length: int, backward: bool, leave: frozenset[str]
) -> dict[str, object]:
    inputs = [x.requires_grad_(backward) for x in torch.randn(3, 1, HEADS, length, WIDTH)]
    grad = torch.randn(1, HEADS, length, WIDTH)

    def bind(way: Way) -> Callable[[], object]:
        query, key, value = inputs
        if not backward:
            return lambda: way(query, key, value)
        return lambda: torch.autograd.grad(way(query, key, value), inputs, grad)

    with torch.set_grad_enabled(backward):
        every = {w: way for w, way in ways(name, mask, length, backward).items() if w not in leave}
        found: Cell = compare({way: bind(call) for way, call in every.items()}, "auto")
    say(f"{name}, {length}", found, "auto")
    share = 1.0 if mask is None else mask.to_tensor(length, length).float().mean().item()
    # 4 operations for each entry of each score, and in backward 10 more: five products, not two.
    work = (14 if backward else 4) * HEADS * length**2 * WIDTH * share
    gflops = figures(work / found["auto"]["ms"] / 1e6)
    return {"share": figures(share), "gflops": gflops, "ways": found}


def table(lengths: tuple[int, ...], backward: bool, leave: frozenset[str] = frozenset()) -> Cells:
    found: Cells = {}
    for length in lengths:
        print(f"a product of matrices: {rate()} GFLOP/s", file=sys.stderr, flush=True)
        cells = {n: cell(n, mask, length, backward, leave) for n, mask in masks(length).items()}
        found[str(length)] = {"product": rate(), **cells}
    return found


def short() -> Cells:
    """One short text, for which a call costs most beside the kernel: in rounds enough to tell."""
    found: Cells = {}
    for length in (64, 128):
        cells: Cells = {"product": rate()}
        for name, mask in masks(length).items():
            inputs = torch.randn(3, 1, HEADS, length, WIDTH)
            seen = None if mask is None else mask.to_tensor(length, length)
            calls: dict[str, Callable[[], Tensor]] = {
                "auto": partial(dot_product_attention, *inputs, mask),
                "dense": partial(scaled_dot_product_attention, *inputs, seen),
            }
            if name == "causal":
                calls["is_causal"] = partial(scaled_dot_product_attention, *inputs, is_causal=True)
            cells[name] = compare(calls, "auto", seconds=6, most=1000)
            say(f"{name}, {length}", cells[name], "auto")
        found[str(length)] = cells
    return found


def loaded() -> Cells:
    """With a busy process beside each thread of ours; without what takes a minute a call."""
    busy = "import torch\na = torch.randn(512, 512)\nwhile True: a @ a"
    others = []
    try:
        for _ in range(torch.get_num_threads()):
            others.append(subprocess.Popen([sys.executable, "-c", busy]))
        return table((8192,), backward=False, leave=frozenset({"tiled", "flex", "spans", "onednn"}))
    finally:
        for other in others:
            other.kill()


def flag() -> Cells:
    """What torch's kernel leaves out by itself: the flag beside the same call without a mask."""
    found: Cells = {}
    for length in (512, 2048, 8192):
        inputs = torch.randn(3, 1, HEADS, length, WIDTH)
        calls = {
            "none": lambda inputs=inputs: scaled_dot_product_attention(*inputs),
            "is_causal": lambda inputs=inputs: scaled_dot_product_attention(
                *inputs, is_causal=True
            ),
        }
        found[str(length)] = compare(calls, "none")
        say(str(length), found[str(length)], "none")
    return found


def batches() -> Cells:
    """As many tokens in texts of unequal lengths: many short ones, or few long ones."""
    torch.manual_seed(0)
    found: Cells = {}
    for count in TEXTS:
        length = TOKENS // count
        shape = TEXT_HEADS, length, WIDTH
        print(f"a product of matrices: {rate()} GFLOP/s", file=sys.stderr, flush=True)
        cells: Cells = {"product": rate()}
        for name, make in kinds(count, length).items():
            inputs = torch.randn(3, count, *shape)
            for again in (True, False):
                # As many new masks as one way has calls: what was made of them would be kept.
                every = [make() for _ in range(1 if again else 110)]
                cell = compare(pair(inputs, every, length), "auto")
                say(f"{name}, {count} texts of {length}, {again=}", cell, "auto")
                cells[f"{name}, {'again' if again else 'new'}"] = cell
        found[str(length)] = cells
    return found


def pair(inputs: Tensor, every: list[Mask], length: int) -> dict[str, Callable[[], Tensor]]:
    """Ours beside the tensor, each with one mask after another; of one, the tensor is there."""
    ours, theirs = cycle(every), cycle(every)
    seen = every[0].to_tensor(length, length)

    def dense() -> Tensor:
        keep = seen if len(every) == 1 else next(theirs).to_tensor(length, length)
        return scaled_dot_product_attention(*inputs, keep)

    return {"auto": lambda: dot_product_attention(*inputs, next(ours)), "dense": dense}


def kinds(count: int, length: int) -> dict[str, Callable[[], Mask]]:
    """A mask for so many sequences, drawn anew in each call."""

    def lengths() -> Tensor:
        return torch.randint(length // 4, length + 1, (count,))

    def ids() -> Tensor:
        cuts = torch.rand(count, length - 1).argsort(dim=1)[:, :3, None] + 1
        return (torch.arange(length) >= cuts).sum(dim=1)

    return {
        "padding": lambda: Padding(lengths()),
        "causal and padding": lambda: Causal() & Padding(lengths()),
        "padding on the left": lambda: Causal() & Padding(lengths(), side="left"),
        "four texts": lambda: Causal() & Documents(ids()),
    }


PARTS = {
    "forward": lambda: table((64, 512, 2048, 8192), backward=False),
    "again": lambda: table((2048,), backward=False),
    "elsewhere": lambda: table((2048, 8192), backward=False),
    "learning": lambda: table((2048,), backward=True),
    "backward": lambda: table((2048,), backward=True),
    "short": short,
    "flag": flag,
    "batches": batches,
    "loaded": loaded,
    "busy": loaded,
}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        raise SystemExit(f"which part? expected one of {', '.join(PARTS)}")
    keep(__file__, sys.argv[1], PARTS[sys.argv[1]]())
