"""`python -m literate pdf`: the built site as one PDF, with a contents page and page numbers."""

import argparse
import re
import shutil
import sys
import tempfile
from html import escape, unescape
from pathlib import Path
from typing import Any

from mkdocs.config import load_config
from pypdf import PdfReader

from literate.printing.chromium import browser, print_page
from literate.printing.join import Part, join
from literate.site import nav

STYLE = "<style>@media print {{ html {{ counter-reset: page {} }} }}</style></head>"
TITLE = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.S)
CHAPTER = re.compile(r'<h1\b[^>]* data-chapter="(\d+)"')
FRONT = """<body class="front md-typeset" data-md-color-scheme="default">
<section class="front__title">{mark}<h1>{name}</h1><p>{description}</p><p>{rights}</p></section>
<nav><h1>Contents</h1>{entries}</nav></body></html>"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate pdf")
    parser.add_argument("--site-dir", type=Path, default=Path("site"))
    parser.add_argument("--target", type=Path, default=Path("build/book.pdf"))
    options = parser.parse_args(arguments)
    chrome = browser()
    if not chrome:
        said = "printing needs Chromium or Chrome: install one, or name it in CHROME"
        print(said, file=sys.stderr)
        return 1
    if not (options.site_dir / "index.html").exists():
        print(f"{options.site_dir} holds no site to print: run `make site`", file=sys.stderr)
        return 1
    config: Any = load_config("mkdocs.yml")
    options.target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder).resolve() / "site"
        shutil.copytree(options.site_dir, site)
        for sheet in site.rglob("*.css"):  # paper waits for its faces
            sheet.write_text(
                re.sub(r"(font-display: ?)optional", r"\1block", sheet.read_text("utf-8")), "utf-8"
            )
        parts = print_all(chrome, config, site)
        join(parts, site, config.site_url or "", options.target)
    print(f"{options.target}: {len(PdfReader(options.target).pages)} pages")
    return 0


def print_all(chrome: str, config: Any, site: Path) -> list[Part]:
    """Print the pages in the order of the book; the contents, which come first, at last."""
    front = Part(config.site_name, "", site / "contents.html", site / "contents.pdf")
    listed = list(nav.pages(config.nav))
    count = write_front(chrome, front, config, [(*entry, 0) for entry in listed], site)
    parts, entries = [front], []
    for section, path in listed:
        source = site / nav.folder(path) / "index.html"
        text = source.read_text("utf-8")
        source.write_text(text.replace("</head>", STYLE.format(count), 1), "utf-8")
        printed = source.with_suffix(".pdf")
        print_page(chrome, source, printed)
        entries.append((section, path, count + 1))
        parts.append(Part(title(text), section, source, printed))
        count += len(PdfReader(printed).pages)
        print(f"{count:4} {path}", file=sys.stderr)
    write_front(chrome, front, config, entries, site)
    return parts


def title(text: str) -> str:
    found, number = TITLE.search(text), CHAPTER.search(text)
    words = unescape(re.sub(r"<[^>]+>|¶", "", found[1])).strip() if found else ""
    return f"{number[1]} {words}" if number else words


def write_front(
    chrome: str, front: Part, config: Any, entries: list[tuple[str, str, int]], site: Path
) -> int:
    """Print the title page and the contents; the number of their pages."""
    lines, section = [], ""
    for name, path, number in entries:
        if name != section:
            lines.append(f"<h2>{name}</h2>")
            section = name
        folder = nav.folder(path)
        words = escape(title((site / folder / "index.html").read_text("utf-8")), quote=False)
        lines.append(f'<p><a href="{folder}/">{words}</a><i></i><b>{number}</b></p>')
    head = (site / "index.html").read_text("utf-8").partition("<body")[0]
    head = re.sub(r"<style>@media print.*?</style>", "", head)  # the front begins at page 1
    body = FRONT.format(
        mark=(site / "assets/mark.svg").read_text("utf-8"),
        name=config.site_name,
        description=config.site_description,
        rights=config.copyright,
        entries="\n".join(lines),
    )
    front.source.write_text(head + body, "utf-8")
    front.printed.unlink(missing_ok=True)
    print_page(chrome, front.source, front.printed)
    return len(PdfReader(front.printed).pages)
