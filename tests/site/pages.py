"""The pages of the book, as written and as built."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
SITE = "https://book.example/"  # where the tests have it built for
CHAPTERS = [page for page in PAGES if page.startswith(("foundations/", "speed/"))]


def says(page: str | Path, words: str, holds: bool) -> None:
    """A page, by its path or as `docs` has it, says it once, in these words, and it is so."""
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


def meta(text: str, name: str) -> str:
    """The content of the one `<meta>` with this name or property."""
    (found,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)"', text)
    return found
