"""What a host, a search engine and a reader who wants to mend something find on each page."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import PAGES, ROOT, SITE, address, folder, meta, shown


def built_at(target: Path, **environment: str) -> None:
    """Builds the book in a process of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.endswith(("_URL", "_URI", "_EPOCH"))}
    for command in ("build", "export"):
        subprocess.run(
            [sys.executable, "-m", "literate", command, "--site-dir", str(target)],
            env=kept | {"NO_MKDOCS_2_WARNING": "1"} | environment,
            cwd=ROOT,
            check=True,
        )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_where_it_is_and_where_it_is_written(built: Path, page: str) -> None:
    text = shown(built, page)
    assert re.findall(r'<link rel="canonical" href="([^"]+)"', text) == [SITE + address(page)]
    edit = re.findall(r'<a href="([^"]+)"[^>]* rel="edit"', text)
    assert edit == [f"https://code.example/book/edit/main/docs/{page}"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_described_by_its_own_words(built: Path, page: str) -> None:
    text = shown(built, page)
    description = meta(text, "description")
    assert 50 <= len(description) <= 160
    assert description in text.partition("<body")[2]  # on the heading
    others = [meta(shown(built, other), "description") for other in PAGES if other != page]
    assert description not in others
    assert meta(text, "robots") == "max-image-preview:large"


def test_the_sitemap_lists_every_page_and_no_date(built: Path) -> None:
    text = (built / "sitemap.xml").read_text("utf-8")
    found = re.findall(r"<loc>(.+?)</loc>", text)
    assert sorted(found) == sorted(SITE + address(page) for page in PAGES)
    assert "lastmod" not in text
    assert (built / "robots.txt").read_text("utf-8").endswith(f"Sitemap: {SITE}sitemap.xml")


@pytest.mark.parametrize("page", [*PAGES, "404.html"])
def test_every_page_points_to_llms_txt(built: Path, page: str) -> None:
    place = built / page
    text = place.read_text("utf-8") if page == "404.html" else shown(built, page)
    (link,) = re.findall(r'<link rel="alternate"[^>]* href="([^"]*llms\.txt)"', text)
    assert (built / link[1:] if link[0] == "/" else folder(built, page) / link).is_file()


@pytest.mark.slow
def test_two_builds_have_the_same_bytes(built: Path, tmp_path: Path) -> None:
    environment = {
        "SITE_URL": SITE,
        "REPO_URL": "https://code.example/book",
        "EDIT_URI": "edit/main/docs/",
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Tokyo",
    }
    built_at(tmp_path, **environment)
    files = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {path.relative_to(built) for path in built.rglob("*") if path.is_file()}
    assert len(files) > 300
    assert [f for f in files if (tmp_path / f).read_bytes() != (built / f).read_bytes()] == []
    # Both were built today, so the day has to be looked for: bytes 4 to 7 of a gzip file.
    packed = (built / "sitemap.xml.gz").read_bytes()
    assert int.from_bytes(packed[4:8], "little") == 0


@pytest.mark.slow
def test_without_addresses_nothing_points_elsewhere(tmp_path: Path) -> None:
    built_at(tmp_path)
    for page in PAGES:
        text = shown(tmp_path, page)
        assert 'rel="edit"' not in text
        assert 'rel="canonical"' not in text
        assert 'property="og:url"' not in text
    assert "<loc>" not in (tmp_path / "sitemap.xml").read_text("utf-8")
    assert "Sitemap:" not in (tmp_path / "robots.txt").read_text("utf-8")
