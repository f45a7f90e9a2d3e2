"""Which parts of its works the book cites, and which numbers it takes from elsewhere.

No code of ours can give either, so both stand a second time, at the end of `sources.toml`: the
parts of each work with how often each is cited, and the numbers below what is named as their
source. Whoever changes one on a page looks it up again, and changes the other.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from literate import bibliography as books
from literate.pages.page import Page
from literate.pages.prose import CODE

ROOT = Path(__file__).parents[2]
PART = re.compile(
    r"(?:\b(?:(?:section|equation|table|algorithm|figure|page)s?|footnote|and|to) |; )"
    r"(\d+(?:\.\d+)*)\b"
)
END = re.compile(r"\n\s*\n|\n- |-->")  # of the sentence that cites
NUMBER = r"[-−+]?(?<![\w.,])\d+(?:[,\u202f]\d{3})*(?:\.\d+)?"
# Of the package and of measurements there is data, which other tests ask.
TAKEN = re.compile(rf"({NUMBER})[ \u202f]?[%×]?<!-- source: (?!attention|benchmarks|…)([^>]*?) -->")


def parts(text: str) -> Iterator[tuple[str, str]]:
    """The parts that a text cites, each behind the identifier of its work."""
    found = [match for form in (books.CITED, books.COMMENT) for match in form.finditer(text)]
    found.sort(key=lambda match: match.start())
    starts = [*(match.start() for match in found), len(text)]
    for match, (_, end) in zip(found, pairwise(starts), strict=True):
        authors, title = (" ".join((match[group] or "").split()) for group in (1, 2))
        mention = books.Mention(ROOT, 0, authors, title, int(match[3]))
        (work,) = (work for work in books.works() if mention.means(work))
        for part in PART.findall(END.split(text[match.end() : end])[0]):
            yield work.name, part


def cited() -> dict[str, str]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    pages = [path for path in Path("docs").rglob("*.md") if path != books.PAGE]
    for path in (*pages, *Path("attention").rglob("*.py")):
        for work, part in parts(path.read_text("utf-8").replace("$n^2$", "n²")):
            counts[work][part] += 1
    return {
        work: ", ".join(f"{part} ×{n}" if n > 1 else part for part, n in sorted(count.items()))
        for work, count in sorted(counts.items())
    }


def taken(text: str) -> Iterator[tuple[str, str]]:
    for number, source in TAKEN.findall(text):
        yield re.sub(r"\((\d{4})\)", r"\1", source), number


def numbers() -> dict[str, list[str]]:
    """Each once, in the order of the pages: two that change places are noticed."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(Path("docs").rglob("*.md")):
        for source, number in taken(CODE.sub("", Page.read(path).prose)):
            if number not in found[source]:
                found[source].append(number)
    return found


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def kept(name: str) -> dict:
    return tomllib.loads(books.WORKS.read_text("utf-8"))[name]


def test_the_parts_that_are_cited_are_those_that_were_looked_up() -> None:
    assert cited() == kept("parts")


def test_the_numbers_from_elsewhere_are_those_that_were_looked_up() -> None:
    assert numbers() == kept("numbers")


def test_another_part_and_another_number_are_seen() -> None:
    words = "Vaswani et al., *Attention Is All You Need* (2017), section {}: scores; 3.2.2: heads."
    assert [*parts(words.format("3.2.1"))] == [("1706.03762", "3.2.1"), ("1706.03762", "3.2.2")]
    words = "It is 12,288<!-- source: Brown et al. (2020), table 2.1 --> wide."
    assert [*taken(words)] == [("Brown et al. 2020, table 2.1", "12,288")]
    assert [*parts(words)] == [("2005.14165", "2.1")]
