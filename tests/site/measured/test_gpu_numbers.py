"""The numbers in the sentences of the chapter on a GPU kernel: those that the script measured."""

import re

from gpu_cells import (
    KEPT,
    KEYS,
    LENGTHS,
    beside,
    ceilings,
    cell,
    decoding,
    of_one_text,
    portable_gradients,
    rate,
    square,
)
from pages import ROOT

PAGE = ROOT / "docs/speed/a-gpu-kernel.md"
ENDS = ("least", "most")
WINDOWS = (2048, 8192, 16384)
WINDOW = "16/16 heads of 128, window of 256, backward"


def shown() -> dict[str, str]:
    """Every sourced number in the prose, by what its comment says."""
    full = square("forward", 8192, 128, "full")
    products = ceilings("forward", "tflops")
    copies = [x for part in KEPT for x in ceilings(part, "gbs")]
    last, short = decoding(64, 131072), decoding(1, 1024)
    few = square("forward", 1024, 64, "causal")
    long = [decoding(64, n)["flash 2"]["ratio"] for n in KEYS]
    slowest = min(ceilings("backward", "tflops"))
    ranges = {
        "{} of cuDNN's rate, backward, portable": portable_gradients(),
        "seven products beside one alone, {}": [
            7 / 5 * square("backward", n, 128, "full")["hopper"]["tflops"] / slowest
            for n in LENGTHS[2:]
        ],
    }  # fmt: skip
    grouped = [
        ways
        for name, ways in KEPT["grouped"]["cells"]["shapes"].items()
        if "1 × 2048 ×" not in name
    ]
    assert len(grouped) == 8
    ranges["grouped heads, {}"] = [ways["cudnn"]["ratio"] for ways in grouped]
    ranges["grouped heads, {} of FlashAttention 4"] = [ways["flash 4"]["ratio"] for ways in grouped]
    for way, said in (("flash 2, window", "FlashAttention 2"), ("flex", "FlexAttention")):
        ranges[f"window, backward, {said}, {{}}"] = [
            cell("sparing", f"1 × {n} × {n}, {WINDOW}")[way]["ratio"] for n in WINDOWS
        ]
    one = of_one_text()
    behind = [n for n, ratio in one.items() if ratio < 0.99]
    return {
        "one text, ahead up to": f"{max(n for n in one if n < min(behind))}",
        "one text, behind from": f"{min(behind)}",
        "one text, behind up to": f"{max(behind)}",
        **{
            name.format(end): f"{pick(numbers):.2f}"
            for name, numbers in ranges.items()
            for end, pick in zip(ENDS, (min, max), strict=True)
        },
        "cuDNN, backward, 4096 tokens, no mask": rate(
            square("backward", 4096, 128, "full")["cudnn"]
        ),
        "slowest product, backward": f"{slowest:.0f}",
        "slowest product": f"{min(products):.0f}",
        "fastest product": f"{max(products):.0f}",
        "slowest copy": f"{min(copies):,.0f}",
        "fastest copy": f"{max(copies):,.0f}",
        "forward, 8192 tokens, no mask": rate(full["portable"]),
        "cuDNN, 8192 tokens, no mask": rate(full["cudnn"]),
        "forward beside the fastest product": f"{full['portable']['tflops'] / max(products):.2f}",
        "forward beside the slowest product": f"{full['portable']['tflops'] / min(products):.2f}",
        "64 texts, FlashAttention 2, most": f"{max(long):.2f}",
        "64 texts of 131072 keys, GB/s": f"{last['triton']['gbs']:,.0f}",
        "bytes of the first row at the rate of the last": (
            f"{short['triton']['gbs'] / last['triton']['gbs']:.2f}"
        ),
        "one text of 1024 keys, ms": f"{short['triton']['ms']:#.3g}",
        "one text of 1024 keys, cuDNN, ms": f"{short['cudnn']['ms']:#.3g}",
        "width 64, 1024 tokens, causal": f"{beside(few, 'hopper', 'cudnn'):.2f}",
    }


def test_every_measured_number_is_the_one_of_the_script() -> None:
    page = PAGE.read_text("utf-8")
    found = re.findall(r"([\d.,]+)<!-- source: benchmarks/gpu\.json, ([^\n]*?) -->", page)
    known = shown()
    assert {said for _, said in found} == set(known)
    for number, said in found:
        assert number == known[said], said
