"""All code that the built site shows is a fence of its page, so the tests have seen it."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from pages import DOCS, PAGES, shown

from literate.pages.page import Page


class Code(HTMLParser):
    """The text of each `<pre>` of a page, but for those that mkdocstrings made."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside: list[str] = []  # "pre", "doc", or "" for each open element of these kinds

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"pre", "div"}:
            classes = (dict(attrs).get("class") or "").split()
            self.inside.append("doc" if "doc" in classes else tag * (tag == "pre"))
            if self.inside[-1] == "pre" and "doc" not in self.inside:
                self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"pre", "div"} and self.inside:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if "pre" in self.inside and "doc" not in self.inside:
            self.found[-1] += data


def code(text: str) -> list[str]:
    parser = Code()
    parser.feed(text)
    return [found.strip("\n").rstrip() for found in parser.found]


@pytest.mark.parametrize("page", PAGES)
def test_all_code_shown_is_a_fence_of_the_page(built: Path, page: str) -> None:
    """What has no fence, an indented block or HTML, is shown too and was never run."""
    fences = Page.read(DOCS / page).fences
    assert code(shown(built, page)) == [fence.content.strip("\n").rstrip() for fence in fences]


def test_the_probe_for_code_sees_it() -> None:
    text = '<pre><code>a\n</code></pre><div class="doc"><div><pre>b</pre></div></div><pre>c</pre>'
    assert code(text) == ["a", "c"]
    assert code("<ul><li><pre>x &lt; 1</pre></li></ul>") == ["x < 1"]
