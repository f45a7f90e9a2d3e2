"""What the first page of the repository says of speed: the measurements have it so."""

import re

import pytest
from cells import part
from gpu_cells import KEPT
from pages import ROOT, says

import attention

PAGE = ROOT / "README.md"
SKIPPED = ("window", "documents", "documents at random", "prefix", "padding")


def times(run: str, way: str, *masks: str) -> list[float]:
    """How many times as long as ours that took, under these masks, on the longer texts."""
    cells = part("masks", run)["cells"]
    return [cells[n][name]["ways"][way]["ratio"] for n in ("2048", "8192") for name in masks]


def rules() -> set[str]:
    """The masks of which a kernel for a GPU knows the rule; Triton is for Linux: read."""
    text = (ROOT / "attention/backends/triton/rules.py").read_text("utf-8")
    named = re.findall(r"^    (\w+): \w+,$", text.partition("\nRULES: ")[2], re.M)
    return {*named} & {*attention.__all__}


CASES = {
    "with a tensor as the mask: windows, packed texts, prefixes and padding, on long texts.": (
        min(times("forward", "dense", *SKIPPED) + times("elsewhere", "dense", *SKIPPED)) > 1.2
    ),
    "- About as fast: no mask, the causal one, short texts.": (
        all(
            abs(x - 1) < 0.05
            for x in times("forward", "dense", "none") + times("forward", "is_causal", "causal")
        )
        and all(
            abs(each["dense"]["ratio"] - 1) < 0.2
            for name, each in part("masks", "short")["cells"]["64"].items()
            if name in ("none", "causal", *SKIPPED)
        )
    ),
    "- Slower: on the H200, than FlashAttention 4 in long texts.": all(
        ways["flash 4"]["ratio"] < 1
        for name, ways in KEPT["forward"]["cells"]["shapes"].items()
        if int(name.split(" × ")[1]) >= 2048
    ),
    "does so too, in half precision, for causal masks, windows and padding": (
        rules() == {"Causal", "SlidingWindow", "Padding"}
    ),
}


@pytest.mark.parametrize("words", CASES)
def test_it_was_so(words: str) -> None:
    says(PAGE, words, CASES[words])
