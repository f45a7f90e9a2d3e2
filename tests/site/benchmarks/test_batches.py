"""Batches of short texts: one mask for many layers, and a new one for each call."""

from collections import Counter
from datetime import date
from functools import cache, partial

import pytest
import torch
from cells import BATCH_MASKS, BATCHES, HIGH, LOW, PERHAPS, batch, marked, part, table
from masks import TEXT_HEADS, TEXTS, TOKENS, WIDTH, kinds
from pages import ROOT
from pages import says as page_says

from attention.dispatch.call import Call
from attention.dispatch.choice import auto

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)


def batches() -> str:
    rows = [
        [said, *(marked(batch(n, mask, "again")) for n in BATCHES)]
        for mask, said in BATCH_MASKS.items()
    ]
    return table(["mask", *(f"up to {n} tokens" for n in BATCHES)], rows, "masks", "batches")


def cheaper() -> str:
    """New masks."""
    rows = [
        [said, *(marked(batch(n, mask, "new")) for n in BATCHES)]
        for mask, said in BATCH_MASKS.items()
    ]
    return table(["new masks", *(f"up to {n} tokens" for n in BATCHES)], rows, "masks", "batches")


@pytest.mark.parametrize("make", [batches, cheaper])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_batches_holds() -> None:
    again, new = (
        {n: {m: batch(n, m, turn) for m in BATCH_MASKS} for n in BATCHES}
        for turn in ("again", "new")
    )
    says(
        "Here are `4096` tokens in `12` heads of `64` entries: `64` texts of up to `64` tokens, "
        "`32` of up to `128`, `16` of up to `256`, or `8` of up to `512`.",
        (TOKENS, TEXT_HEADS, WIDTH) == (4096, 12, 64)
        and {count: TOKENS // count for count in TEXTS} == {64: 64, 32: 128, 16: 256, 8: 512},
    )
    left = "padding on the left"
    both = "causal and padding"
    says(
        "*Behind*, or *perhaps behind*: nowhere. From 128",
        min(again[n][m] for n in BATCHES for m in BATCH_MASKS) >= LOW,
    )
    says(
        "From 128 tokens on, padding on the left gains most",
        all(max(each, key=each.__getitem__) == left for n, each in again.items() if n >= 128),
    )
    says(
        "At `512` tokens we are ahead under all four.",
        min(new[512].values()) > PERHAPS,
    )
    says("About as long: it is 0.97.", LOW <= new[128][left] == 0.97 <= HIGH)
    behind, perhaps = (
        {n: sum(low <= x < high for x in each.values()) for n, each in new.items()}
        for low, high in ((0, 1 / PERHAPS), (1 / PERHAPS, LOW))
    )
    says(
        "*Behind*: nowhere. *Perhaps behind*: at `64` under all four, at `128` under three, and "
        "at `256` under one.",
        not any(behind.values()) and perhaps == {64: 4, 128: 3, 256: 1, 512: 0},
    )
    says(
        "In all cells but three the ratio is lower than for a mask that was there.",
        sum(new[n][m] >= again[n][m] for n in BATCHES for m in BATCH_MASKS) == 3,
    )
    days = [date.fromisoformat(part("masks", x)["date"]) for x in ("batches, before", "batches")]
    says(
        "so it was when we first measured this, a day earlier: 0.47.",
        (days[1] - days[0]).days == 1 and batch(128, left, "new", "batches, before") == 0.47,
    )
    fused = without_plan()
    none = {*((64, name) for name in BATCH_MASKS), (128, both), (128, "four texts")}
    says(
        "At `64` tokens `auto` makes no plan and runs the kernel of the tensor. So it does at "
        "`128` under *padded, causal* and *four texts*, and for most of the batches that are only "
        "padded on the right.",
        {at for at, times in fused.items() if times == 20} == none
        and 10 < fused[128, "padding"] < 20
        and max(times for at, times in fused.items() if at not in none) == fused[128, "padding"],
    )


@cache  # `literate break` asks for each digit, and none of them changes this
def without_plan() -> Counter[tuple[int, str]]:
    """For how many of 20 new batches of each kind `auto` makes no plan."""
    torch.manual_seed(0)
    fused = Counter()
    for count, longest in zip(TEXTS, BATCHES, strict=True):
        query = torch.empty(count, TEXT_HEADS, longest, WIDTH)
        for name, make in kinds(count, longest).items():
            taken = [auto(Call(query, query, query, make()))[0] for _ in range(20)]
            fused[longest, name] = taken.count("fused")
    return fused
