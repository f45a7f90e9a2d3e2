"""Every citation is one of the bibliography's, and each of these is cited and has an identifier."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from literate import bibliography as books
from literate.pages.page import Page
from literate.pages.prose import CODE
from literate.rules.compare import same_number

ROOT = Path(__file__).parents[2]
# Groups of digits of an arXiv identifier, a DOI, the digits of an ISBN, an address without a query.
NAME = {
    "arxiv": r"\d{4}\.\d{4,5}",
    "doi": r"10\.\d{4,}/[\w.()-]+",
    "isbn": r"97[89]\d{10}",
    "url": r"https://[\w.-]+/[\w./-]*",
}

# It has no year.
DOCUMENTATION = {"CUDA C++ Programming Guide", "CUDA semantics", "PTX ISA"}
DOCUMENTATION |= {"H100 Tensor Core GPU", "H200 Tensor Core GPU"}


# What pages take numbers from, beside works, files and the package.
ELSEWHERE = (
    *("NVIDIA, CUDA C++ Programming Guide, ", "NVIDIA H100 Tensor Core GPU datasheet, "),
    *("NVIDIA, H200 Tensor Core GPU, data sheet", "flash-attn-4 4.0.0b36, "),
    *("PyTorch, FlashAttentionKernel.cpp, ", "PyTorch, flex_attention.py, "),
    *("github.com/NVIDIA/nccl/issues/1264", "vLLM, documentation, "),
    *("Triton, backends/nvidia/driver.py, ", "transformers, GPT2Config: ", "mallopt(3), "),
    *("the printed output of that example, ", "the six threads, as linked"),
    *("the records of the last runs; ", "the built site in Chromium"),
)

MEASURED = re.compile(
    r"(?P<printed>(?<![\w.,])\d+(?:[,\u202f]\d{3})*(?:\.\d+)?)(?P<unit>[ \u202f]?[%×])?"
    r"<!-- source: (?P<said>(?P<file>benchmarks/\w+\.json).*?) -->"
)
# What was computed from two measurements; tests/site computes it again.
COMPUTED = {
    "benchmarks/cost.json, eager, held, beside fused, 1024 tokens",
    "benchmarks/cost.json, fused beside eager, 2048 tokens",
    *(
        f"benchmarks/gpu.json, one text, {end}"
        for end in ("ahead up to", "behind from", "behind up to")
    ),
    "benchmarks/masks.json, none at 64 tokens, ours less the tensor",
    "benchmarks/memory.json, window beside causal, 8192 tokens",
}


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_every_citation_is_in_the_bibliography() -> None:
    works, said = books.works(), list(books.mentions())
    assert len(said) > 100
    for mention in said:
        found = [work for work in works if mention.means(work)]
        assert len(found) == 1, f"{mention} is {len(found)} of the works"


def test_a_number_has_a_source_that_there_is() -> None:
    """One of the works, a file, a name of the package, or one of the few things named here."""
    seen = 0
    for path in (*Path("docs").rglob("*.md"), Path("README.md")):
        prose = CODE.sub("", Page.read(path).prose)
        for source in re.findall(r"<!-- source: (?!…)([^>]*?) -->", prose):
            seen += 1
            where = re.match(r"[\w/]+\.(?:py|json)\b", source)
            name = re.match(r"attention(?:\.\w+)+", source)
            if where:
                assert Path(where[0]).is_file(), f"{path}: {source}"
            elif name:
                assert resolve_name(name[0]) is not None
            elif not source.startswith(ELSEWHERE):
                cited = books.COMMENT.match(f"<!-- source: {source} -->")
                assert cited, f"{path}: {source} is no source"
    assert seen > 100


@cache
def measured(file: str) -> list[float]:
    """All numbers of a file of results."""
    return [*numbers(json.loads(Path(file).read_text("utf-8")))]


def numbers(part: object) -> Iterator[float]:
    match part:
        case dict():
            yield from numbers([*part.values()])
        case list():
            for one in part:
                yield from numbers(one)
        case int() | float():
            yield float(part)


def test_a_number_of_a_measurement_is_one_that_was_measured() -> None:
    """Which one, `tests/site` says, page by page; this asks of all pages whether it is any.

    A large file has many numbers of two or three digits: some wrong one will be in it by chance.
    """
    computed = set()
    found = [match for path in (*Path("docs").rglob("*.md"), Path("README.md"))
             for match in MEASURED.finditer(CODE.sub("", Page.read(path).prose))]  # fmt: skip
    assert len(found) > 80
    for number in found:
        printed, unit = number["printed"], number["unit"] or ""
        if not any(same_number(printed, unit, value) for value in measured(number["file"])):
            computed.add(number["said"])
    assert computed == COMPUTED


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
