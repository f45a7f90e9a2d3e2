"""A page is light: what a browser fetches for it, as a host sends it."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pages import PAGES, folder, shown

HEAVIEST = 300_000  # bytes that a reader loads for one page


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
