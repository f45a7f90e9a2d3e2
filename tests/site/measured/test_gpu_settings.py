"""How the chapter on a GPU kernel says that it measured: shapes, rounds, versions."""

import re
from datetime import date
from functools import partial

import pytest
from gpu_cells import KEPT
from gpu_clock import SAMPLES
from gpu_shapes import ENTRIES, TOKENS
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


def shapes(part: str, kind: str = "") -> set[str]:
    """The heads of what was measured: `64/8 heads of 128`."""
    names = KEPT[part]["cells"]["shapes"]
    return {re.findall(r"\d+/\d+ heads of \d+", name)[0] for name in names if kind in name}


def when(part: str) -> str:
    """The day as a sentence has it, and the versions."""
    run = KEPT[part]
    day = date.fromisoformat(run["date"])
    major, rest = divmod(run["cudnn"], 10000)
    cudnn = f"{major}.{rest // 100}.{rest % 100}"
    return (
        f"This was measured on {day.day} {day:%B %Y} on an {run['gpu']['name']}, an H100 with more "
        f"and faster memory, in bfloat16, with torch {run['torch']}, cuDNN {cudnn} and Triton "
        f"{run['triton']}"
    )


def configs(file: str, name: str) -> dict[int, int]:
    """The widths of heads that have one, each with its first number. Triton is for Linux: read."""
    text = (ROOT / "attention/backends/triton" / file).read_text("utf-8")
    found = re.findall(r"(\d+): Config\((\d+)", text.partition(f"{name} = ")[2].partition("}")[0])
    return {int(width): int(first) for width, first in found}


CASES = {
    when("forward"): when("forward") == when("backward"),
    "a text has 16 heads, 128 wide, or 32 heads, 64 wide, and all texts together have 16,384": (
        shapes("forward") == shapes("backward") == {"16/16 heads of 128", "32/32 heads of 64"}
        and (TOKENS, ENTRIES) == (16384, 16 * 128) == (16384, 32 * 64)
    ),
    "Each way has a turn in each of three rounds.": (
        {KEPT[part]["cells"]["rounds"] for part in ("forward", "backward", "decode")} == {3}
    ),
    "Under the window it has 16 heads; in the causal rows 64, eight to a head of keys.": (
        shapes("sparing", "window") == {"16/16 heads of 128"}
        and shapes("sparing", "causal") == {"64/8 heads of 128"}
    ),
    "Here are 64 query heads, 128 wide, eight to a head of keys.": (
        shapes("decode") == {"64/8 heads of 128"}
    ),
    "The package has tiles for heads of width 64, 128 and 256.": (
        [*configs("configs.py", "FORWARD")] == [64, 128, 256]
    ),
    "two groups at width 128, three at width 64": (
        configs("hopper.py", "CONFIGS") == {128: 2, 64: 3}
    ),
}


@pytest.mark.parametrize("words", CASES, ids=[*CASES])  # also the long one
def test_it_was_so(words: str) -> None:
    says(words, CASES[words])


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
    assert f"{when('forward')} " in PAGE.read_text("utf-8")
