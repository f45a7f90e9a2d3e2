"""The pages of the book, as written and as built."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
CHAPTERS = [page for page in PAGES if page.startswith(("foundations/", "speed/"))]


def says(page: str, words: str, holds: bool) -> None:
    """A page says it once, in these words, and what was measured is so."""
    text = re.sub(r"<!--.*?-->", "", (DOCS / page).read_text("utf-8"), flags=re.S)
    assert text.count(words) == 1, f"{page} does not say once: {words}"
    assert holds, f"{page} says, and it is not so: {words}"


def shown(built: Path, page: str) -> str:
    """The HTML of a page."""
    return (folder(built, page) / "index.html").read_text("utf-8")


def folder(built: Path, page: str) -> Path:
    """Where a page is built."""
    return built / page.removesuffix("index.md").removesuffix(".md")


def address(page: str) -> str:
    """Where the site has a page, from its root."""
    return page.removesuffix("index.md").replace(".md", "/")
