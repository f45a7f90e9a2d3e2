"""Attention as a table of coloured cells: what it says, and that it can be read."""

import re
import xml.etree.ElementTree as etree

import pytest
import torch

from attention import AttentionTable

TENNIS = ["I", "love", "tennis", "."]
WEIGHTS = torch.tensor(
    [[0.7, 0.2, 0.06, 0.04], [0.1, 0.8, 0.05, 0.05], [0.05, 0.1, 0.75, 0.1], [0.1, 0.2, 0.05, 0.65]]
)


def tables(view: AttentionTable) -> list[etree.Element]:
    """The tables of the saved HTML, which is XML too."""
    return list(etree.fromstring(f"<main>{view.markup()}</main>").iter("table"))


def cells(table: etree.Element) -> list[list[str]]:
    return [[cell.text or "" for cell in row.iter("td")] for row in table.iterfind("tbody/tr")]


def test_rows_and_columns_are_named() -> None:
    (table,) = tables(AttentionTable(WEIGHTS, TENNIS))
    assert table[0].tag == "caption"
    assert table[0].text == "Attention weights. Each row is a query, each column a key."
    headings = {"col": [], "row": []}
    for heading in table.iter("th"):
        headings[heading.attrib["scope"]].append(heading.text)
    assert headings == {"col": TENNIS, "row": TENNIS}


@pytest.mark.parametrize("digits", [1, 2, 4])
def test_each_cell_has_its_number(digits: int) -> None:
    weights = torch.randn(3, 5, generator=torch.Generator().manual_seed(1)).softmax(-1)
    view = AttentionTable(weights, "abcde", queries="xyz", digits=digits)
    (table,) = tables(view)
    shown = cells(table)
    assert shown == [
        [f"{weight:.{digits}f}" for weight in row] for row in weights.double().tolist()
    ]
    head, *rows = [line.split() for line in str(view).splitlines()]
    assert head == list("abcde")
    assert [row[0] for row in rows] == list("xyz")
    assert [row[1:] for row in rows] == shown


def test_what_may_not_be_seen_is_plainly_zero() -> None:
    (table,) = tables(AttentionTable(torch.tensor([[1.0, 0.0], [0.001, 0.999]]), "ab"))
    assert cells(table) == [["1.00", "0"], ["0.00", "1.00"]]


def test_colours_grow_with_the_weights() -> None:
    weights = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.0, 0.0, 0.5, 0.5]])
    (table,) = tables(AttentionTable(weights, "abcd", full=0.4))
    shares = [cell.attrib["style"] for cell in table.find("tbody").iter("td")]
    percent = ["25.00", "50.00", "75.00", "100.00", "0.00", "0.00", "100.00", "100.00"]
    assert shares == [f"--t: {number}%" for number in percent]


def test_a_head_a_table() -> None:
    weights = torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(0)).softmax(-1)
    view = AttentionTable(weights, TENNIS)
    first, second = tables(view)
    assert "head 0" in (first[0].text or "")
    assert "head 1" in (second[0].text or "")
    assert cells(first)[1][2] == f"{weights[0, 1, 2]:.2f}"
    assert cells(second)[1][2] == f"{weights[1, 1, 2]:.2f}"
    assert str(view).count("head") == 2
    assert view.markup().count("<style>") == 1


@pytest.mark.parametrize(("count", "scrolls"), [(4, False), (5, True)])
def test_what_scrolls_is_reached_by_the_keyboard(count: int, scrolls: bool) -> None:
    html = AttentionTable(torch.eye(count), [str(i) for i in range(count)]).markup()
    box = re.search(r'<div class="attention-table"([^>]*)>', html)
    assert box
    named = ' role="group" aria-label="Attention weights" tabindex="0"'
    assert box[1] == (named if scrolls else "")


def test_a_notebook_shows_the_table(tmp_path) -> None:
    view = AttentionTable(WEIGHTS, TENNIS)
    assert view._repr_html_() == view.markup()
    view.save(tmp_path / "table.html")
    assert (tmp_path / "table.html").read_bytes() == view.markup().encode()


# The colours of a cell: the ramp that the browser mixes in Oklab, and the ink on it.
def linear(colour: str) -> torch.Tensor:
    channels = torch.tensor([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]).double()
    return torch.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


LMS = torch.tensor(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
).double()
LUMINANCE = torch.tensor([0.2126, 0.7152, 0.0722]).double()


def mixed(low: str, high: str, share: float) -> torch.Tensor:
    """What `color-mix(in oklab, high share, low)` is, linear; Oklab is linear in these roots."""
    roots = [(LMS @ linear(colour)) ** (1 / 3) for colour in (low, high)]
    return LMS.inverse() @ ((1 - share) * roots[0] + share * roots[1]) ** 3


def contrast(one: torch.Tensor, other: torch.Tensor) -> float:
    light, dark = sorted((float(LUMINANCE @ colour) for colour in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_cell_can_be_read(scheme: int) -> None:
    html = AttentionTable(WEIGHTS, TENNIS).markup()
    pairs = re.findall(r"var\(--([\w-]+), light-dark\((#\w{6}), (#\w{6})\)\)", html)
    colours = {name: linear_pair for name, *linear_pair in pairs}
    assert set(colours) == {"ink", "weight-0", "weight-1"}
    low, high = colours["weight-0"][scheme], colours["weight-1"][scheme]
    ink = linear(colours["ink"][scheme])
    least = min(contrast(ink, mixed(low, high, step / 100)) for step in range(101))
    assert least >= 4.5
    assert contrast(mixed(low, high, 0), mixed(low, high, 1)) > 2  # and the colours differ


def test_the_contrast_is_that_of_the_standard() -> None:
    black, white, grey = linear("#000000"), linear("#ffffff"), linear("#767676")
    assert contrast(black, white) == pytest.approx(21)
    assert contrast(white, grey) == pytest.approx(4.54, abs=0.01)
    assert torch.allclose(mixed("#f6eef0", "#c47ab1", 0), linear("#f6eef0"))
    assert torch.allclose(mixed("#f6eef0", "#c47ab1", 1), linear("#c47ab1"))
