"""The numbers in blocks of the chapter on a GPU kernel, and what its figure shows of them."""

import re
from functools import partial

from gpu_cells import LENGTHS, WAYS, beside, ceilings, rate, square
from pages import ROOT
from pages import says as page_says

PAGE = ROOT / "docs/speed/a-gpu-kernel.md"
says = partial(page_says, PAGE)


def test_the_lines_of_the_figure_are_those_of_the_table() -> None:
    block = re.search(r"^lengths = .*?^}$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert block
    drawn: dict = {}
    exec(block[0], drawn)
    assert drawn["lengths"] == [*LENGTHS]
    names = {said: way for way, said in WAYS.items() if way != "flex"}
    measured = [square("forward", n, 128, "causal") for n in LENGTHS]
    assert drawn["rates"] == {
        said: [round(ways[way]["tflops"]) for ways in measured] for said, way in names.items()
    }
    ahead = [beside(ways, "hopper", "cudnn") > 1 for ways in measured]
    behind = [beside(ways, "hopper", "flash 4") for ways in measured]
    says(
        "From 2048 tokens on the kernel for Hopper is ahead of cuDNN, and a little behind "
        "FlashAttention 4.",
        ahead == [n >= 2048 for n in LENGTHS] and 0.95 < min(behind) <= max(behind) < 1,
    )
    says(
        "The kernel for Hopper runs close below FlashAttention 4. Both begin below cuDNN and are "
        "above it from the third point on. `forward` is well below these three, and FlashAttention "
        "2 is lowest.",
        all(
            (ways["cudnn"]["tflops"] < ways["flash 4"]["tflops"]) == (n >= LENGTHS[2])
            and max(
                ways["portable"]["tflops"] / ways[way]["tflops"]
                for way in ("hopper", "cudnn", "flash 4")
            )
            < 0.8
            and ways["flash 2"]["tflops"] == min(way["tflops"] for way in ways.values())
            for n, ways in zip(LENGTHS, measured, strict=True)
        ),
    )


def test_the_products_of_the_block_are_those_of_the_table() -> None:
    ways = square("backward", 4096, 128, "full")
    ours, cudnn = rate(ways["hopper"]), rate(ways["cudnn"])
    alone = min(ceilings("backward", "tflops"))
    lines = f"ours, cudnn = {ours}, {cudnn}  # TFLOP/s, of five products each\n"
    lines += f"alone = {alone:.0f}  # a product alone, at its slowest\n"
    assert PAGE.read_text("utf-8").count(lines) == 1


def test_the_rates_of_the_paper_are_those_of_the_block() -> None:
    page = PAGE.read_text("utf-8")
    products, powers = re.findall(r"([\d.]+)<!-- source: Shah et al\. 2024, section 3", page)
    assert (products, powers) == ("989", "3.9")  # TFLOP/s, section 3.1
    assert f"products = 4 * 128 / {products}\npowers = 1 / {powers}\n" in page
