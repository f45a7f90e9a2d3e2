"""The page of the counts, made of small records."""

from pathlib import Path

import pytest

from literate import counts
from literate.breaking import book
from literate.mutants import record
from literate.mutants.mutant import mutants
from literate.mutants.plugin import Trial
from literate.mutants.record import Found
from literate.mutants.sample import UNSEEN, Came, Sample, hashed
from literate.running.records import write

HAS = {"blocks": 1200, "outputs": 2, "numbers": 3, "claims": 4, "assertions": 9}
HAS |= {"tables": 5, "figures": 6}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pages that check something, one that does not, and a package of two parts."""
    monkeypatch.chdir(tmp_path)
    for name in ("about/counts", "part/one", "part/plain"):
        path = Path(f"docs/{name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# The {path.stem}\n", "utf-8")
    write(Path("docs/.records/part/one.json"), {"counts": HAS, "numbers": []})
    write(Path("docs/.records/about/counts.json"), {"counts": HAS, "numbers": []})
    write(Path("docs/.records/README.json"), {"counts": HAS, "numbers": []})
    for names in (record.EQUIVALENT, UNSEEN):
        names.parent.mkdir(parents=True, exist_ok=True)
        names.write_text("", "utf-8")
    said = {"digits": {"output": 10, "number": 20}, "listed": 7}
    monkeypatch.setattr(book, "found", lambda: {"README.md": said, "docs/part/one.md": said})


def test_a_row_for_each_page_that_checks_something(small: None) -> None:
    assert counts.checks() == (
        "| README | 1,200 | 2 | 3 | 4 | 9 | 11 | 30 | 7 |\n"
        "| [The one](../part/one.md) | 1,200 | 2 | 3 | 4 | 9 | 11 | 30 | 7 |\n"
        "| **in all** | 2,400 | 4 | 6 | 8 | 18 | 22 | 60 | 14 |\n"
    )


def test_a_page_that_was_never_broken_is_named(small: None, capsys, monkeypatch) -> None:
    monkeypatch.setattr(counts, "page", lambda: "written")
    assert counts.main([]) == 0
    assert counts.PAGE.read_text("utf-8") == "written"
    counts.PAGE.write_text("as it was", "utf-8")
    for name in ("new", "other"):
        Path(f"docs/part/{name}.md").write_text(f"# The {name}\n", "utf-8")
        write(Path(f"docs/.records/part/{name}.json"), {"counts": HAS, "numbers": []})
    assert counts.main([]) == 1
    assert capsys.readouterr().err == (
        "docs/part/new.md, docs/part/other.md: expected digits that were broken, but none were; "
        "python -m literate break comes first\n"
    )
    assert counts.PAGE.read_text("utf-8") == "as it was"


def test_a_row_for_each_page_that_was_asked_alone(small: None) -> None:
    path = Path("attention/a.py")
    path.parent.mkdir()
    path.write_text("".join(f"a{n} = 1\n" for n in range(8)), "utf-8")
    readme, one, example = "README.md", "docs/part/one.md", "attention/a.py::attention.a"
    asked = [([readme], [readme]), ([readme, example], [example]), ([readme], []), ([readme], [])]
    asked += [([one], [one])] * 2 + [([example], [example])] * 2
    sample = Sample({"attention/gone.py f: 1 → 2": Came("", True, [readme], [readme])})
    for (mutant, now), (tried, noticed) in zip(hashed(mutants(path)).items(), asked, strict=True):
        sample.note(Trial(mutant, True, tried, noticed), now)
    sample.write(record.PAGES)
    assert counts.pages() == (
        "| README | 4 | 1 | 25.0 % |\n"
        "| [The one](../part/one.md) | 2 | 2 | 100.0 % |\n"
        "| the examples of the reference | 3 | 3 | 100.0 % |\n"
        "| **together** | 8 | 6 | 75.0 % |\n"
    )


def part(folder: str, noticed: list[int]) -> None:
    """A file with as many mutants, all alike, and what noticed them in a record."""
    path = Path(folder) / "a.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"a{n} = 1\n" for n in range(len(noticed))), "utf-8")
    place = record.TESTS if folder.startswith("attention") else record.LITERATE
    found = Found.read(place)
    found.note(path, dict(zip(mutants(path), noticed, strict=True)))
    found.write(place)


def test_a_row_for_each_part_of_what_was_changed(small: None) -> None:
    part("attention/b", [0, 0, -1, -1, -2])
    part("attention", [0, -1, 0])
    part("attention/a", [-2])  # none of which ran: no row
    part("literate", [0, -1])
    # One that was noticed all the same is counted as noticed.
    names = ("attention/b/a.py module: 1 → 2 (3)", "literate/a.py module: 1 → 2")
    record.EQUIVALENT.write_text("".join(f'"{name}" = "the same"\n' for name in names), "utf-8")
    rows = [
        "| `attention/` | 3 | 0 | 2 | 66.6 % |\n",
        "| `attention/b/` | 4 | 1 | 2 | 66.6 % |\n",
        "| `literate/` | 2 | 0 | 1 | 50.0 % |\n",
        "| **in all** | 9 | 1 | 5 | 62.5 % |\n",
    ]
    assert counts.main([]) == 0
    text = counts.PAGE.read_text("utf-8")
    assert "".join(rows) in text
    assert counts.checks() in text
