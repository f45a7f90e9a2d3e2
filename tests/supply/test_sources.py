"""Every citation is one of the bibliography's, and each of these is cited and has an identifier."""

import re
from pathlib import Path

import pytest

from literate import bibliography as books

ROOT = Path(__file__).parents[2]
# Groups of digits of an arXiv identifier, a DOI, the digits of an ISBN, an address without a query.
NAME = {
    "arxiv": r"\d{4}\.\d{4,5}",
    "doi": r"10\.\d{4,}/[\w.()-]+",
    "isbn": r"97[89]\d{10}",
    "url": r"https://[\w.-]+/[\w./-]*",
}

DOCUMENTATION = {"CUDA C++ Programming Guide", "CUDA semantics", "PTX ISA"}  # it has no year


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_every_citation_is_in_the_bibliography() -> None:
    works, said = books.works(), list(books.mentions())
    assert len(said) > 100
    for mention in said:
        found = [work for work in works if mention.means(work)]
        assert len(found) == 1, f"{mention} is {len(found)} of the works"


def test_every_work_is_cited() -> None:
    said = list(books.mentions())
    for work in books.works():
        assert any(mention.title and mention.means(work) for mention in said), work


def test_a_title_among_sources_has_its_authors_and_year() -> None:
    titles = []
    for path in [path for path in Path("docs").rglob("*.md") if path != books.PAGE]:
        for part in re.findall(
            r"^## Sources\n([\s\S]*?)(?=^## |\Z)", path.read_text("utf-8"), re.M
        ):
            cited = {match[2] for match in books.CITED.finditer(part) if match[1]}
            titles += (found := re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", part))
            assert set(found) - cited <= DOCUMENTATION, f"{path}: {set(found) - cited}"
    assert len(titles) > 60


def test_every_docstring_cites_in_this_form() -> None:
    for path in Path("attention").rglob("*.py"):
        for source in re.findall(r"^ +Source:\n((?: +\S.*\n)+)", path.read_text("utf-8"), re.M):
            assert books.CITED.search(source), f"{path}: {source}"


def test_identifiers_are_such_and_stand_once_in_order() -> None:
    works = books.works()
    assert len({work.name for work in works}) == len(works)
    for work in works:
        assert re.fullmatch(NAME[work.kind], work.name), work
        if work.kind == "isbn":
            weights = [1, 3] * 7
            assert sum(int(d) * w for d, w in zip(work.name, weights, strict=False)) % 10 == 0, work
    order = [(work.authors[0].replace("Le ", "Le"), work.year) for work in works]
    assert order == sorted(order)


def test_the_page_is_what_is_cited_now() -> None:
    assert books.PAGE.read_text("utf-8") == books.page(), "run python -m literate bibliography"
