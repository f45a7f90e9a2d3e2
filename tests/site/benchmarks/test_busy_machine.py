"""A machine with other programs on it."""

from functools import partial

import pytest
from cells import CUT, MASKS, compared, forward, ms, part, table
from pages import ROOT
from pages import says as page_says

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)


def loaded() -> str:
    busy = part("masks", "loaded")["cells"]["8192"]
    rows = [
        [
            CUT.get(name, name),
            ms(busy[name]),
            f"{longer(name):.2f}",
            compared(forward(8192)[name], "dense"),
            compared(busy[name], "dense"),
        ]
        for name in MASKS
    ]
    head = ["mask", "ours, ms", "times as long as alone", "tensor, alone", "under load"]
    return table(head, rows, "masks", "loaded")


def longer(name: str) -> float:
    """How many times as long as alone our call takes under load."""
    busy, alone = (part("masks", part_)["cells"]["8192"][name] for part_ in ("loaded", "forward"))
    return busy["ways"]["auto"]["ms"] / alone["ways"]["auto"]["ms"]


@pytest.mark.parametrize("make", [loaded])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_a_busy_machine_holds() -> None:
    busy = part("masks", "loaded")["cells"]["8192"]
    times = {name: longer(name) for name in MASKS}
    says(
        "Without a mask, we take a little more than three times as long as alone.",
        3 < times["none"] < 3.2,
    )
    most = {name for name in MASKS if times[name] > 6}
    says(
        "Under the window it is more than six times. So it is under unequal texts",
        most == {"window", "documents at random"},
    )
    tensor = {n: busy[n]["ways"]["dense"]["ratio"] for n in MASKS}
    says("no mask of the table falls behind the tensor", tensor["none"] >= 1)
    assert all(tensor[name] > 1.5 for name in MASKS[1:])
