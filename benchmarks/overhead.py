"""What a call costs beside the bare kernel, on an input so small that little else counts.

    .venv/bin/python benchmarks/overhead.py

Each round times every call once, in an order of its own, so that what else the machine does hits
all alike; medians are compared. The aim is at most 5 µs.
"""

import random
import statistics
from time import perf_counter

import torch
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, dot_product_attention

ROUNDS = 5000


def main() -> None:
    query, key, value = torch.randn(3, 1, 4, 64, 16)
    causal = Causal()
    calls = {
        "plain": (
            lambda: scaled_dot_product_attention(query, key, value),
            lambda: dot_product_attention(query, key, value),
        ),
        "causal": (
            lambda: scaled_dot_product_attention(query, key, value, is_causal=True),
            lambda: dot_product_attention(query, key, value, causal),
        ),
    }
    times = {(name, which): [] for name in calls for which in (0, 1)}
    for _ in range(ROUNDS):
        for name, which in random.sample(sorted(times), len(times)):
            call = calls[name][which]
            start = perf_counter()
            call()
            times[name, which].append(perf_counter() - start)
    for name in calls:
        bare, ours = (statistics.median(times[name, which]) * 1e6 for which in (0, 1))
        print(f"{name}: torch {bare:.2f} µs, attention {ours:.2f} µs, {ours - bare:+.2f} µs")


if __name__ == "__main__":
    main()
