"""A value that is stale and a check that disappears are noticed by the record of the page."""

import json

import pytest
from helpers import counts, failures

RECORDED = """# Page

```python
x = 1 / 3
assert x < 1
```

A third is 0.333<!--= x -->, so<!--= x < 1 -->.
"""


@pytest.fixture
def recorded(run, pytester: pytest.Pytester):
    """A page with a record, and a way to run another text against it."""
    pytester.makeini("[pytest]\nrecords = docs/.records\n")
    (pytester.path / "docs").mkdir()

    def against(text: str, *arguments: str):
        return run(text, *arguments, name="docs/page.md")[0]

    assert "the page has 1 blocks, its record 0" in failures(against(RECORDED))[0]
    assert counts(against(RECORDED, "--update-docs")) == (4, 0, 0)
    assert counts(against(RECORDED)) == (4, 0, 0)
    return against


def test_a_stale_value_is_noticed(recorded, pytester: pytest.Pytester) -> None:
    path = pytester.path / "docs/.records/page.json"
    good = path.read_text("utf-8")
    for stale in ("0.3331", "0.33334"):
        path.write_text(good.replace("0.3333333", stale), "utf-8")
        says = f"page.md:8: x is 0.3333333, but in the record of the page x is {stale}"
        assert says in failures(recorded(RECORDED))[0]
    # Other code came so far from the old value, and the machine of today comes a little farther.
    path.write_text(good.replace("0.3333333", "0.33334,\n   1e-06"), "utf-8")
    assert counts(recorded(RECORDED)) == (4, 0, 0)


def test_a_dropped_check_is_noticed(recorded) -> None:
    for dropped, kind in (
        (RECORDED.replace("<!--= x < 1 -->", ""), "0 claims, its record 1"),
        (RECORDED.replace("0.333<!--= x -->", "some"), "0 numbers, its record 1"),
        (RECORDED.replace("```python", "```text"), "0 blocks, its record 1"),
        (RECORDED.replace("assert x < 1", "x < 1"), "0 assertions, its record 1"),
    ):
        assert any(
            f"page.md:1: the page has {kind}" in text for text in failures(recorded(dropped))
        )


def test_a_record_is_written_once(recorded, pytester: pytest.Pytester) -> None:
    path = pytester.path / "docs/.records/page.json"
    before = path.read_text("utf-8")
    assert '"x",\n   0.3333333' in before
    recorded(RECORDED, "--update-docs")
    assert path.read_text("utf-8") == before
    # Another processor's rounding does not change the record; another value does.
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-8"), "--update-docs")
    assert path.read_text("utf-8") == before
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-5"), "--update-docs")
    assert '"x",\n   0.3333433' in path.read_text("utf-8")


def test_a_record_keeps_how_far_other_code_came(recorded, pytester: pytest.Pytester) -> None:
    """Rounded up to one digit; the widest of all runs; gone with the value that it belongs to."""
    path = pytester.path / "docs/.records/page.json"

    def numbers() -> list[list[object]]:
        return json.loads(path.read_text("utf-8"))["numbers"]

    recorded(RECORDED, "--update-docs")
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-8"), "--update-spread")
    assert numbers() == [["x", 0.3333333]]
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 2.1e-6"), "--update-spread")
    assert numbers() == [["x", 0.3333333, 3e-06]]
    recorded(RECORDED.replace("1 / 3", "1 / 3 - 1e-6"), "--update-spread")
    recorded(RECORDED, "--update-docs")
    assert numbers() == [["x", 0.3333333, 3e-06]]
    assert counts(recorded(RECORDED)) == (4, 0, 0)
    # A number that is written before it moves its place, and not what is known of it.
    moved = RECORDED.replace("0.333<!--= x -->", "0.667<!--= 2 * x --> and 0.333<!--= x -->")
    recorded(moved, "--update-docs")
    assert numbers() == [["2 * x", 0.6666667], ["x", 0.3333333, 3e-06]]
    # What a run of other code finds is kept, however far.
    recorded(moved.replace("1 / 3", "1 / 3 + 1.9e-5"), "--update-spread")
    assert numbers() == [["2 * x", 0.6666667, 4e-05], ["x", 0.3333333, 2e-05]]
    recorded(RECORDED, "--update-docs")
    recorded(RECORDED.replace("1 / 3", "1 / 3 + 1e-4"), "--update-docs")
    assert numbers() == [["x", 0.3334333]]


def test_a_part_of_a_page_makes_no_record(recorded, pytester: pytest.Pytester) -> None:
    path = pytester.path / "docs/.records/page.json"
    before = path.read_text("utf-8")
    recorded(RECORDED.replace("1 / 3", "1 / 4"), "--update-docs", "-k", "record")
    assert path.read_text("utf-8") == before
