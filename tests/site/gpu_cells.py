"""What `benchmarks/gpu.py` measured on a GPU, by the part of its run, shape and way."""

import json

from pages import ROOT

KEPT = json.loads((ROOT / "benchmarks/gpu.json").read_text("utf-8"))
WAYS = {
    "portable": "forward", "hopper": "for Hopper", "cudnn": "cuDNN",
    "flash 2": "FlashAttention 2", "flash 4": "FlashAttention 4", "flex": "FlexAttention",
}  # fmt: skip
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
OF = {"full": "none", "causal": "causal"}
KEYS = (1024, 4096, 16384, 131072)


def cell(part: str, name: str) -> dict[str, dict]:
    """The ways of a shape; `triton` is our kernel for Hopper where it takes that, else portable."""
    ways = KEPT[part]["cells"]["shapes"][name]
    if part == "forward":
        ways = ways | {"flex": KEPT["forward, flex"]["cells"]["shapes"][name]["flex"]}
    if part not in ("forward", "backward"):
        return ways
    return ways | {({"hopper", "portable"} - {*ways}).pop(): ways["triton"]}


def square(part: str, n: int, width: int, mask: str) -> dict[str, dict]:
    heads = 2048 // width
    return cell(part, f"{2**14 // n} × {n} × {n}, {heads}/{heads} heads of {width}, {mask}, {part}")


def rate(way: dict) -> str:
    return f"{way['tflops']:.0f}"


def beside(ways: dict[str, dict], one: str, other: str) -> float:
    """The rate of one, of that of another."""
    return ways[one]["tflops"] / ways[other]["tflops"]


def ceilings(part: str, name: str) -> list[float]:
    return [top[name] for top in KEPT[part]["cells"]["ceilings"]]


def decoding(texts: int, keys: int) -> dict[str, dict[str, float]]:
    return cell("decode", f"{texts} × 1 × {keys}, 64/8 heads of 128, full, forward")


def of_one_text() -> dict[int, float]:
    """How many times as long cuDNN takes, by the keys of one text."""
    return {n: decoding(1, n)["cudnn"]["ratio"] for n in (2**i for i in range(10, 18))}


def portable_gradients() -> list[float]:
    """The rates of the portable gradients, as parts of that of cuDNN, from 1024 tokens on."""
    return [
        beside(square("backward", n, 128, mask), "portable", "cudnn")
        for mask in OF for n in LENGTHS[1:]
    ]  # fmt: skip
