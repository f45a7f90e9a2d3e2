"""The unit behind a number is in its expression, or kept by the record of its page."""

import pytest
from helpers import page

from literate.rules.claims import at_odds
from literate.rules.units import changed, units
from literate.running import records

TEXT = (
    "It takes 2<!-- source: a.json --> ms, 3<!--= x --><!--= y --> **GB**, 4<!--= z -->\nbytes.\n"
)


def test_the_units_of_checked_and_sourced_numbers() -> None:
    assert [*units(page(TEXT))] == [(1, "ms"), (1, "GB"), (1, "bytes")]
    for text in ("`2<!--= x --> ms`", "2 ms", "2<!-- a word --> ms", "2<!--= x --> msec", "2 MB/x"):
        assert not [*units(page(f"It takes {text}.\n"))]


@pytest.mark.parametrize(("old", "new"), [("ms", "s"), ("GB", "MB"), ("bytes", "bits")])
def test_a_unit_is_the_recorded_one(old: str, new: str) -> None:
    kept = records.updated({}, found := page(TEXT), dict.fromkeys(starts(TEXT), 1.0))["units"]
    assert kept == ["ms", "GB", "bytes"]
    assert changed(found, kept) is None
    other = changed(page(TEXT.replace(old, new)), kept)
    assert other
    assert f"a number in {new}, in the record of the page in {old}" in other[1]


def starts(text: str) -> list[int]:
    return [check.start for check in page(text).checks]


def test_a_unit_more_or_less_is_none_of_the_record() -> None:
    assert changed(page(TEXT), ["ms", "GB"]) == (
        1, "the page has 3 numbers with units, its record 2",
    )  # fmt: skip
    less = page("None.\n")
    assert changed(less, ["ms"]) == (1, "the page has 0 numbers with units, its record 1")
    assert "units" not in records.updated({}, less, {})


@pytest.mark.parametrize(("unit", "number"), [
    ("KB", "1e3"), ("TB", "10**12"), ("KiB", "1024"), ("TiB", "2**40"), ("thousand", "1e3"),
    ("million", "1e6"), ("thousandths", "1000"), ("millionths", "1e6"), ("per cent", "100"),
])  # fmt: skip
def test_a_unit_stands_in_the_expression(unit: str, number: str) -> None:
    assert not [*at_odds(page(f"It is 2<!--= x / {number} --> {unit}.\n"))]
    ((_, message),) = at_odds(page(f"It is 2<!--= x / 7 --> {unit}.\n"))
    assert message == f"x / 7 is no number {unit}"
    assert not [*at_odds(page("It is 2<!--= x / 7 --> ms.\n"))]
