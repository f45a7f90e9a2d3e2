"""The record of a page: what is counted, how near a value is the same, how it is written."""

from pathlib import Path

import pytest
from helpers import page

from literate.running import records

FOUND = page("It is 0<!--= a -->.\n")


def values(value: float) -> dict[int, float]:
    """What came for the one number of the page."""
    return {FOUND.checks[0].start: value}


def of(kept: float, *seen: float) -> dict:
    return {"numbers": [["a", kept, *seen]]}


def test_assertions_are_counted_in_what_runs() -> None:
    """Those of the language and those of torch; none in code that is shown or is no Python."""
    asserts = "assert x\nif x:\n    assert_close(x, x)\n    t.assert_close(x, x)\n"
    for kind, count in (("raises", 3), ("check", 3), ("notest", 0)):
        text = f"```python {{.{kind}}}\n{asserts}```\n"
        assert records.counts(page(text))["assertions"] == count
    broken = page(f"```python {{.raises}}\n{asserts}x = (\n```\n")
    assert records.counts(broken)["assertions"] == 0


@pytest.mark.parametrize(("came", "kept"), [(1e-9, 0.0), (-1e-9, 0.0), (1.1e-9, 1.1e-9)])
def test_near_0_a_recorded_value_stays_within_a_billionth(came: float, kept: float) -> None:
    """The bound itself is within."""
    assert records.updated(of(0.0), FOUND, values(came))["numbers"] == [["a", kept]]


def test_a_billionth_stays_for_a_0_that_came() -> None:
    assert records.updated(of(1e-9), FOUND, values(0.0))["numbers"] == [["a", 1e-9]]
    assert records.updated(of(1.1e-9), FOUND, values(0.0))["numbers"] == [["a", 0.0]]


def test_near_0_a_billionth_is_no_spread() -> None:
    assert records.spread(of(0.0), FOUND, values(1e-9)) == of(0.0)
    assert records.spread(of(0.0), FOUND, values(1.5e-9)) == of(0.0, 2e-9)


def test_another_processor_may_come_ten_times_as_far() -> None:
    assert records.stale(of(0.59, 0.0095), FOUND, values(0.5)) is None
    said = "a is 0.5, but in the record of the page a is 0.6"
    assert records.stale(of(0.6, 0.0095), FOUND, values(0.5)) == (1, said)


def test_a_millionth_is_never_stale() -> None:
    """The bound itself is within."""
    assert records.stale(of(1e-6), FOUND, values(0.0)) is None
    assert records.stale(of(1.1e-6), FOUND, values(0.0)) is not None


def test_a_record_is_written_with_its_letters_and_read_again(tmp_path: Path) -> None:
    record = {"numbers": [['weights["é−×"]', 0.5]]}
    place = tmp_path / "part" / "page.json"
    records.write(place, record)
    lines = place.read_text("utf-8").split("\n")
    assert lines[3] == '   "weights[\\"é−×\\"]",'
    assert lines[-1] == ""
    assert records.read(place) == record


def test_a_record_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert records.read(tmp_path / "page.json") == {}
