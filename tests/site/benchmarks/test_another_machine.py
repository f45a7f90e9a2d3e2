"""Another machine, and the other library that is taken there."""

from datetime import date
from functools import partial

import pytest
import torch
from cells import (
    CUT,
    HIGH,
    LOW,
    MASKS,
    PERHAPS,
    compared,
    forward,
    marked,
    moves,
    part,
    ratio,
    table,
)
from masks import HEADS, WIDTH
from masks import masks as cut_by
from pages import ROOT
from pages import says as page_says

from attention.dispatch.call import Call
from attention.dispatch.choice import auto

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)
SPED = {*MASKS} - {"window"}  # where `auto` takes `onednn` there, at 8192 tokens


def elsewhere() -> str:
    here, there = (part("masks", name)["cells"]["8192"] for name in ("forward", "elsewhere"))
    rows = [
        [CUT.get(name, name)]
        + [compared(each[name], way) for way in ("dense", "flex") for each in (here, there)]
        for name in MASKS
    ]
    head = ["8192 tokens", "tensor", "there", "Flex", "there"]
    return table(head, rows, "masks", "elsewhere")


def hands() -> str:
    cells = [part("by_hand", "forward")["cells"][str(length)] for length in (2048, 8192)]
    rows = [
        [CUT.get(name, name), *(marked(each[name]["by hand"]["ratio"]) for each in cells)]
        for name in MASKS[2:]
    ]
    return table(["mask", "2048 tokens", "8192 tokens"], rows, "by_hand", "forward")


@pytest.mark.parametrize("make", [elsewhere, hands])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_another_machine_holds() -> None:
    first, there = part("masks", "forward"), part("masks", "elsewhere")
    assert first["machine"] != there["machine"]
    long, middle = there["cells"]["8192"], there["cells"]["2048"]
    equal = {name for name in MASKS if LOW <= long[name]["ways"]["onednn"]["ratio"] <= HIGH}
    says(
        "There `auto` takes other code for six of the seven masks, all but the window.",
        equal >= SPED,
    )
    moved = {name: abs(times - 1) for name, times in away("dense").items()}
    says(
        "In proportion, its ratio to the tensor moved least; two runs on the first machine "
        "differed by more.",
        min(moved, key=moved.__getitem__) == "window" and moved["window"] < moves()["window"],
    )
    days = [date.fromisoformat(each["date"]) for each in (there, first)]
    says("“There” was measured a day earlier", (days[1] - days[0]).days == 1)
    flex = {name: long[name]["ways"]["flex"]["ratio"] for name in away("flex")}
    says(
        "It is behind us under three of the four masks, *perhaps* under equal texts, and *equal* "
        "under the window.",
        len(flex) == 4
        and LOW <= flex.pop("window") <= HIGH < min(flex.values())
        and [name for name, times in flex.items() if times <= PERHAPS] == ["documents"],
    )
    shorter = {n: x["ways"]["flex"]["ratio"] for n, x in middle.items() if n in [*flex, "window"]}
    behind = {n for n, ratio in shorter.items() if ratio < 1 / PERHAPS}
    says("*Behind*: at 2048 tokens, under equal texts", behind == {"documents"})
    assert {n for n, ratio in shorter.items() if ratio < LOW} == behind


def away(way: str) -> dict[str, float]:
    """The ratios at 8192 tokens on the other machine, beside those on the first."""
    there = part("masks", "elsewhere")["cells"]["8192"]
    ratios = [
        {n: x[n]["ways"].get(way, {}).get("ratio") for n in MASKS} for x in (forward(8192), there)
    ]
    return {n: ratios[1][n] / ratios[0][n] for n in MASKS if ratios[0][n]}


@pytest.mark.parametrize("name", MASKS)
def test_what_auto_takes_on_another_machine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention.processor.narrow_mkl", lambda: True)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    query = torch.empty(1, HEADS, 8192, WIDTH)
    taken = auto(Call(query, query, query, cut_by(8192)[name]))[0]
    assert (taken == "onednn") is (name in SPED)


def test_what_the_page_says_of_another_library_holds() -> None:
    plain = [
        x for x in part("modules", "modules")["cells"]["all"] if not (x["train"] or x["weights"])
    ]
    third, fourth, fifth = (ratio(x, "linear") for x in plain[2:])
    says(
        f"By MKL instead, our module takes {third} times as long for the third input, for the "
        f"fourth {fourth} times, for the last {fifth} times.",
        len(plain) == 5,
    )


def test_what_the_page_says_of_torch_by_hand_holds() -> None:
    cells = part("by_hand", "forward")["cells"]
    found = {(n, name): cells[n][name]["by hand"]["ratio"] for n in cells for name in MASKS[2:]}
    says(
        "The rows of equal and unequal texts, at 2048 tokens, show the rule alone, since both "
        "sides ask MKL there",
        found["2048", "documents"] == found["2048", "documents at random"] < PERHAPS,
    )
    more = {name: found["8192", name] for name in MASKS[2:]}
    says(
        "At 8192 tokens most of the lead is [the other library's](#another-library), except under "
        "the window",
        min(more.values()) > PERHAPS and max(more, key=more.__getitem__) == "window",
    )
