"""The chapters: their order, and that whoever names one by its number has the right one."""

import posixpath
import re

from pages import CHAPTERS, DOCS, PAGES

from literate.pages.page import Page

NUMBERS = {
    page: int(found[1])
    for page in PAGES
    if (found := re.search(r"^# .* data-chapter=(\d+)", (DOCS / page).read_text("utf-8"), re.M))
}


def test_the_chapters_are_numbered_in_the_order_of_the_book() -> None:
    text = (DOCS.parent / "mkdocs.yml").read_text("utf-8")
    nav = re.findall(r"- ([^:]+): (\S+\.md)$", text, re.M)
    numbers = [NUMBERS[page] for _, page in nav if page in NUMBERS]
    assert numbers == list(range(1, len(NUMBERS) + 1))
    assert sorted(NUMBERS) == CHAPTERS
    for title, page in nav:
        heading = re.search(r"^# (.+?)(?: \{.*)?$", (DOCS / page).read_text("utf-8"), re.M)
        assert heading
        # The navigation calls the home page the book, and leaves out how a long title ends.
        assert page == "index.md" or heading[1].startswith(title)


def test_a_chapter_by_its_number_outside_of_the_pages_is_the_right_one() -> None:
    seen = 0
    for path in (DOCS / "overrides").rglob("*.html"):
        for folder, said in re.findall(
            r"'([^']+)/' \| url }}\">\s*chapter (\d+)", path.read_text("utf-8")
        ):
            assert NUMBERS[f"{folder}.md"] == int(said), path
            seen += 1
    assert seen == 3


def test_the_home_page_lists_every_chapter_with_its_number() -> None:
    home = (DOCS / "index.md").read_text("utf-8")
    listed = re.findall(r"^(\d+)\. \[(.+)\]\((\S+)\)$", home, re.M)
    assert {page: int(number) for number, _, page in listed} == NUMBERS
    for _, title, page in listed:
        assert f"\n# {title}" in "\n" + (DOCS / page).read_text("utf-8")


# `[Chapter 3](page.md)`, `chapter 3: [A heading](page.md#…)`, `[3, One context vector](page.md)`.
LINK = re.compile(
    r"(?:chapter (?P<before>\d+)[:,] )?\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<page>[^)#]*)",
    re.I,
)
NUMBER = re.compile(r"chapter (\d+)|^(\d+), ", re.I)


def test_a_chapter_by_its_number_is_linked_and_the_right_one() -> None:
    seen = 0
    for page in PAGES:
        text = Page.read(DOCS / page).prose
        for link in LINK.finditer(text):
            inside = NUMBER.search(link["text"])
            said = link["before"] or inside and (inside[1] or inside[2])
            if said and ":" not in link["page"]:
                path = posixpath.join(posixpath.dirname(page), link["page"])
                found = posixpath.normpath(path) if link["page"] else page
                assert NUMBERS[found] == int(said), f"{page}: chapter {said} is no {found}"
                seen += 1
        plain = re.findall(r"chapters? \d+.*", LINK.sub("", text), re.I)
        assert not plain, f"{page}: a chapter by its number, without a link: {plain}"
    assert seen > 50


def test_the_changelog_has_every_chapter() -> None:
    text = (DOCS.parent / "CHANGELOG.md").read_text("utf-8")
    parts = re.findall(r"chapters? (\d+)(?: to (\d+))?", text)
    numbers = [n for first, last in parts for n in range(int(first), int(last or first) + 1)]
    assert numbers == sorted(NUMBERS.values())
