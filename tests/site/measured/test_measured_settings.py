"""What pages say of how was measured, and from where on something is taken: as the code has it."""

import ast
import inspect
import json
import re
from datetime import date

import decode
import modules
import pytest
import timing
import torch
from gpu_shapes import ENTRIES, TOKENS
from masks import WIDTH, kinds, masks
from pages import DOCS, says

import attention
from attention import Causal, PrefixLM, SlidingWindow
from attention.dispatch import onednn

BENCHMARKS = DOCS.parent / "benchmarks"
RESULTS = {path.stem: json.loads(path.read_text("utf-8")) for path in BENCHMARKS.glob("*.json")}
GPU, DECODE = RESULTS["gpu"], RESULTS["decode"]["decode"]["cells"]


def shapes(part: str, kind: str = "") -> set[str]:
    """The heads of what was measured: `64/8 heads of 128`."""
    names = GPU[part]["cells"]["shapes"]
    return {re.findall(r"\d+/\d+ heads of \d+", name)[0] for name in names if kind in name}


def when(part: str) -> str:
    """The day as a sentence has it, and the versions."""
    run = GPU[part]
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
    text = (DOCS.parent / "attention/backends/triton" / file).read_text("utf-8")
    found = re.findall(r"(\d+): Config\((\d+)", text.partition(f"{name} = ")[2].partition("}")[0])
    return {int(width): int(first) for width, first in found}


def drawn(length: int, count: int = 2000) -> torch.Tensor:
    torch.manual_seed(0)
    return kinds(count, length)["padding"]().lengths


LONG, FEW = masks(8192), masks(512)
LEFT = [x for x in ast.walk(ast.parse(inspect.getsource(decode.main))) if isinstance(x, ast.List)]
LENGTHS = ast.literal_eval(LEFT[0])
HOW = "speed/benchmarks.md"
KERNEL = "speed/a-gpu-kernel.md"
BACKENDS = "reference/backends.md"
README = "../README.md"
# How many threads measured, of each part on a CPU whose table this page has.
THREADS = {
    part["threads"]
    for name in ("by_hand", "decode", "masks", "memory", "modules")
    for part in RESULTS[name].values()
}
SIDE = inspect.signature(timing.rate).parameters["size"].default


def times(run: str, way: str, *masks: str) -> list[float]:
    """How many times as long as ours that took, under these masks, on the longer texts."""
    cells = RESULTS["masks"][run]["cells"]
    return [cells[n][name]["ways"][way]["ratio"] for n in ("2048", "8192") for name in masks]


def rules() -> set[str]:
    """The masks of which a kernel for a GPU knows the rule; Triton is for Linux: read."""
    text = (DOCS.parent / "attention/backends/triton/rules.py").read_text("utf-8")
    named = re.findall(r"^    (\w+): \w+,$", text.partition("\nRULES: ")[2], re.M)
    return {*named} & {*attention.__all__}


SKIPPED = ("window", "documents", "documents at random", "prefix", "padding")
CASES = [
    (
        README,
        "with a tensor as the mask: windows, packed texts, prefixes and padding, on long texts.",
        min(times("forward", "dense", *SKIPPED) + times("elsewhere", "dense", *SKIPPED)) > 1.2,
    ),
    (
        README,
        "- About as fast: no mask, the causal one, short texts.",
        all(
            abs(x - 1) < 0.05
            for x in times("forward", "dense", "none") + times("forward", "is_causal", "causal")
        )
        and all(
            abs(each["dense"]["ratio"] - 1) < 0.2
            for name, each in RESULTS["masks"]["short"]["cells"]["64"].items()
            if name in ("none", "causal", *SKIPPED)
        ),
    ),
    (
        README,
        "- Slower: on the H200, than FlashAttention 4 in long texts.",
        all(
            ways["flash 4"]["ratio"] < 1
            for name, ways in GPU["forward"]["cells"]["shapes"].items()
            if int(name.split(" × ")[1]) >= 2048
        ),
    ),
    (
        README,
        "does so too, in half precision, for causal masks, windows and padding",
        rules() == {"Causal", "SlidingWindow", "Padding"},
    ),
    (HOW, f"Our script multiplies two random matrices of {SIDE} by {SIDE}", True),
    (HOW, "best of seven, in GFLOP/s", "in range(7)" in inspect.getsource(timing.rate)),
    (HOW, "We did not measure more than two threads.", {2} == THREADS),
    (
        HOW,
        "The window is causal and has 256 keys; a quarter of the text, where that is less.",
        LONG["window"] == Causal() & SlidingWindow(256)
        and FEW["window"] == Causal() & SlidingWindow(512 // 4),
    ),
    (
        HOW,
        "The prefix is the first quarter; padding leaves five eighths.",
        FEW["prefix"] == PrefixLM(512 // 4) and FEW["padding"].lengths.tolist() == [512 * 5 // 8],
    ),
    (
        HOW,
        "Their lengths are drawn between a quarter of the longest and all of it",
        (drawn(64).min(), drawn(64).max()) == (16, 64),
    ),
    (
        HOW,
        "each sequence is cut at three places, drawn at random",
        {len(ids.unique()) for ids in kinds(9, 64)["four texts"]().right.ids} == {4},
    ),
    (HOW, f"{decode.KEYS} keys are held, and few queries ask", True),
    (
        HOW,
        "every four heads of queries share one of keys",
        {x["heads"][0] / x["heads"][1] for name, x in DECODE.items() if "grouped" in name} == {4},
    ),
    (
        HOW,
        "a batch of four texts of four lengths, padded on the left; three hold fewer keys",
        len({*LENGTHS}) == 4 and sum(n < decode.KEYS for n in LENGTHS) == 3,
    ),
    (
        HOW,
        "heads of 64 entries (16 in the two smallest modules)",
        [width // heads for *_, width, heads in modules.SIZES] == [16, 16, 64, 64, 64]
        and WIDTH == decode.WIDTH == 64,
    ),
    (KERNEL, when("forward"), when("forward") == when("backward")),
    (
        KERNEL,
        "a text has 16 heads, 128 wide, or 32 heads, 64 wide, and all texts together have 16,384",
        shapes("forward") == shapes("backward") == {"16/16 heads of 128", "32/32 heads of 64"}
        and (TOKENS, ENTRIES) == (16384, 16 * 128) == (16384, 32 * 64),
    ),
    (
        KERNEL,
        "Each way has a turn in each of three rounds.",
        {GPU[part]["cells"]["rounds"] for part in ("forward", "backward", "decode")} == {3},
    ),
    (
        KERNEL,
        "Under the window it has 16 heads; in the causal rows 64, eight to a head of keys.",
        shapes("sparing", "window") == {"16/16 heads of 128"}
        and shapes("sparing", "causal") == {"64/8 heads of 128"},
    ),
    (
        KERNEL,
        "Here are 64 query heads, 128 wide, eight to a head of keys.",
        shapes("decode") == {"64/8 heads of 128"},
    ),
    (
        KERNEL,
        "The package has tiles for heads of width 64, 128 and 256.",
        [*configs("configs.py", "FORWARD")] == [64, 128, 256],
    ),
    (
        KERNEL,
        "two groups at width 128, three at width 64",
        configs("hopper.py", "CONFIGS") == {128: 2, 64: 3},
    ),
    (
        BACKENDS,
        "That is for heads of 64 to 128 entries",
        (min(onednn.WIDTHS), max(onednn.WIDTHS)) == (64, 128),
    ),
    (BACKENDS, "and for at most eight threads", onednn.MOST_THREADS == 8),
]


@pytest.mark.parametrize(("page", "words", "holds"), CASES, ids=[words for _, words, _ in CASES])
def test_it_was_so(page: str, words: str, holds: bool) -> None:
    says(page, words, holds)
