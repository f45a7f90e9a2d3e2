"""`literate break` on the pages of a book: what it is told, prints, keeps, and pardons."""

import json
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import BaseContext
from pathlib import Path
from threading import Event

import pytest

from literate.breaking import book, pardons
from literate.breaking.pardons import Pardon, holds, sift, strays
from literate.breaking.places import Place
from literate.breaking.trial import Result

PAGES = ["docs/long.md", "docs/b.md", "docs/a.md"]


def place(line: int = 3, kind: str = "output", at: int = 20) -> Place:
    return Place("page.md", at, "4", "5", kind, line, "it's 4")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three pages, no pardons, and nothing found yet."""
    monkeypatch.setattr(book, "FOUND", tmp_path / "found.json")
    monkeypatch.setattr(book, "pages", lambda: PAGES)
    monkeypatch.setattr(book, "code", lambda: "code of now")
    monkeypatch.setattr(book, "text", lambda page: f"text of {page}")
    monkeypatch.setattr(pardons, "pardons", lambda: [])
    monkeypatch.setattr(pardons, "ROOT", tmp_path)
    return tmp_path


def came(monkeypatch: pytest.MonkeyPatch, **wrong: str) -> list[tuple[list[str], int]]:
    """Let each page have one digit, and those that are named be wrong; what was tried is listed."""
    asked: list[tuple[list[str], int]] = []

    def tried(chosen: list[str], sample: int):
        asked.append((chosen, sample))
        for page in chosen:
            yield page, Result(tried=1, wrong=wrong.get(Path(page).stem, ""))

    monkeypatch.setattr(book, "tried", tried)
    return asked


def test_the_pages_that_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = came(monkeypatch)
    assert book.main(["docs/b.md", "docs/a.md"]) == 0
    assert asked == [(["docs/b.md", "docs/a.md"], 0)]
    said = (
        "docs/b.md: 1 digits, 0 unnoticed, 0 listed\ndocs/a.md: 1 digits, 0 unnoticed, 0 listed\n"
    )
    assert capsys.readouterr() == (said, "")
    assert book.found().keys() == {"docs/a.md", "docs/b.md"}


def test_without_names_those_that_have_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = came(monkeypatch)
    assert book.main(["docs/long.md"]) == 0
    assert book.main([]) == 0
    assert book.main([]) == 0
    assert asked[1:] == [(["docs/b.md", "docs/a.md"], 0), ([], 0)]


def test_a_page_on_which_something_is_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not kept, the others are, and the command fails."""
    came(monkeypatch, b="page.md:5: no")
    assert book.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "docs/long.md: 1 digits, 0 unnoticed, 0 listed",
        "docs/b.md: 1 digits, 0 unnoticed, 0 listed",
        "  docs/b.md: fails unchanged: page.md:5: no",
        "docs/a.md: 1 digits, 0 unnoticed, 0 listed",
    ]
    assert book.found().keys() == {"docs/long.md", "docs/a.md"}


def test_a_sample_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = came(monkeypatch)
    assert book.main(["--sample", "30", "docs/a.md"]) == 0
    assert asked == [(["docs/a.md"], 30)]
    assert not book.FOUND.exists()


def test_a_page_that_is_none_of_the_book(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first of them is named, and nothing is tried."""
    assert book.main(["docs/a.md", "docs/z.md", "docs/c.md"]) == 2
    said = "no page of the book: docs/c.md; expected one as docs/long.md\n"
    assert capsys.readouterr() == ("", said)


def test_the_help_says_what_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    with pytest.raises(SystemExit, match="0"):
        book.main(["--help"])
    said = capsys.readouterr().out
    usage, _, rest = said.partition("\n\n")
    assert usage == "usage: python -m literate break [-h] [--sample SAMPLE] [PAGE ...]"
    assert "digits changed, and what nobody noticed." in rest
    assert "--sample SAMPLE  only so many digits of each page\n" in rest


def test_what_is_said_of_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each digit on a line of its own that an editor finds; how many are wrong is returned."""
    result = Result(tried=9, unnoticed=[place(3), place(14)])
    assert book.told("docs/a.md", result, 0) == 2
    assert capsys.readouterr().out == (
        "docs/a.md: 9 digits, 2 unnoticed, 0 listed\n"
        '  page.md:3: nobody notices 4 → 5: "it\'s 4"\n'
        '  page.md:14: nobody notices 4 → 5: "it\'s 4"\n'
    )
    assert not book.FOUND.exists()


def test_a_pardon_that_is_of_no_use_any_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told of where every digit was tried: not of a sample, nor where the page fails."""
    (folder / "docs").mkdir()
    (folder / "docs/a.md").write_text("With 7 heads and 8 rows.\n", "utf-8")
    known = [Pardon("docs/a.md", words, "a reason") for words in ("7 heads", "8 rows")]
    monkeypatch.setattr(pardons, "pardons", lambda: known)
    listed = place(kind="sourced", at=5)
    stray = "  pardons.toml: '8 rows' pardons nothing of docs/a.md\n"
    assert book.told("docs/a.md", Result(tried=3, unnoticed=[listed]), 0) == 1
    first = "docs/a.md: 3 digits, 0 unnoticed, 1 listed\n"
    assert capsys.readouterr().out == first + stray
    assert not book.FOUND.exists()
    assert book.told("docs/a.md", Result(tried=3, unnoticed=[listed]), 3) == 0
    assert capsys.readouterr().out == first
    assert not book.FOUND.exists()
    assert book.told("docs/a.md", Result(wrong="docs/a.md:1: no"), 0) == 1
    first = "docs/a.md: 0 digits, 0 unnoticed, 0 listed\n"
    assert capsys.readouterr().out == first + "  docs/a.md: fails unchanged: docs/a.md:1: no\n"
    assert book.told("docs/a.md", Result(wrong="docs/a.md:1: no"), 3) == 1
    del known[1]
    assert book.told("docs/a.md", Result(tried=3, unnoticed=[listed]), 0) == 0
    assert book.found()["docs/a.md"]["listed"] == 1


def test_what_is_kept(folder: Path) -> None:
    """By page, kinds in order, what the digits depend on; pages that are gone are forgotten."""
    entry = {"code": "old", "text": "old", "digits": {}, "listed": 0}
    old = {"docs/long.md": entry, "docs/gone.md": entry}
    book.FOUND.write_text(json.dumps(old), "utf-8")
    result = Result(tried=5)
    result.shown.update({"table": 2, "output": 3})
    book.keep("docs/a.md", result, 4)
    assert book.FOUND.read_text("utf-8") == (
        """{
 "docs/a.md": {
  "code": "code of now",
  "text": "text of docs/a.md",
  "digits": {
   "output": 3,
   "table": 2
  },
  "listed": 4
 },
 "docs/long.md": {
  "code": "old",
  "text": "old",
  "digits": {},
  "listed": 0
 }
}
"""
    )
    assert book.stale() == ["docs/long.md", "docs/b.md"]


class Pool(ThreadPoolExecutor):
    """Threads of this process in the place of others, which would import the book anew."""

    asked: list[tuple[int, str, int]] = []

    def __init__(self, workers: int, mp_context: BaseContext, max_tasks_per_child: int) -> None:
        self.asked.append((workers, mp_context.get_start_method(), max_tasks_per_child))
        super().__init__(workers)


def test_pages_are_tried_two_at_a_time_the_largest_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a process that begins anew, for a page may set what another reads."""
    monkeypatch.setattr(book, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(Pool, "asked", [])
    begun: list[str] = []

    def one(page: str, sample: int) -> tuple[str, int]:
        begun.append(page)
        return page, sample

    monkeypatch.setattr(book, "one", one)
    assert list(book.tried([], 7)) == []
    assert dict(book.tried(["docs/a.md", "docs/long.md"], 7)) == {
        "docs/a.md": ("docs/a.md", 7),
        "docs/long.md": ("docs/long.md", 7),
    }
    assert begun == ["docs/long.md", "docs/a.md"]
    assert Pool.asked == [(2, "spawn", 1)] * 2


def test_a_page_that_takes_long_holds_no_other_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has come is kept if the rest is stopped; in the file the names stay in order."""
    others = Event()

    def one(page: str, sample: int) -> Result:
        assert page != "docs/long.md" or others.wait(30)
        return Result()

    monkeypatch.setattr(book, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(book, "one", one)
    came = book.tried(PAGES, 0)
    first = [next(came) for _ in range(2)]
    assert {page for page, _ in first} == {"docs/a.md", "docs/b.md"}
    for page, result in first:
        book.told(page, result, 0)
    assert list(book.found()) == ["docs/a.md", "docs/b.md"]
    others.set()
    assert [page for page, _ in came] == ["docs/long.md"]


TEXT = "1 µs or 20, then 1 of 3.\n"


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pardons, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text(TEXT, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("page", "kind", "at", "held"),
    [
        ("page.md", "sourced", TEXT.index("20"), True),
        ("page.md", "caption", TEXT.index("20") + 1, True),
        ("*", "picture", TEXT.index("20"), True),
        ("*", "answer", TEXT.index("20") - 1, False),
        ("*", "answer", TEXT.index("20") + 2, False),
        ("other.md", "sourced", TEXT.index("20"), False),
        ("page.md", "output", TEXT.index("20"), False),
        ("*", "number", TEXT.index("20"), False),
        ("*", "table", TEXT.index("20"), False),
        ("*", "figure", TEXT.index("20"), False),
        ("other.md", "figure", TEXT.index("20"), False),
    ],
)
def test_a_pardon_is_of_prose_alone(words: Path, page: str, kind: str, at: int, held: bool) -> None:
    """Of a digit inside of its words, on its own page or on any."""
    assert holds(Pardon(page, "20", "a reason"), "page.md", place(kind=kind, at=at)) is held


def test_the_words_of_a_pardon_may_stand_anywhere_and_nowhere(words: Path) -> None:
    one = Pardon("*", r"\b1\b", "a reason")
    for at in (0, TEXT.rindex("1")):
        assert holds(one, "page.md", place(kind="sourced", at=at))
    assert not holds(Pardon("*", "none", "a reason"), "page.md", place(kind="sourced", at=0))


def test_what_is_pardoned_and_by_which(words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One pardon is enough; a stray is one of the page that pardons nothing, not one of all."""
    first, third = place(kind="sourced", at=0), place(kind="sourced", at=TEXT.index("3"))
    known = [
        Pardon("page.md", "1", "a reason"),
        Pardon("page.md", "20", "a reason"),
        Pardon("*", "nothing", "a reason"),
        Pardon("other.md", "3", "a reason"),
    ]
    monkeypatch.setattr(pardons, "pardons", lambda: known)
    assert sift("page.md", [first, third]) == ([third], 1)
    assert sift("page.md", [third, third]) == ([third, third], 0)
    assert strays("page.md", [third, first]) == ["20"]
    assert strays("page.md", []) == ["1", "20"]
