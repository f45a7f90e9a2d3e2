"""How the chapter says that it measures: on which machines, in how many rounds."""

import re
from functools import partial

import pytest
from cells import part, source, table
from masks import HEADS, WIDTH
from pages import ROOT
from pages import says as page_says
from timing import LEAST, MOST, SHORT

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)
MEASURED = r"<!-- source: benchmarks/\w+\.py: AMD EPYC"
FIRST = [("masks", "forward"), ("masks", "again"), ("masks", "backward"), ("masks", "loaded")]
FIRST += [("masks", "batches, before"), ("masks", "batches"), ("memory", "memory")]
SECOND = [("masks", "elsewhere"), ("by_hand", "forward")]
SECOND += [("decode", "decode"), ("modules", "modules")]
SECOND += [("masks", "learning"), ("masks", "busy"), ("decode", "later")]
THIRD = [("masks", "short, before"), ("masks", "short")]


def rates() -> str:
    cells = part("masks", "forward")["cells"]
    head = [*(f"after {length} tokens" for length in cells), "among other programs"]
    busy = part("masks", "loaded")["cells"]["8192"]
    rates = [f"{c['product']:.1f}" for c in (*cells.values(), busy)]
    assert source("masks", "forward") == source("masks", "loaded")
    return table(head, [rates], "masks", "forward")


@pytest.mark.parametrize("make", [rates])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_how_it_measures_holds() -> None:
    kept = part("masks", "forward")
    says(
        f"Float32; one sequence and {HEADS} heads of {WIDTH} entries, unless a table says "
        f"otherwise; two threads, torch {kept['torch']}. *The first machine* has an AMD EPYC of "
        "family 25, model 1, of generation Zen 3.",
        kept["threads"] == 2
        and {part(*at)["machine"] for at in FIRST} == {"AMD EPYC, family 25, model 1"},
    )
    says(
        "*The second machine* has an AMD EPYC of family 26, model 2, of generation Zen 5.",
        {part(*at)["machine"] for at in SECOND} == {"AMD EPYC, family 26, model 2"},
    )
    first, second = PAGE.read_text("utf-8").split("\n## Another machine")
    third = source(*THIRD[1])
    first = first.replace(third, "", 1)
    for text, machine in ((first, "family 25, model 1"), (second, "family 26, model 2")):
        assert len(re.findall(f"{MEASURED}, {machine},", text)) == len(re.findall(MEASURED, text))
    says(
        "on a *third machine*, an AMD EPYC of family 25, model 17, of generation Zen 4, in up to "
        "1000 rounds:",
        {part(*at)["machine"] for at in THIRD} == {"AMD EPYC, family 25, model 17"}
        and "most=1000" in (ROOT / "benchmarks/masks.py").read_text("utf-8"),
    )
    says(
        f"in random order: {MOST} rounds, or fewer of long calls, and at least {LEAST}. A call "
        f"that takes less than {round(1000 * SHORT)} ms is repeated, as often as makes about that "
        "much.",
        MOST > LEAST,
    )
    clock = (ROOT / "benchmarks/gpu_clock.py").read_text("utf-8")
    says(
        "it records one event before the call and one after.",
        "start.record()\n    call()\n    end.record()" in clock,
    )
    says("A takes 1 ms and 4 ms. B takes 2 ms on both.", 1 / 2 < 1 < 4 / 2)
