"""Few queries on many keys: decoding, speculation, a prompt in pieces, requests of a batch.

    .venv/bin/python benchmarks/decode.py        # about 3 minutes
    .venv/bin/python benchmarks/decode.py later  # the same, after `auto` has changed

Writes its part of `decode.json`. Heads of 64 entries, float32. A ratio is how many times as long
as `auto` a call takes. `dense` is torch's kernel with the mask as a tensor, made beforehand; `read`
adds up all keys and values, for which each must come once, and no more is done with them.
"""

import sys

import torch
from timing import compare, keep, say
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, Mask, Padding, SlidingWindow, dot_product_attention

KEYS, WIDTH = 8192, 64


def cell(
    name: str,
    batch: int,
    heads: tuple[int, int],
    queries: int,
    mask: Mask | None,
    keys: int = KEYS,
) -> dict[str, object]:
    """One shape under one mask, beside what torch's users have."""
    query = torch.randn(batch, heads[0], queries, WIDTH)
    key, value = torch.randn(2, batch, heads[1], keys, WIDTH)
    grouped, size = heads[0] != heads[1], heads[0] // heads[1]
    seen = None if mask is None else mask.to_tensor(queries, keys)
    calls = {
        "auto": lambda: dot_product_attention(query, key, value, mask),
        "dense": lambda: scaled_dot_product_attention(
            query, key, value, attn_mask=seen, enable_gqa=grouped
        ),
        "read": lambda: key.sum() + value.sum(),
    }
    if grouped:
        calls["repeated"] = lambda: scaled_dot_product_attention(
            query,
            key.repeat_interleave(size, dim=1),
            value.repeat_interleave(size, dim=1),
            attn_mask=seen,
        )
    found = compare(calls, "auto")
    say(name, found, "auto")
    return {"batch": batch, "heads": heads, "queries": queries, "keys": keys, "ways": found}


def main(part: str = "decode") -> None:
    left = Padding(torch.tensor([8192, 6144, 4096, 2048]), side="left")
    cells = {
        "one query": cell("one query", 1, (8, 8), 1, Causal()),
        "one query, grouped heads": cell("one query, grouped heads", 1, (32, 8), 1, Causal()),
        "four requests, grouped": cell("four requests, grouped", 4, (32, 8), 1, Causal()),
        "one query, window": cell("one query, window", 1, (8, 8), 1, Causal() & SlidingWindow(256)),
        "four requests": cell("four requests", 4, (8, 8), 1, Causal() & left),
    }
    for keys in (4096, 6144, 12288, 16384):
        title = f"one query, grouped heads, {keys} keys"
        cells[title] = cell(title, 1, (32, 8), 1, Causal(), keys)
    for queries in (4, 16, 128, 512):
        for name, mask in (("causal", Causal()), ("window", Causal() & SlidingWindow(256))):
            title = f"{queries} queries, {name}"
            cells[title] = cell(title, 1, (8, 8), queries, mask)
        title = f"{queries} queries, grouped"
        cells[title] = cell(title, 1, (32, 8), queries, Causal())
        title = f"{queries} queries, four requests"
        cells[title] = cell(title, 4, (8, 8), queries, Causal() & left)
    keep(__file__, part, dict(cells))


if __name__ == "__main__":
    with torch.no_grad():
        main(*sys.argv[1:])
