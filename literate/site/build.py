"""Builds and serves the site with MkDocs, whose warnings then begin with the page and the line."""

import argparse
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build as build_site
from mkdocs.commands.serve import serve as serve_site
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, ConfigurationError
from mkdocs.utils import is_markdown_file

from literate.extensions.fault import Fault
from literate.pages.page import Page, PageError

# What MkDocs and its plugins say of a page: which page, if they know it, and what it refers to.
FAULTS = [
    re.compile(r"Doc file '(?P<page>[^']+)' contains an? .*?link '(?P<target>[^']+)'"),
    re.compile(r"(?P<page>[^\s:]+\.md): .*target '(?P<target>[^']+)'"),
    re.compile(r"Could not collect '(?P<target>[^']+)'"),
]
READING = re.compile(r"Error reading page '(?P<page>[^']+)'")


class Located(logging.Formatter):
    """Formats a warning as `docs/page.md:12: what is wrong`."""

    def __init__(self, docs: Path) -> None:
        super().__init__("%(levelname)s: %(message)s")
        self.docs = docs

    def format(self, record: logging.LogRecord) -> str:
        message = super().format(record)
        # MkDocs logs the page while it handles what our extension raised, which knows the words.
        raised = sys.exc_info()[1]
        if isinstance(raised, Fault) and (reading := READING.search(message)):
            return f"{find(self.docs, reading['page'], raised)}: {raised}"
        for fault in FAULTS:
            if match := fault.search(message):
                place = locate(self.docs, match.groupdict().get("page"), match["target"])
                return f"{place}: {message}" if place else message
        return message


def locate(docs: Path, page: str | None, target: str) -> str:
    """The page and line that refer to `target`: `docs/page.md:12`, or "" if none is found."""
    for path in [docs / page] if page else sorted(docs.rglob("*.md")):
        if path.exists():
            for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
                if re.search(rf"(?<![\w.]){re.escape(target)}(?![\w.]*\w)", line):
                    return f"{docs.name}/{path.relative_to(docs)}:{number}"
    return ""


def find(docs: Path, page: str, fault: Fault) -> str:
    """Where the words of a fault stand on a page: `docs/page.md:12`."""
    try:
        text = Page.read(docs / page).prose
    except PageError:  # the tests say so; a fence may hide the words then
        text = (docs / page).read_text("utf-8")
    start = -1
    for _ in range(fault.occurrence):
        start = text.find(fault.words, start + 1)
    line = f":{text.count(chr(10), 0, start) + 1}" if start >= 0 else ""
    return f"{docs.name}/{page}{line}"


def unseen(docs: Path) -> Iterator[Path]:
    """The pages that MkDocs builds and the tests do not find."""
    for path in sorted(docs.rglob("*")):
        if is_markdown_file(path.name) and path.suffix != ".md":
            yield docs.name / path.relative_to(docs)


def build(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate build")
    parser.add_argument("--site-dir", default="site")
    options = parser.parse_args(arguments)
    handler = logging.StreamHandler()
    logger = logging.getLogger("mkdocs")
    # The day that the compressed sitemap bears: a build on another day has the same bytes.
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    try:
        config: Any = load_config("mkdocs.yml", site_dir=options.site_dir)
        handler.setFormatter(Located(Path(config.docs_dir)))
        handler.setLevel(logging.WARNING)
        logger.addHandler(handler)
        if never_run := [*unseen(Path(config.docs_dir))]:
            said = "the tests run only a page whose name ends in .md: rename it"
            print(f"{never_run[0]}:1: {said}", file=sys.stderr)
            return 1
        config.plugins.on_startup(command="build", dirty=False)
        build_site(config)
        # The theme's search in other languages: never read here, and under other licences.
        shutil.rmtree(Path(config.site_dir) / "assets/javascripts/lunr", ignore_errors=True)
        config.plugins.on_shutdown()
    except (Abort, ConfigurationError) as error:
        print(str(error).strip(), file=sys.stderr)
        return 1
    except Fault:  # logged, with its place
        return 1
    finally:
        logger.removeHandler(handler)
    return 0


def serve(arguments: list[str]) -> int:
    argparse.ArgumentParser(prog="python -m literate serve").parse_args(arguments)
    handler = logging.StreamHandler()
    handler.setFormatter(Located(Path("docs").resolve()))
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    watch = ["attention", "literate", "mkdocs.yml"]
    try:
        serve_site("mkdocs.yml", watch=watch, strict=False)
    except Fault:  # logged, with its place
        return 1
    return 0
