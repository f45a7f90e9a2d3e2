"""A link leads where its words say: to the heading, the name or the issue that they name."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from pages import DOCS, PAGES

from literate.pages.page import Page

LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]*)\)")
LINKED = re.compile(rf"(?<!!){LINK.pattern}")  # no picture
NAME = re.compile(r"\[`([\w.]+)(?:\(.*?\))?`\]\s*\[([\w.]+)\]")
# `[nanoGPT #240](…/karpathy/nanoGPT/pull/240)`, or `PyTorch [#103082](…)`.
ISSUE = re.compile(
    r"(?:([\w-]+) )?\[([^\]]*?)#?(\d+)\]\(\S*?/([\w-]+/[\w.-]+)/(?:issues|pull)/(\d+)"
)
BOTH = {("index.md", "Masks")}  # a heading of two pages; its list of the reference means the second


def plain(words: str) -> str:
    return re.sub(r"[*]|\s*\{.*\}\s*$", "", words).strip()


def anchor(words: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain(words).lower()))


def headings() -> dict[str, set[tuple[str, str]]]:
    """The places that have each heading."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for page in PAGES:
        for level, words in re.findall(r"^(#+) (.+)$", Page.read(DOCS / page).prose, re.M):
            found[plain(words)].add((page, "" if level == "#" else anchor(words)))
    return found


def test_words_that_are_a_heading_lead_to_it() -> None:
    places, seen = headings(), 0
    for page in PAGES:
        for words, address in LINK.findall(Page.read(DOCS / page).prose):
            path, _, at = address.partition("#")
            there = normpath(join(dirname(page), path)) if path else page
            wanted = places.get(plain(words))
            if ":" in address or not wanted or (page, plain(words)) in BOTH:
                continue
            seen += 1
            fits = any(
                there == one and (not at or not where or at == where) for one, where in wanted
            )
            assert fits, f"{page}: [{words}]({address}) leads elsewhere than to {wanted}"
    assert seen > 200


def test_words_that_contain_a_title_lead_to_its_page() -> None:
    """Without case, as in “Begin: Why attention”; a title of one word may be a word."""
    titles = {plain(words).casefold(): page for page, words in tops() if " " in plain(words)}
    seen = 0
    for page in PAGES:
        for words, address in LINKED.findall(Page.read(DOCS / page).prose):
            path = address.partition("#")[0]
            there = normpath(join(dirname(page), path)) if path else page
            said = [
                title for title in titles if re.search(rf"\b{re.escape(title)}\b", words.casefold())
            ]
            if ":" not in address and len(said) == 1:
                assert there == titles[said[0]], f"{page}: [{words}]({address}) leads elsewhere"
                seen += 1
    assert seen > 20


def tops() -> Iterator[tuple[str, str]]:
    """The pages and their titles."""
    for page in PAGES:
        if title := re.search(r"^# (.+)$", Page.read(DOCS / page).prose, re.M):
            yield page, title[1]


def test_a_term_leads_to_where_it_is_explained() -> None:
    """The beginnings of its words stand in that section."""
    glossary, seen = Page.read(DOCS / "about/glossary.md").prose, 0
    for term, page, at in re.findall(r"^\| \[([^\]]+)\]\(\.\./([^)#]+)#([^)]+)\)", glossary, re.M):
        found = section(page, at).casefold()
        for word in re.findall(r"[^\W\d_]{2,}", term.replace("\\", "")):
            assert word.casefold()[:5] in found, f"[{term}] leads to {page}#{at}, without {word}"
        seen += 1
    assert seen > 100


@cache
def read(page: str) -> tuple[list[str], list[str]]:
    found = Page.read(DOCS / page)
    return found.text.splitlines(), found.prose.splitlines()


def section(page: str, at: str) -> str:
    """From a heading to the next that is no lower."""
    found, deep = [], 0
    for line, prose in zip(*read(page), strict=True):  # a remark of code is no heading
        heading = re.match(r"(#+) (.+)", prose)
        if heading and found and len(heading[1]) <= deep:
            break
        if heading and not found and anchor(heading[2]) == at:
            deep = len(heading[1])
        if deep:
            found.append(line)
    return "\n".join(found)


def test_a_name_leads_to_its_own_reference() -> None:
    texts = {page: Page.read(DOCS / page).prose for page in PAGES}
    package = Path(DOCS.parent, "attention").rglob("*.py")
    texts |= {str(path): path.read_text("utf-8") for path in package}
    found = [(page, *each) for page, text in texts.items() for each in NAME.findall(text)]
    assert len(found) > 20
    for page, words, name in found:
        assert words.split(".")[-1] == name.split(".")[-1], f"{page}: [`{words}`][{name}]"


def test_an_issue_by_its_number_is_that_one() -> None:
    seen, named = 0, 0
    for page in PAGES:
        name = ""
        for before, inside, said, there, number in ISSUE.findall(Page.read(DOCS / page).text):
            assert said == number, f"{page}: #{said} leads to {number}"
            # The project stands within the link, or before it, or is that of the link before.
            name = inside.strip() or (before if before.istitle() or before == "PyTorch" else name)
            if name and " " not in name:
                assert name.casefold() in there.casefold(), f"{page}: {name} is not {there}"
                named += 1
            seen += 1
    assert min(seen, named) > 20
