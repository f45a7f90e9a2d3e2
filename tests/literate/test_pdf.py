"""The book on paper, of small pages that no browser printed."""

from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Link
from pypdf.generic import Destination, Fit, NameObject, NullObject, TextStringObject

from literate.printing import book, chromium
from literate.printing.join import Part, join

CONFIG = """site_name: The name
site_description: All about it
site_url: https://book.example/
copyright: Rights
nav: [index.md, Part: [One: part/one.md, Two: part/two.md], Part: [Three: part/three.md]]
"""
LENGTHS = {"index": 2, "one": 1, "two": 3, "three": 1, "contents": 2}


def blank(target: Path, pages: int, links: tuple[str, ...] = ()) -> PdfWriter:
    """A PDF of empty pages, with links on its first."""
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(100, 200)
    for url in links:
        writer.add_annotation(0, Link(rect=(0, 0, 9, 9), url=url))
    writer.write(target)
    return writer


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built site of four pages, and a browser that prints blank ones."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mkdocs.yml").write_text(CONFIG, "utf-8")
    (tmp_path / "docs").mkdir()
    folder = tmp_path / "site"
    for place, title in {
        "": "<h1 id=a>Home &amp; <em>more</em><a>¶</a></h1>",
        "part/one/": '<h1 id=x data-chapter="7">One</h1>',
        "part/two/": "<h1>Two</h1><h1>Again</h1>",
        "part/three/": "no title",
    }.items():
        (folder / place).mkdir(parents=True, exist_ok=True)
        html = f"<html><head>of {place}</head><body>{title}</head></body></html>"
        (folder / place / "index.html").write_text(html, "utf-8")
    (folder / "assets").mkdir()
    (folder / "assets/mark.svg").write_text("<svg/>", "utf-8")
    (folder / "assets/a.css").write_text("a{font-display:optional} b{font-display: optional}")
    monkeypatch.setattr(book, "browser", lambda: "a browser")
    monkeypatch.setattr(book, "print_page", Printer())
    return folder


class Printer:
    """Prints as many pages as the name of a page says, and keeps what it was given."""

    def __init__(self) -> None:
        self.given: dict[str, list[str]] = {}

    def __call__(self, chrome: str, source: Path, target: Path) -> None:
        assert chrome == "a browser"
        assert not target.exists()
        root = next(parent for parent in source.parents if parent.name == "site")
        assert (root / "assets/a.css").read_text() == "a{font-display:block} b{font-display: block}"
        name = source.stem if source.parent == root else source.parent.name
        self.given.setdefault(name, []).append(source.read_text("utf-8"))
        blank(target, LENGTHS[name], (f"{root.as_uri()}/assets/a.css",))


def test_the_book_is_printed_in_its_order(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert book.main([]) == 0
    told = capsys.readouterr()
    assert told.out == "build/book.pdf: 9 pages\n"
    assert told.err.splitlines() == [
        *("   4 index.md", "   5 part/one.md", "   8 part/two.md", "   9 part/three.md")
    ]
    reader = PdfReader("build/book.pdf")
    assert reader.metadata is not None
    assert reader.metadata.title == "The name"
    said: list = []
    for entry in reader.outline:
        several = isinstance(entry, list)
        said.append([e.title for e in entry] if several else entry.title)
    assert said == ["The name", "Home & more", "Part", ["7 One", "Two", ""]]
    assert [number(reader, entry) for entry in reader.outline[:-1]] == [0, 2, 4]
    assert [number(reader, e) for e in reader.outline[-1]] == [4, 5, 8]
    assert "optional" in (site / "assets/a.css").read_text()
    assert reader.pages[4]["/Annots"][0]["/A"]["/URI"] == "https://book.example/assets/a.css"
    (site.parent / "mkdocs.yml").write_text(CONFIG.replace("site_url: https://book.example/", ""))
    assert book.main([]) == 0
    assert not PdfReader("build/book.pdf").pages[4]["/Annots"]


def number(reader: PdfReader, entry) -> int | None:
    return reader.get_destination_page_number(entry)


def test_each_page_begins_with_its_number_and_the_contents_say_it(site: Path) -> None:
    assert book.main(["--target", "deep/er/a.pdf"]) == 0
    given = book.print_page.given
    counter = "<style>@media print { html { counter-reset: page %d } }</style></head>"
    assert [counter % n in given[name][0] for name, n in
            [("index", 2), ("one", 4), ("two", 5), ("three", 8)]] == [True] * 4  # fmt: skip
    assert given["one"][0].count("counter-reset") == 1
    first, second = given["contents"]
    assert first.replace("<b>0</b>", "") == "".join(
        part if n % 2 == 0 else "" for n, part in enumerate(split(second))
    )
    assert second.startswith('<html><head>of </head><body class="front md-typeset" ')
    assert second.endswith("</nav></body></html>")
    assert "<svg/><h1>The name</h1><p>All about it</p><p>Rights</p>" in second
    assert second.count("<h2>Part</h2>") == 1
    entries = second.partition("<h1>Contents</h1>")[2].partition("</nav>")[0]
    assert entries.splitlines() == [
        '<p><a href="./">Home &amp; more</a><i></i><b>3</b></p>',
        "<h2>Part</h2>",
        '<p><a href="part/one/">7 One</a><i></i><b>5</b></p>',
        '<p><a href="part/two/">Two</a><i></i><b>6</b></p>',
        '<p><a href="part/three/"></a><i></i><b>9</b></p>',
    ]


def split(html: str) -> list[str]:
    """What stands around and in each number of the contents, in turns."""
    return html.replace("<b>", "|<b>").replace("</b>", "</b>|").split("|")


def test_links_lead_inside_or_to_the_site(tmp_path: Path) -> None:
    root = tmp_path / "site"
    sources = [root / "index.html", root / "a b/index.html"]
    for source in sources:
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("x", "utf-8")
    (root / "file.ipynb").write_text("x", "utf-8")
    folder = sources[1].parent.as_uri()
    links = (
        f"{folder}/",
        f"{sources[1].as_uri()}#XV",
        f"{folder}/#none",
        f"{folder}/#top",
        f"{folder}/#XI",
    )
    links += (tmp_path.as_uri(), "https://a.example/#x", f"{root.as_uri()}/file.ipynb")
    one, two = tmp_path / "one.pdf", tmp_path / "two.pdf"
    blank(one, 2, links)
    writer = blank(two, 3)
    first = writer.add_outline_item(title="Two", page_number=0)
    writer.add_outline_item(title="At once", page_number=0, parent=first)
    writer.add_outline_item(title="VIX¶ ", page_number=2, parent=first)
    note = Link(rect=(0, 0, 9, 9), url="of another part")
    del note["/A"]
    note[NameObject("/Dest")] = TextStringObject("/XV")
    writer.add_annotation(0, note)
    for name, at in (("/XV", 1), ("/top", 2), ("/XI", 0)):
        page = writer.pages[at].indirect_reference
        fit = Fit.xyz(top=150) if name == "/XV" else Fit.fit()
        destination = Destination(name, page, fit)
        writer.add_named_destination_object(destination)
    writer.write(two)
    parts = [Part("One", "", sources[0], one), Part("Two", "S", sources[1], two)]
    for url in ("https://book.example/", ""):
        join(parts, root, url, tmp_path / "book.pdf")
        reader = PdfReader(tmp_path / "book.pdf")
        inside = [(2, None), (3, 150), (2, None), (4, None), (2, None)]
        outside = ["https://a.example/#x", *(["https://book.example/file.ipynb"] if url else [])]
        assert led(reader, 0) == [*inside, *outside]
        assert led(reader, 2) == [(3, 150)]
        assert [e.title for e in reader.outline[2][1]] == ["At once", "VIX"]
        assert [number(reader, entry) for entry in reader.outline[2][1]] == [2, 4]


def led(reader: PdfReader, number: int) -> list:
    """Where the links of a page lead: a page and a height, or an address."""
    pages = [page.indirect_reference.idnum for page in reader.pages]
    found = []
    for reference in reader.pages[number]["/Annots"]:
        note = reference.get_object()
        assert ("/Dest" in note) != ("/A" in note)
        if "/A" in note:
            found.append(note["/A"]["/URI"])
            continue
        page, kind, _, top, _ = list.__iter__(note["/Dest"])
        assert kind == "/XYZ"
        found.append((pages.index(page.idnum), None if isinstance(top, NullObject) else top))
    return found


def test_the_browser_is_the_one_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = {"mine": "/bin/mine", "google-chrome": "/bin/chrome", "chrome": "/bin/other"}
    monkeypatch.setattr("shutil.which", there.get)
    monkeypatch.setenv("CHROME", "mine")
    assert chromium.browser() == "/bin/mine"
    monkeypatch.delenv("CHROME")
    assert chromium.browser() == "/bin/chrome"
    there.clear()
    assert chromium.browser() is None
    script = tmp_path / "browser"
    script.write_text('#!/bin/sh\nfor a in "$@"; do case $a in --print-to-pdf=*) '
                      'printf "%s " "$@" > "${a#--print-to-pdf=}";; esac; done\n')  # fmt: skip
    script.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    chromium.print_page(str(script), Path("page.html"), tmp_path / "a.pdf")
    said = (tmp_path / "a.pdf").read_text().split()
    assert said[-1] == (tmp_path / "page.html").as_uri()
    assert set(chromium.FLAGS) < set(said)
    with pytest.raises(RuntimeError, match="true printed nothing of page.html"):
        chromium.print_page("/bin/true", Path("page.html"), tmp_path / "none.pdf")
