"""What stands beside a link to the book where others show it."""

import hashlib
import struct
from pathlib import Path

import pytest
from pages import PAGES, SITE, address, meta, shown

from literate.site import social


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_how_a_link_to_it_looks(built: Path, page: str) -> None:
    text = shown(built, page)
    assert meta(text, "og:url") == SITE + address(page)
    assert meta(text, "og:image") == "https://book.example/assets/social.png"
    assert meta(text, "og:description") == meta(text, "description")
    assert meta(text, "og:title").split(",")[0] in text.partition("<body")[2]
    assert "<" not in meta(text, "og:title")
    assert meta(text, "twitter:card") == "summary_large_image"


def test_the_picture_is_a_png_of_the_size_that_is_said(built: Path) -> None:
    data = (built / social.PLACE).read_bytes()
    text = shown(built, "index.md")
    assert data.startswith(b"\x89PNG\r\n")
    size = struct.unpack(">II", data[16:24])
    assert size == (1200, 630)
    assert size == (int(meta(text, "og:image:width")), int(meta(text, "og:image:height")))
    assert len(data) < 100_000


def test_every_word_is_drawn() -> None:
    """A face that the renderer does not find draws nothing, and says nothing."""
    texts = [("One two", "Three four"), ("Six two", "Three four"), ("One six", "Three four")]
    texts += [("One two", "Seven four"), ("One two", "Three seven")]
    drawn = {hashlib.sha256(social.picture(*text)).hexdigest() for text in texts}
    assert len(drawn) == len(texts)
