"""One kernel on both sides: how far from 1 its ratios are, and what we call equal."""

import re
from functools import partial

import pytest
import torch
from cells import HIGH, LENGTHS, LOW, PERHAPS, compared, forward, part, ratios, table
from masks import HEADS, WIDTH
from pages import ROOT
from pages import says as page_says

from attention import Causal
from attention.dispatch.call import Call
from attention.dispatch.choice import auto

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)


def same() -> str:
    """One kernel on both sides; but not under a causal mask of 512 tokens."""
    pairs = {"none": "dense", "causal": "is_causal"}
    rows = [
        [f"{name}, `is_causal`" if name == "causal" else name]
        + [
            "–" if (name, length) == ("causal", 512) else compared(forward(length)[name], way)
            for length in LENGTHS
        ]
        for name, way in pairs.items()
    ]
    head = ["mask", *(f"{length} tokens" for length in LENGTHS)]
    return table(head, rows, "masks", "forward")


@pytest.mark.parametrize("make", [same])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_one_kernel_holds() -> None:

    same = {(n, "none"): ratios(n, "dense")["none"] for n in LENGTHS}
    same |= {(n, "causal"): ratios(n, "is_causal")["causal"] for n in LENGTHS if n != 512}
    hundredths = {pair: round(100 * abs(ratio - 1)) for pair, ratio in same.items()}
    off = {by: [n for (n, _), by_n in hundredths.items() if by_n == by] for by in (0, 1, 2)}
    query = {n: torch.empty(1, HEADS, n, WIDTH) for n in LENGTHS}
    cut = [n for n, q in query.items() if auto(Call(q, q, q, Causal()))[0] == "spans"]
    says(
        "(With 8 heads we [cut the mask up](../reference/backends.md#what-auto-takes) at 512 "
        "tokens, and at no other length that we tried.",
        cut == [512],
    )
    says("Seven such pairs, at four lengths", (len(same), len(LENGTHS)) == (7, 4))
    says(
        "two print as 1. Two more are off by one hundredth, one by two, and those of 64 tokens by "
        "more.",
        [len(off[by]) for by in (0, 1, 2)] == [2, 2, 1]
        and {n for (n, _), by in hundredths.items() if by > 2} == {64},
    )
    says(
        "both are *perhaps behind*",
        1 / PERHAPS < max(same[64, n] for n in ("none", "causal")) < LOW,
    )
    says(
        "They lie between 0.92 and 1.02.", (min(same.values()), max(same.values())) == (0.92, 1.02)
    )
    tenths = [forward(64)[name]["ways"]["auto"]["ms"] for name in ("none", "causal")]
    about = 0.08 < min(tenths) < max(tenths) < 0.13
    says(
        "At 64 tokens a call takes about a tenth of a millisecond, so the checks that we run "
        "before the kernel show in the ratio: both are *perhaps behind*.",
        about,
    )
    error = max(by for (n, _), by in hundredths.items() if n >= 2048)
    says("the error of our measurement, here up to two hundredths", error == 2)
    says(
        "Within a twentieth of 1 we say *equal*, and the number stands plain. Where one takes up "
        "to a fifth longer than the other we say *perhaps*, ahead or behind, and it stands in "
        "italics",
        (LOW, HIGH, PERHAPS) == (1 - 1 / 20, 1 + 1 / 20, 1 + 1 / 5),
    )
    page = PAGE.read_text("utf-8")
    italic, bold = (
        [float(x) for x in re.findall(rf"\| {mark}(\d+\.\d\d){mark} (?=\|)", page)]
        for mark in (r"\*", r"\*\*")
    )
    assert 1 / PERHAPS <= min(italic) <= max(italic) <= PERHAPS
    assert not [x for x in bold if 1 / PERHAPS <= x <= PERHAPS]
    rates = [cell["product"] for cell in part("masks", "forward")["cells"].values()]
    says(
        "Of the first four, the slowest is 2 % below the fastest.",
        (len(rates), round(100 * (1 - min(rates) / max(rates)))) == (4, 2),
    )
