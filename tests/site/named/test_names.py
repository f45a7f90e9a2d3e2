"""What a sentence of the book names in code exists: on a page, in the package, or in torch."""

import re
from pathlib import Path

import pytest
from names import PAGES, PATH, unknown
from pages import ROOT

from literate.pages.page import Page
from literate.pages.prose import CODE


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_sentence_names_exists(path: Path) -> None:
    page = Page.read(path)
    for match in CODE.finditer(page.prose):
        line = page.prose.count("\n", 0, match.start()) + 1
        assert not [*unknown(match[0].strip("`").strip())], f"{path}:{line}: {match[0]}"


@pytest.mark.parametrize(
    "span", ["torch.no_such", "Causal().spann", "weigths", "attention.mask", "docs/none.md"]
)
def test_what_does_not_exist_is_seen(span: str) -> None:
    assert [*unknown(span)]


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_a_file_of_which_the_papers_speak_is_there(name: str) -> None:
    spans = CODE.findall((ROOT / name).read_text("utf-8"))
    paths = {part for span in spans for part in re.findall(PATH, span) if "/" in part}
    made = {"build/book.pdf", "site/", "build/lint/"}
    assert not [part for part in paths - made if not (ROOT / part).exists()]
