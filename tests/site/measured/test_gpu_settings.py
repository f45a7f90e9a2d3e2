"""How the chapter on a GPU kernel says that it measured: shapes, rounds, versions."""

import re
from datetime import datetime
from functools import partial

import pytest
from gpu_cells import KEPT
from gpu_clock import SAMPLES
from pages import ROOT
from pages import says as page_says

PAGE = ROOT / "docs/speed/a-gpu-kernel.md"
says = partial(page_says, PAGE)


@pytest.mark.parametrize("words", [
    "Here and on the way back a text has 16 heads, 128 wide, or 32 heads, 64 wide, and all texts "
    "together have 16,384 ",
    "in each of three rounds. (There are two rounds for the texts of grouped heads beside cuDNN "
    "and for FlexAttention in the next table, which had a run of its own, beside ours alone.)",
    "Its rate as a part of theirs, from 2048 tokens on:",
    "Those for Hopper, as a part of the others' rates, from 1024 tokens on:",
    "With 64 heads of queries on 8 of keys, from 4096 to 32768 tokens, ours reaches",
    "Of 1024 tokens under the causal mask it computes half as much again as is counted: whole "
    "tiles, and rows past the end. There it reaches 0.60 times cuDNN's rate.",
    "Here is one text, with heads 128 wide. Under the window it has 16 heads; in the causal rows "
    "64, eight to a head of keys.",
    "Here are 64 query heads, 128 wide, eight to a head of keys",
    "with 64 queries each: two groups at width 128, three at width 64",
    "with 3, two tiles, and with 1 none",
])  # fmt: skip
def test_the_page_says(words: str) -> None:
    """What the tests here and those of the kernels hold, in these words."""
    page = re.sub(r"<!--.*?-->", "", PAGE.read_text("utf-8"))
    assert page.count(words) == 1


def test_the_median_is_of_so_many_calls() -> None:
    name = "takes the median of {}<!-- source: benchmarks/gpu_clock.py, SAMPLES --> calls,"
    assert name.format(SAMPLES) in PAGE.read_text("utf-8")


def test_rounds_are_as_many_as_the_page_says() -> None:
    rounds = {part: kept["cells"]["rounds"] for part, kept in KEPT.items()}
    twice = ("grouped", "forward, flex", "decode, written")
    assert rounds == dict.fromkeys(rounds, 3) | dict.fromkeys(twice, 2)


def test_the_versions_of_the_prose_are_those_of_the_script() -> None:
    kept = KEPT["forward"]
    says(f"(We took version {kept['flash-attn-4']}.)", kept["flash-attn-4"] == "4.0.0b36")
    cudnn = int(kept["cudnn"])
    major, minor, patch = cudnn // 10000, cudnn % 10000 // 100, cudnn % 100
    date = datetime.fromisoformat(kept["date"])
    assert (
        f"on {date.day} {date:%B %Y} on an {kept['gpu']['name']}, an H100 with more and faster "
        f"memory, in bfloat16, with torch {kept['torch']}, cuDNN {major}.{minor}.{patch} "
        f"and Triton {kept['triton']} "
    ) in PAGE.read_text("utf-8")
