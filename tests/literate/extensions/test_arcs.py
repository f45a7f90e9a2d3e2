"""The arcs of an attention view: as wide as weights, side by side, never crossing, all inside."""

import xml.etree.ElementTree as etree
from itertools import pairwise

import pytest

from literate.extensions import arcs

WEIGHTS = [
    [0.3, 0.5, 0.0, 0.2],
    [0.25, 0.25, 0.25, 0.25],
    [0.0, 0.0, 0.0, 1.0],
    [0.999, 0.001, 0, 0],
]


def numbers(path: etree.Element) -> list[float]:
    return [float(word) for word in path.get("d", "").replace("M", " ").replace("C", " ").split()]


@pytest.fixture
def svg() -> etree.Element:
    svg = arcs.drawing(etree.Element("div"), len(WEIGHTS))
    arcs.arcs(svg, WEIGHTS)
    return svg


def test_each_query_has_its_group_in_a_drawing_of_its_size(svg: etree.Element) -> None:
    left, top, width, height = map(float, svg.get("viewBox", "").split())
    assert (left, top, width) == (0, 0, 4 * arcs.COLUMN)
    assert svg.attrib["aria-hidden"] == "true"
    assert svg.get("class") == "attn__arcs"
    assert [group.get("data-i") for group in svg] == ["0", "1", "2", "3"]
    inside = [y for path in svg.iter("path") for y in numbers(path)[1::2]]
    assert max(inside) == height - arcs.FOOT == arcs.ground(4)
    for path in svg.iter("path"):
        _, base, _, bend, _, _, _, _ = numbers(path)
        # A cubic curve rises three quarters of the way to its two bends, and half its width more.
        rise, half = 0.75 * (base - bend), float(path.get("stroke-width", 0)) / 2
        assert base - rise - half > 0
    highest = arcs.height(3) + arcs.UNIT / 2
    assert 0 < arcs.ground(4) - highest < 5  # none is cut off, and no room is lost


def test_columns_are_even() -> None:
    places = [0, *map(arcs.middle, range(4)), 4 * arcs.COLUMN]
    assert {b - a for a, b in pairwise(places[1:-1])} == {arcs.COLUMN}
    assert places[1] - places[0] == places[-1] - places[-2] == arcs.COLUMN / 2


@pytest.mark.parametrize("i", range(4))
def test_arcs_leave_the_bar_side_by_side_and_land_on_feet(svg: etree.Element, i: int) -> None:
    group, row = svg[i], WEIGHTS[i]
    paths, feet = group.findall("path"), group.findall("rect[@class='key']")
    keys = [int(path.get("data-j", "")) for path in paths]
    assert sorted(keys) == [j for j, weight in enumerate(row) if weight]
    (bar,) = group.findall("rect[@class='query']")
    edge = left = float(bar.get("x", 0))
    assert left + float(bar.get("width", 0)) / 2 == pytest.approx(arcs.middle(i), abs=0.1)
    assert float(bar.get("y", 0)) == arcs.ground(4)
    for path, foot, j in zip(paths, feet, keys, strict=True):
        start, base, bend_a, up, bend_b, also, end, down = numbers(path)
        wide = arcs.UNIT * row[j]
        assert start == bend_a == pytest.approx(edge + wide / 2, abs=0.06)
        assert (base, up) == (down, also)
        assert base - up == pytest.approx(arcs.height(abs(i - j)) * 4 / 3, abs=0.06)
        assert end == bend_b
        if j == i:  # beside its bar
            assert left - (end + wide / 2) == pytest.approx(7, abs=0.11)
        else:
            assert end == pytest.approx(arcs.middle(j), abs=0.06)
        x, width = float(foot.get("x", 0)), float(foot.get("width", 0))
        assert x + width / 2 == pytest.approx(end, abs=0.11)
        assert width == pytest.approx(max(wide, 4), abs=0.06)
        drawn = float(path.get("stroke-width", 0))
        assert drawn == pytest.approx(max(wide - arcs.GAP, 0.4), abs=0.01)
        assert foot.get("height") == bar.get("height") == str(arcs.FOOT)
        assert foot.get("y") == f"{base:g}"
        edge += wide


def test_no_two_arcs_cross() -> None:
    """Side by side at the bar, from the left: those to the left, the nearest first; then the rest,
    the farthest first."""
    assert arcs.slots(2, 6) == [2, 1, 0, 5, 4, 3]
    assert arcs.slots(0, 3) == [0, 2, 1]
    assert all(arcs.height(n + 1) > arcs.height(n) > 0 for n in range(9))
