"""Modules beside torch's own."""

from functools import partial

import pytest
from cells import LOW, PERHAPS, compared, ms, part, table
from pages import ROOT
from pages import says as page_says

PAGE = ROOT / "docs/speed/benchmarks.md"
says = partial(page_says, PAGE)
MODES = [(False, False), (False, True), (True, False), (True, True)]  # in training, with weights


def modules() -> str:
    rows: dict[str, dict] = {}
    for cell in part("modules", "modules")["cells"]["all"]:
        size = ", ".join(str(cell[name]) for name in ("batch", "tokens", "embed_dim"))
        rows.setdefault(size, {})[cell["train"], cell["weights"]] = cell
    shown = [
        [size, ms(each[False, False], "ours")] + [compared(each[mode], "torch") for mode in MODES]
        for size, each in rows.items()
    ]
    head = ["input", "ours, ms", "plain", "weights", "training", "both"]
    return table(head, shown, "modules", "modules")


@pytest.mark.parametrize("make", [modules])
def test_a_table_shows_what_was_measured(make) -> None:
    assert make() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_modules_holds() -> None:
    cells = part("modules", "modules")["cells"]["all"]
    plain, weights, training, both = (
        [x["ways"]["torch"]["ratio"] for x in cells if (x["train"], x["weights"]) == mode]
        for mode in MODES
    )
    says("*Behind* in no cell.", min(*plain, *weights, *training, *both) >= LOW)

    says(
        "Without weights we are ahead for every input, up to 2.23 times.",
        min(plain) > PERHAPS and max(plain) == 2.23,
    )
    widths = [(x["embed_dim"] // x["num_heads"], x["num_heads"]) for x in cells[::4]]
    says(
        "the first two have 4 heads of 16 entries, the third 4 of 64, the last two 8 of 64",
        widths == [(16, 4), (16, 4), (64, 4), (64, 8), (64, 8)],
    )
