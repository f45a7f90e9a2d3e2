"""The contents of the site, as `mkdocs.yml` has them, and where MkDocs puts each page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File


def pages(nav: Any, section: str = "") -> Iterator[tuple[str, str]]:
    """The section and the file of each page, in their order."""
    for item in nav:
        for title, inside in ({"": item} if isinstance(item, str) else item).items():
            if isinstance(inside, str):
                yield section, inside
            else:
                yield from pages(inside, title)


def folder(page: str) -> Path:
    """Where a page is built, within the site."""
    return Path(File(page, "", "", use_directory_urls=True).dest_uri).parent
