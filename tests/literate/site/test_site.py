"""The strict build: a fault in a page stops it, with the page and the line."""

import json
import re
from pathlib import Path

import pytest

from literate.site import build as site

PAGE = """# Page

A [link](#part), a [name][attention.masks.Causal] and 0.25<!--= 1 / 4 --> of it,
which is true<!--= 1 < 2 -->.

## Part

::: attention.masks.Causal
"""


def test_a_right_page_builds(build) -> None:
    status, said, folder = build(PAGE)
    assert (status, said) == (0, "")
    html = (folder / "index.html").read_text("utf-8")
    number = '<data aria-description="checked: 1 / 4" class="checked" data-expression="1 / 4"'
    assert number in html
    assert "which is true." in html
    assert "<!--=" not in html
    assert "keep[i, j]" in html


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("(#part)", "(#prat)", 3, "a link '#prat', but there is no such anchor"),
        ("(#part)", "(part.md)", 3, "a link 'part.md', but the target is not found"),
        ("(#part)", "(/part/)", 3, "an absolute link '/part/'"),
        ("[attention.masks.Causal]", "[attention.masks.Casual]", 3, "'attention.masks.Casual'"),
        (":: attention.masks.Causal", ":: attention.masks.Casual", 8, "Could not collect"),
        (":: attention.masks.Causal", ":: attension.masks.Causal", 8, "Could not collect"),
    ],
)
def test_a_dead_name_stops_the_build(build, old: str, new: str, line: int, says: str) -> None:
    assert PAGE.count(old) == 1
    status, said, _ = build(PAGE.replace(old, new))
    assert status == 1
    assert f"docs/index.md:{line}: " in said
    assert says in said


@pytest.fixture
def opened(build, tmp_path: Path):
    """What the numbers of a page open to, with a record."""

    def opened(text: str, numbers: list[list[object]]) -> list[str]:
        record = tmp_path / "docs/.records/index.json"
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps({"numbers": numbers}), "utf-8")
        _, _, folder = build(f"# Page\n\n{text}\n")
        html = (folder / "index.html").read_text("utf-8")
        return re.findall(r'data-expression="([^"]*)"', html)

    return opened


def test_full_values_come_from_the_record(opened) -> None:
    text = "0.33<!--= x -->, 0.5<!--= x -->, 0.25<!--= 1 / 4 -->, −0.250<!--= -x -->."
    record = [["x", 0.333333], ["1 / 4", 0.2512, 3e-06], ["x", 0.5], ["-x", -0.25001]]
    with_spread = "1 / 4 = 0.2512 ± 0.000003"
    assert opened(text, record) == ["x = 0.333333", "x", with_spread, "-x = −0.25001"]


def test_a_value_that_is_another_number_s_is_not_shown(opened) -> None:
    record = [["x", 0.9], ["y", 0.333333]]
    assert opened("0.33<!--= x --> and 0.33<!--= z -->.", record) == ["x", "z"]


@pytest.mark.parametrize("name", ["more.markdown", "part/more.mkd"])
def test_a_page_that_the_tests_would_not_find(build, tmp_path: Path, name: str) -> None:
    (tmp_path / "docs/part").mkdir(parents=True)
    (tmp_path / "docs" / name).write_text("# More\n", "utf-8")
    status, said, _ = build(PAGE)
    assert status == 1
    assert f"docs/{name}:1: the tests run only a page whose name ends in .md" in said


def test_a_fault_without_a_known_place_is_still_said(tmp_path: Path) -> None:
    assert site.locate(tmp_path, "none.md", "x") == ""
