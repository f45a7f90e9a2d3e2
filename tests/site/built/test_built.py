"""The book as it is published: built once, then read."""

import re
from pathlib import Path

# What a browser fetches by itself; a link waits until somebody follows it.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*?\bsrc=["']?(?P<src>[^"'\s>]+)"""
    r"""|<link\b(?P<link>[^>]*)>|url\(["']?(?P<url>[^"')]+)"""
)


def fetched(text: str) -> list[str]:
    found = []
    for match in FETCHED.finditer(text):
        if link := match["link"]:
            if not re.search(r"rel=[\"']?(canonical|next|prev|alternate|edit)", link):
                found += re.findall(r"href=[\"']?([^\"'\s>]+)", link)
        else:
            found.append(match["src"] or match["url"])
    return found


def test_no_third_party_is_asked(built: Path) -> None:
    pages = [*built.rglob("*.html"), *built.rglob("*.css")]
    assert len(pages) > 5
    for page in pages:
        for address in fetched(page.read_text("utf-8")):
            assert not re.match(r"(https?:)?//", address), f"{page}: {address}"


def test_the_probe_for_third_parties_sees_them() -> None:
    for text in (
        '<script async src="https://a.example/x.js">',
        '<link rel="stylesheet" href="//a.example/x.css">',
        "@font-face { src: url(https://a.example/x.woff2) }",
        "<img alt=x src=https://a.example/x.png>",
    ):
        assert any("a.example" in address for address in fetched(text)), text
    assert not fetched('<link rel="canonical" href="https://a.example/">')


def test_addresses_come_from_the_environment(built: Path) -> None:
    home = (built / "index.html").read_text("utf-8")
    assert 'href="https://book.example/"' in home
    assert 'href="https://code.example/book"' in home
    assert 'data-md-component="source"' not in home  # it would ask the host for stars


def test_the_chapter_is_whole(built: Path) -> None:
    html = (built / "foundations/one-context-vector/index.html").read_text("utf-8")
    assert html.count('class="checked"') >= 12
    assert 'src="../figures/one-context-vector/weights.svg"' in html
    figure = (built / "foundations/figures/one-context-vector/weights.svg").read_text("utf-8")
    assert "<style>@font-face{font-family:'Book sans';" in figure  # as the text around it
    assert 'id="attention.functional.dot_product_attention"' in html
    assert "Source code in" in html
    assert "{.output}" not in html
    assert "<!--" not in re.sub(r"<!--\[if.*?-->|<!-- source:.*?-->", "", html, flags=re.S)


def test_a_drawing_links_to_pages_of_the_book(built: Path) -> None:
    links = [
        page.parent / address
        for page in built.rglob("index.html")
        for address in re.findall(r'<a href="(\.\./[^"#]*)" style=', page.read_text("utf-8"))
    ]
    assert len(links) >= 14
    for link in links:
        assert (link / "index.html").exists(), link


def test_every_public_name_has_a_reference(built: Path) -> None:
    import attention

    reference = "".join(
        page.read_text("utf-8") for page in (built / "reference").rglob("index.html")
    )
    for name in attention.__all__:
        home = getattr(attention, name).__module__
        assert f'id="{home}.{name}"' in reference, name


def test_a_default_stands_close_to_its_bracket(built: Path) -> None:
    text = (built / "reference/multi_head/index.html").read_text("utf-8")
    assert len(re.findall(r"default:\s+<code>[^<]+</code>\)", text)) > 10
    for page in built.rglob("*.html"):
        assert not re.search(r"</code>\s+\)", page.read_text("utf-8")), page
