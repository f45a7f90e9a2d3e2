"""What `literate break` reads of the book, and the copy that it breaks."""

from pathlib import Path

import pytest
from trials import PYPROJECT, apart

from literate.breaking import book, sources

FILES = {
    "README.md": "# Read me\n",
    "pyproject.toml": PYPROJECT,
    "Makefile": "",
    "attention/a.py": "",
    "benchmarks/b.py": "",
    "docs/a.md": "12",
    "docs/assets/x.js": "",
    "docs/b/c.md": "1234",
    "docs/b/figures/c/x.svg": "<svg/>",
    "docs/d.md": "12",
    "docs/overrides/main.html": "",
    "literate/l.py": "",
    "tests/conftest.py": "",
    "tests/mutants/m.toml": "",
    "tests/package/test_p.py": "",
    "tests/site/h.py": "",
    "tests/site/r/__pycache__/test_s.pyc": "",
    "tests/site/r/test_s.py": 'PAGE = "docs/b/c.md"\n',
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small book, in the place of ours."""
    apart(monkeypatch, tmp_path / "temporary")
    root = tmp_path / "book"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    monkeypatch.setattr(sources, "ROOT", root)
    return root


def test_the_largest_page_is_the_first(root: Path) -> None:
    """Of pages of one size the first by name."""
    assert sources.pages() == ["README.md", "docs/b/c.md", "docs/a.md", "docs/d.md"]


def test_a_test_in_any_folder_holds_the_page_that_it_names(root: Path) -> None:
    assert sources.outside("docs/b/c.md") == ["tests/site/r/test_s.py"]
    assert sources.outside("docs/a.md") == []


def test_a_copy_has_what_pages_and_their_tests_read(root: Path) -> None:
    """What is broken or stands beside it is copied, the rest is linked; afterwards it is gone."""
    linked = {"attention", "benchmarks", "literate", "tests/mutants", "tests/package"}
    with sources.copy() as copy:
        assert copy.name.startswith("broken-")
        assert copy == copy.resolve()
        paths = [path for path in copy.rglob("*") if path.is_symlink() or path.is_file()]
        links = {path.relative_to(copy).as_posix(): path for path in paths if path.is_symlink()}
        assert links.keys() == linked
        assert all(path.resolve() == root / name for name, path in links.items())
        copied = {path.relative_to(copy).as_posix() for path in paths} - linked
        assert copied == {
            "README.md",
            "pyproject.toml",
            "docs/a.md",
            "docs/b/c.md",
            "docs/b/figures/c/x.svg",
            "docs/d.md",
            "tests/conftest.py",
            "tests/site/h.py",
            "tests/site/r/test_s.py",
        }
        (copy / "docs/a.md").write_text("broken", "utf-8")
        assert (copy / "docs/b/c.md").read_text("utf-8") == "1234"
    assert not copy.exists()
    assert (root / "docs/a.md").read_text("utf-8") == "12"


def test_a_sample_is_another_one_when_the_sources_are(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code that checks, or the page and its figures; else it is the same again."""
    numbers = "".join(f"- {n}.5<!-- source: a book -->\n" for n in range(20, 60))
    (root / "docs/a.md").write_text(numbers, "utf-8")

    def sample(code: str) -> list[int]:
        monkeypatch.setattr(book, "code", lambda: code)
        result = book.one("docs/a.md", 6)
        assert (result.wrong, result.tried) == ("", 6)
        return [place.at for place in result.unnoticed]

    first = sample("one")
    assert sample("one") == first
    assert sample("two") != first
    (root / "docs/figures/a").mkdir(parents=True)
    (root / "docs/figures/a/x.svg").write_text("<svg/>", "utf-8")
    assert sample("one") != first
