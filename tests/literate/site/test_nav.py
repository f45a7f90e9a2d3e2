"""The contents of the site: its pages in order, with their sections and folders."""

from pathlib import Path

import pytest

from literate.site.nav import folder, pages


def test_pages_with_and_without_a_title() -> None:
    nav = ["index.md", {"Part": ["part/one.md", {"Two": "part/two.md"}, {"Deep": ["x.md"]}]}]
    found = [("", "index.md"), ("Part", "part/one.md"), ("Part", "part/two.md"), ("Deep", "x.md")]
    assert list(pages(nav)) == found


@pytest.mark.parametrize(
    ("page", "place"),
    [
        ("index.md", "."),
        ("part/index.md", "part"),
        ("part/one.md", "part/one"),
        ("my-index.md", "my-index"),
    ],
)
def test_the_folder_of_a_page(page: str, place: str) -> None:
    assert folder(page) == Path(place)
