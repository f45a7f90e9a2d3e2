"""A page as Markdown, and `llms.txt`, which lists them: what a program reads of the book."""

import re
from pathlib import Path

import pytest
from pages import DOCS, PAGES, folder

from literate.pages.page import Page

PLAIN_WORDS = re.compile(r"^[A-Z][\w ,.;:?’'“”()-]{40,}$", re.M)


def as_markdown(built: Path, page: str) -> str:
    return (folder(built, page) / "index.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_as_markdown_is_in_the_order_of_the_page(built: Path, page: str) -> None:
    """Its code, its outputs, and those of its sentences that have no marks in them."""
    parsed = Page.read(DOCS / page)
    text = as_markdown(built, page)
    stands = [(block.start, block.code) for block in parsed.blocks if not block.indent]
    stands += [
        (block.output.start, block.output.text)
        for block in parsed.blocks
        if block.output and not block.indent
    ]
    stands += [(match.start(), match[0]) for match in PLAIN_WORDS.finditer(parsed.prose)]
    end = 0
    for _, words in sorted(stands):
        assert (at := text.find(words.strip("\n"), end)) >= 0, words
        end = at + len(words.strip("\n"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_as_markdown_has_its_blocks_and_none_of_our_marks(built: Path, page: str) -> None:
    text = as_markdown(built, page)
    parsed = Page.read(DOCS / page)
    assert text.startswith("# ")  # not with what MkDocs is told of the page
    missing = [b.line for b in parsed.blocks if b.code.strip("\n") not in text and not b.indent]
    assert not missing
    prose = re.sub(r"^```.*?^```|(`+)(?!`).+?\1", "", text, flags=re.S | re.M)
    assert not re.findall(
        r"<!--|^!!!|^\?\?\?|^:::|\{ ?\.\w+|</?(?:div|figure|details|summary)", prose, re.M
    )


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_as_markdown_lead_somewhere(built: Path, page: str) -> None:
    text = as_markdown(built, page)
    text = re.sub(r"`[^`\n]*`", "", text)
    for target in re.findall(r"\]\((https://book\.example/[^)#]*)", text):
        place = built / target.removeprefix("https://book.example/")
        assert place.is_file() or (place / "index.html").is_file(), target


def test_llms_txt_lists_every_page(built: Path) -> None:
    text = (built / "llms.txt").read_text("utf-8")
    listed = re.findall(r"^- \[[^]]*\]\(https://book\.example/([^)]+)\)", text, re.M)
    assert sorted(listed) == sorted(
        (folder(built, page) / "index.md").relative_to(built).as_posix() for page in PAGES
    )


def test_llms_txt_has_each_section_once(built: Path) -> None:
    text = (built / "llms.txt").read_text("utf-8")
    headings = re.findall(r"^## (.+)$", text, re.M)
    assert headings == ["Book", "Foundations", "Speed", "Reference", "About"]
    links = re.findall(r"\]\(([^)]*)", text)
    assert len(links) > len(PAGES)  # some ledes have links too
    assert not [link for link in links if not link.startswith("https://book.example/")]
