"""The page for an address that is not there: it is sent for any address, however deep."""

import re
from pathlib import Path

import pytest
from pages import PAGES, folder


@pytest.fixture(scope="session")
def content(built: Path) -> str:
    text = (built / "404.html").read_text("utf-8")
    return text.partition("<article")[2].partition("</article>")[0]


def test_it_links_to_every_page_without_a_script(built: Path, content: str) -> None:
    assert "<script" not in content
    links = re.findall(r'<a href="([^"]+)"', content)
    assert all(link.startswith("/") for link in links)  # not from the address that was asked for
    pages = {(built / link[1:]).resolve() / "index.html" for link in links}
    assert pages == {folder(built, page).resolve() / "index.html" for page in PAGES}
    assert all(page.is_file() for page in pages)


def test_it_searches_where_the_theme_can(built: Path, content: str) -> None:
    (action,) = re.findall(r'<form class="lost"[^>]* action="([^"]+)"', content)
    assert (built / action[1:]).resolve() == built.resolve()
    assert '<label for="lost">' in content
    assert re.search(r'<input id="lost" name="q"', content)
    (bundle,) = built.glob("assets/javascripts/bundle.*.min.js")
    assert 'has("q")' in bundle.read_text("utf-8")  # the theme searches for what an address asks
    # Without JavaScript there is no search, so no form for it either.
    assert ".no-js .lost { display: none }" in (built / "assets/css/home.css").read_text("utf-8")


def test_everything_it_loads_is_found_from_any_depth(built: Path) -> None:
    text = (built / "404.html").read_text("utf-8")
    loaded = re.findall(r'<(?:script|img)\b[^>]* src="([^"]+)"', text)
    loaded += re.findall(r'<link rel="(?:stylesheet|preload|icon)"[^>]* href="([^"]+)"', text)
    assert len(loaded) > 12
    for address in loaded:
        assert address.startswith("/"), address
        assert (built / address[1:]).is_file(), address
