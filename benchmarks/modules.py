"""`MultiHeadAttention` beside `nn.MultiheadAttention`, in every mode.

    .venv/bin/python benchmarks/modules.py    # about 3 minutes

Writes `modules.json`. Self-attention in float32; a ratio is how many times as long torch's takes.
Our weights are those of each head; torch's are asked for the same, and for their mean. “linear” is
ours where nothing is convolved.
"""

from collections.abc import Callable

import torch
from timing import compare, keep, say
from torch import Tensor, nn

from attention import MultiHeadAttention
from attention import affine as path

SIZES = [(1, 16, 64, 4), (1, 64, 64, 4), (8, 128, 256, 4), (4, 1024, 512, 8), (1, 2048, 512, 8)]


def cell(batch: int, tokens: int, width: int, heads: int, train: bool, weights: bool) -> object:
    x = torch.randn(batch, tokens, width)
    torchs = nn.MultiheadAttention(width, heads, batch_first=True).train(train)
    ours = MultiHeadAttention.from_torch(torchs).train(train)

    def bind(run: Callable[[], Tensor]) -> Callable[[], object]:
        if train:
            return lambda: run().sum().backward()
        return run

    def run() -> Tensor:
        return ours(x, return_weights=True)[0] if weights else ours(x)

    def multiplied() -> Tensor:
        products, path.MIN_PRODUCTS = path.MIN_PRODUCTS, 1 << 62
        made = run()
        path.MIN_PRODUCTS = products
        return made

    calls = {
        "ours": bind(run),
        "linear": bind(multiplied),
        "torch": bind(lambda: torchs(x, x, x, need_weights=weights, average_attn_weights=False)[0]),
    }
    if weights:
        calls["mean"] = bind(lambda: torchs(x, x, x)[0])
    with torch.set_grad_enabled(train):
        found = compare(calls, "ours")
    mode = f"{'train' if train else 'eval'}{', weights' if weights else ''}"
    say(f"{(batch, tokens, width)} in {heads} heads, {mode}", found, "ours")
    return {
        "batch": batch, "tokens": tokens, "embed_dim": width, "num_heads": heads, "train": train,
        "weights": weights, "ways": found,
    }  # fmt: skip


if __name__ == "__main__":
    cells = [
        cell(*size, train, weights)
        for size in SIZES
        for train in (False, True)
        for weights in (False, True)
    ]
    keep(__file__, "modules", {"all": cells})
