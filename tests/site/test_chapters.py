"""The chapters: their order, and that whoever names one by its number has the right one."""

import posixpath
import re

from pages import DOCS, PAGES

NUMBERS = {
    page: int(found[1])
    for page in PAGES
    if (found := re.search(r"^# .* data-chapter=(\d+)", (DOCS / page).read_text("utf-8"), re.M))
}


def test_the_chapters_are_numbered_in_the_order_of_the_book() -> None:
    nav = re.findall(r"- [^:]+: (\S+\.md)$", (DOCS.parent / "mkdocs.yml").read_text("utf-8"), re.M)
    numbers = [NUMBERS[page] for page in nav if page in NUMBERS]
    assert numbers == list(range(1, len(NUMBERS) + 1))


def test_the_home_page_lists_every_chapter_with_its_number() -> None:
    home = (DOCS / "index.md").read_text("utf-8")
    listed = re.findall(r"^(\d+)\. \[(.+)\]\((\S+)\)$", home, re.M)
    assert {page: int(number) for number, _, page in listed} == NUMBERS
    for _, title, page in listed:
        assert f"\n# {title}" in "\n" + (DOCS / page).read_text("utf-8")


def test_a_link_to_a_chapter_by_its_number_leads_there() -> None:
    seen = 0
    for page in PAGES:
        text = (DOCS / page).read_text("utf-8")
        for number, target in re.findall(r"\[chapter (\d+)\]\(([^)#]+\.md)", text, re.I):
            found = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            assert NUMBERS[found] == int(number), f"{page}: chapter {number} is no {target}"
            seen += 1
    assert seen > 10
