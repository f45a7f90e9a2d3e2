"""What the chapter says of its masks, lengths, heads and rounds: the scripts have them so."""

import ast
import inspect
from functools import partial

import decode
import modules
import pytest
import timing
import torch
from cells import part, parts
from masks import WIDTH, kinds, masks
from pages import ROOT
from pages import says as page_says

from attention import Causal, PrefixLM, SlidingWindow

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)
LONG, FEW = masks(8192), masks(512)
DECODED = part("decode", "decode")["cells"]
LEFT = [x for x in ast.walk(ast.parse(inspect.getsource(decode.main))) if isinstance(x, ast.List)]
LENGTHS = ast.literal_eval(LEFT[0])
SIDE = inspect.signature(timing.rate).parameters["size"].default


def threads() -> set[int]:
    """How many measured, of each part on a CPU whose table the page has."""
    scripts = ("by_hand", "decode", "masks", "memory", "modules")
    return {each["threads"] for script in scripts for each in parts(script).values()}


def drawn(length: int, count: int = 2000) -> torch.Tensor:
    torch.manual_seed(0)
    return kinds(count, length)["padding"]().lengths


CASES = {
    f"Our script multiplies two random matrices of {SIDE} by {SIDE}": True,
    "best of seven, in GFLOP/s": "in range(7)" in inspect.getsource(timing.rate),
    "We did not measure more than two threads.": threads() == {2},
    "The window is causal and has 256 keys; a quarter of the text, where that is less.": (
        LONG["window"] == Causal() & SlidingWindow(256)
        and FEW["window"] == Causal() & SlidingWindow(512 // 4)
    ),
    "The prefix is the first quarter; padding leaves five eighths.": (
        FEW["prefix"] == PrefixLM(512 // 4) and FEW["padding"].lengths.tolist() == [512 * 5 // 8]
    ),
    "Their lengths are drawn between a quarter of the longest and all of it": (
        (drawn(64).min(), drawn(64).max()) == (16, 64)
    ),
    "each sequence is cut at three places, drawn at random": (
        {len(ids.unique()) for ids in kinds(9, 64)["four texts"]().right.ids} == {4}
    ),
    f"{decode.KEYS} keys are held, and few queries ask": True,
    "every four heads of queries share one of keys": (
        {x["heads"][0] / x["heads"][1] for name, x in DECODED.items() if "grouped" in name} == {4}
    ),
    "a batch of four texts of four lengths, padded on the left; three hold fewer keys": (
        len({*LENGTHS}) == 4 and sum(n < decode.KEYS for n in LENGTHS) == 3
    ),
    "heads of 64 entries (16 in the two smallest modules)": (
        [width // heads for *_, width, heads in modules.SIZES] == [16, 16, 64, 64, 64]
        and WIDTH == decode.WIDTH == 64
    ),
}


@pytest.mark.parametrize("words", CASES)
def test_it_was_so(words: str) -> None:
    says(words, CASES[words])
