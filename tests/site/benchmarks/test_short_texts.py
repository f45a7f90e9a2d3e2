"""Texts of 64 to 512 tokens."""

from functools import partial

import pytest
from cells import (
    CUT,
    HIGH,
    LOW,
    MASKS,
    PERHAPS,
    brief,
    compared,
    forward,
    marked,
    ms,
    ratios,
    table,
)
from pages import ROOT
from pages import says as page_says

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)


def short() -> str:
    few, more = forward(64), forward(512)
    rows = [
        [CUT.get(name, name), ms(few[name])]
        + [compared(cell[name], way) for cell in (few, more) for way in ("dense", "formula")]
        for name in MASKS
    ]
    head = ["mask", "64: ours, ms", "64: tensor", "64: formula", "512: tensor", "512: formula"]
    return table(head, rows, "masks", "forward")


def shorter() -> str:
    """One short text, since torch is left to refuse what does not go together."""
    run = brief()
    ways = [(name, "dense", CUT.get(name, name)) for name in MASKS]
    ways.insert(2, ("causal", "is_causal", "causal, `is_causal`"))
    rows = [[said, *(marked(run[n, name, way]) for n in ("64", "128"))] for name, way, said in ways]
    return table(["mask", "64 tokens", "128 tokens"], rows, "masks", "short")


@pytest.mark.parametrize("make", [short, shorter])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_short_texts_holds() -> None:
    more = ratios(512, "dense")
    says(
        "At 512 tokens we are ahead of the tensor under all masks but the prefix, and there "
        "*perhaps*.",
        {name for name in MASKS if more[name] > PERHAPS} == {*MASKS[1:]} - {"prefix"}
        and more["prefix"] > HIGH,
    )
    few = ratios(64, "dense")
    says(
        "*Perhaps behind*: at 64 tokens without a mask, and under texts.",
        {n for n in MASKS if few[n] < LOW} == {"none", "documents", "documents at random"}
        and min(few.values()) > 1 / PERHAPS,
    )
    says(
        "*Behind*, or *perhaps behind*: nowhere. The least ratio is 0.95, without a mask and "
        "beside torch's flag",
        min(brief().values()) >= LOW
        and {at for at, x in brief().items() if x == min(brief().values())}
        == {("64", "none", "dense"), ("64", "causal", "is_causal")},
    )
