"""Every letter that a page shows is in the fonts that the site has."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from pages import DOCS, PAGES, shown


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
