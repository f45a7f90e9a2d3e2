"""The book on paper: numbers, links and bookmarks lead to the page that they say."""

import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from pypdf import PdfReader

from literate.printing import book, chromium
from literate.printing.join import join

NAV = [
    {"The book": "index.md"},
    {"Foundations": [{"Softmax": "foundations/softmax.md"}, {"Scaling": "foundations/scaling.md"}]},
]
TITLES = ["The book of tests", "Attention, executed", "4 Softmax", "8 Scaling"]


@pytest.fixture(scope="session")
def printed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> PdfReader:
    """Three pages of the book."""
    if not (chrome := chromium.browser()):
        without = pytest.fail if os.environ.get("BROWSER_REQUIRED") else pytest.skip
        without("printing needs Chromium or Chrome, which is not installed")
    folder = tmp_path_factory.mktemp("printed")
    site = folder / "site"
    shutil.copytree(built, site)
    config = SimpleNamespace(
        nav=NAV, site_name="The book of tests", site_description="Three pages.", copyright="Free."
    )
    join(book.print_all(chrome, config, site), site, "https://book.example/", folder / "b.pdf")
    return PdfReader(folder / "b.pdf")


def words(reader: PdfReader) -> list[str]:
    return [re.sub(r"\s+", " ", page.extract_text()) for page in reader.pages]


def starts(reader: PdfReader) -> dict[str, int]:
    """The pages, from 0, of all bookmarks."""

    def walk(outline: list) -> list:
        return [one for x in outline for one in (walk(x) if isinstance(x, list) else [x])]

    return {str(x.title): reader.get_destination_page_number(x) or 0 for x in walk(reader.outline)}


@pytest.mark.slow
def test_every_page_is_a4_and_bears_its_number(printed: PdfReader) -> None:
    assert len(printed.pages) > 20
    for number, page in enumerate(printed.pages, 1):
        assert [round(float(side)) for side in page.mediabox[2:]] == [595, 842]
        assert page.extract_text().split("\n")[0] == str(number)


@pytest.mark.slow
def test_contents_and_bookmarks_say_where_a_chapter_begins(printed: PdfReader) -> None:
    texts, begins = words(printed), starts(printed)
    assert [name for name in begins if name in TITLES] == TITLES
    for title in TITLES[1:]:
        name = title.lstrip("0123456789 ")
        assert name in texts[begins[title]]
        assert re.search(rf"{re.escape(title)} ?{begins[title] + 1}\b", texts[1])
    assert begins["4.1 Six scores"] == begins["4 Softmax"]


@pytest.mark.slow
def test_links_lead_inside_the_book_or_to_an_address(printed: PdfReader) -> None:
    inside = set()
    for page in printed.pages:
        for note in (reference.get_object() for reference in page.get("/Annots", [])):
            if "/Dest" in note:
                goal = note["/Dest"][0].get_object()
                inside.add((page.page_number, printed.get_page_number(goal)))
            else:
                assert re.match(r"https?://", note["/A"]["/URI"]), note["/A"]
    softmax, scaling = (starts(printed)[title] for title in TITLES[2:])
    assert (1, softmax) in inside  # from the contents
    assert (1, scaling) in inside
    assert any(start >= scaling and softmax <= goal < scaling for start, goal in inside)


@pytest.mark.slow
def test_what_is_folded_on_the_site_is_printed(built: Path, printed: PdfReader) -> None:
    page = (built / "foundations/softmax/index.html").read_text("utf-8")
    folded = re.findall(r'<details class="(?!mkdocs)[^>]*>.*?(<code>)(.*?)</code>', page, re.S)
    assert len(folded) > 3
    text = re.sub(r"\s", "", "".join(words(printed)))
    for _, code in folded:
        line = re.sub(r"<[^>]+>", "", code).strip().split("\n")[0]
        assert re.sub(r"\s", "", line.replace("&gt;", ">").replace("&lt;", "<")) in text


def test_without_a_browser_or_a_site_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(book, "browser", lambda: None)
    assert book.main([]) == 1
    monkeypatch.setattr(book, "browser", lambda: "chromium")
    assert book.main(["--site-dir", str(tmp_path)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in said] == [
        "printing needs Chromium or Chrome",
        f"{tmp_path} holds no site to print",
    ]
