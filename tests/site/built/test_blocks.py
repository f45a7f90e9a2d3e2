"""What the built site shows is what ran: its blocks, its numbers, its letters, its weight."""

import gzip
import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from fontTools.ttLib import TTFont
from pages import DOCS, PAGES, folder, shown

from literate.page import Page

CELL = re.compile(
    r'<div class="cell[ "].*?<div class="highlight"><pre><code>(.*?)</code></pre>', re.S
)
HEAVIEST = 300_000  # bytes that a reader loads for one page


def blocks(text: str) -> list[str]:
    return [html.unescape(re.sub(r"<[^>]+>", "", code)) for code in CELL.findall(text)]


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_shown_are_the_blocks_that_ran(built: Path, page: str) -> None:
    ran = Page.read(DOCS / page).blocks
    assert blocks(shown(built, page)) == [block.code.strip("\n") for block in ran]


@pytest.mark.parametrize("page", PAGES)
def test_no_python_is_shown_outside_of_a_cell(built: Path, page: str) -> None:
    text = CELL.sub("", shown(built, page))
    assert "language-python" not in text
    assert "```" not in re.sub(r"<code>.*?</code>", "", text, flags=re.S)


@pytest.mark.parametrize("page", PAGES)
def test_every_checked_number_opens(built: Path, page: str) -> None:
    source = Page.read(DOCS / page)
    lines = source.text.splitlines()
    # What describes an image is an attribute, which cannot open.
    numbers = [c for c in source.checks if c.printed and not lines[c.line - 1].startswith("![")]
    # What computes a formula opens where it stands on lines of its own.
    formulas = [c for c in source.checks if c.formula and "\n" in c.formula]
    assert shown(built, page).count('class="checked"') == len(numbers) + len(formulas)


def test_few_blocks_do_not_run() -> None:
    every = [block for page in PAGES for block in Page.read(DOCS / page).blocks]
    assert len(every) > 100
    assert sum("notest" in block.kinds for block in every) < 0.02 * len(every)


class Letters(HTMLParser):
    """The text of a page that a reader sees, and whether it is code."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []  # tags, and whether they hold a formula
        self.prose: set[str] = set()
        self.code: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "link", "img", "input", "br", "hr"}:
            self.open.append((tag, "maths" in (dict(attrs).get("class") or "")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<path … />` opens nothing."""

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _ in self.open}
        if not {"script", "style"} & tags and not any(maths for _, maths in self.open):
            (self.code if {"code", "pre"} & tags else self.prose).update(data)


@pytest.mark.parametrize(("font", "part"), [("serif", "prose"), ("mono", "code")])
def test_the_fonts_have_every_letter(built: Path, font: str, part: str) -> None:
    letters = Letters()
    for page in PAGES:
        letters.feed(shown(built, page))
    has, names, signs = (
        set(map(chr, TTFont(DOCS / f"assets/vendor/{name}.woff2").getBestCmap()))
        for name in (font, f"{font}-names", "katex-main-regular")
    )
    has |= names | {sign for sign in signs if "\u2190" <= sign <= "\u22ff"}  # the face "Signs"
    assert len(getattr(letters, part)) > 60
    assert sorted(getattr(letters, part) - has - {"\n", "\t"}) == []


def loads(built: Path, page: str) -> Iterator[Path]:
    """The files that a browser fetches for a page: it, its styles with their fonts, its scripts."""
    place = folder(built, page).resolve()
    text = shown(built, page)
    yield place / "index.html"
    found = re.findall(r'<(?:script|img)\b[^>]*?\bsrc="([^"]+)"', text)
    found += re.findall(r'<link\b[^>]*rel="(?:stylesheet|preload|icon)"[^>]*href="([^"]+)"', text)
    for address in found:
        file = (place / unquote(urlsplit(address).path)).resolve()
        yield file
        if file.suffix == ".css":
            for font in re.findall(r"url\(([^)]+\.woff2)\)", file.read_text("utf-8")):
                yield (file.parent / font.strip("\"'")).resolve()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_light(built: Path, page: str) -> None:
    files = set(loads(built, page))
    assert len(files) > 8
    assert all(file.is_file() for file in files)
    assert sum(sent(file) for file in files) < HEAVIEST


def sent(file: Path) -> int:
    """The size of a file as a host sends it: text is compressed on the way."""
    data = file.read_bytes()
    return (
        len(gzip.compress(data)) if file.suffix in {".html", ".css", ".js", ".svg"} else len(data)
    )
