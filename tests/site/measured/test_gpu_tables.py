"""The tables of the chapter on a GPU kernel that no block computes: those of the script."""

import itertools
import re

from gpu_cells import KEPT, KEYS, LENGTHS, OF, WAYS, beside, cell, rate, square
from pages import ROOT

PAGE = ROOT / "docs/speed/a-gpu-kernel.md"


def source(part: str) -> str:
    """Versions are those of every part."""
    found = {
        f"{kept['gpu']['name']}, bfloat16, torch {kept['torch']}, triton {kept['triton']}, "
        f"cuDNN {kept['cudnn']}, "
        for kept in KEPT.values()
    }
    assert len(found) == 1
    return f"<!-- source: benchmarks/gpu.py: {found.pop()}{KEPT[part]['date']} -->"


def table(part: str, head: list[str], rows: list[list[str]], texts: int = 1) -> str:
    lines = [head, [*["---"] * texts, *["---:"] * (len(head) - texts)], *rows]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{text}\n\n{source(part)}"


def rates(part: str, width: int, ways: tuple[str, ...], names: dict[str, str]) -> str:
    rows = [
        [said, str(n), *(rate(square(part, n, width, mask)[way]) for way in ways)]
        for mask, said in OF.items()
        for n in LENGTHS
    ]
    return table(part, ["mask", "tokens", *(names[way] for way in ways)], rows)


def forward(width: int) -> str:
    return rates("forward", width, tuple(WAYS), WAYS)


def backward() -> str:
    ways = tuple(WAYS)[:-1]
    return rates("backward", 128, ways, WAYS | {"portable": "portable"})


def sparing() -> str:
    rows = []
    for name, ways in KEPT["sparing"]["cells"]["shapes"].items():
        if "backward" in name:
            continue
        queries, keys = re.findall(r"× (\d+)", name)
        flash = ways.get("flash 2, window") or ways["flash 2, last"]
        what = "window of 256" if "window" in name else "causal"
        others = (flash, ways["flex"], ways["cudnn, tensor"])
        times = [f"{ways['triton']['ms']:#.3g}", *(f"{way['ratio']:.2f}" for way in others)]
        rows.append([what, queries, keys, *times])
    head = ["mask", "queries", "keys", "ours, ms"]
    return table("sparing", [*head, "FlashAttention 2", "FlexAttention", "torch, tensor"], rows)


def decode() -> str:
    rows = []
    for batch in (1, 16, 64):
        for keys in KEYS:
            ways = cell("decode", f"{batch} × 1 × {keys}, 64/8 heads of 128, full, forward")
            ours = ways["triton"]
            others = [f"{ways[way]['ratio']:.2f}" for way in ("cudnn", "flash 2")]
            rows.append(
                [str(batch), str(keys), f"{ours['ms']:#.3g}", f"{ours['gbs']:.0f}", *others]
            )
    head = ["texts", "keys", "ours, ms", "ours, GB/s", "cuDNN", "FlashAttention 2"]
    return table("decode", head, rows, 0)


def shares(part: str, least: int) -> str:
    """What part of the others' rates the kernels for Hopper reach, with so many tokens or more."""
    lines = ["| width | mask | of cuDNN's | of FlashAttention 4's |"]
    lines += ["| ---: | --- | ---: | ---: |"]
    for width, (mask, said) in itertools.product((128, 64), OF.items()):
        found = [
            [beside(square(part, n, width, mask), "hopper", way) for n in LENGTHS if n >= least]
            for way in ("cudnn", "flash 4")
        ]
        ends = " | ".join(f"{min(each):.2f} to {max(each):.2f}" for each in found)
        lines.append(f"| {width} | {said} | {ends} |")
    return "\n".join(lines) + f"\n\n<!-- source: benchmarks/gpu.json: {part} -->"


def test_the_tables_are_those_of_the_script() -> None:
    page = PAGE.read_text("utf-8")
    derived = shares("forward", 2048), shares("backward", 1024)
    for text in (forward(128), backward(), sparing(), decode(), *derived):
        assert page.count(text) == 1, text
    assert page.count("<!-- source: benchmarks/gpu.py:") == 4
