"""Ruff on the Python of the pages, which it does not find inside Markdown by itself.

Each page becomes a Python file with its blocks at their line numbers, for `ruff check`:
`build/lint/pages/docs/x.md.py:41`. Each block becomes a file of its own, for `ruff format`:
`build/lint/blocks/docs/x.md/line41.py`.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from literate.pages.page import Page

FOLDER = Path("build/lint")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate lint")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    pages = parser.parse_args(arguments).pages
    pages = pages or [Path("README.md"), *sorted(Path("docs").rglob("*.md"))]
    if missing := [page for page in pages if not page.is_file()]:
        parser.error(f"no page {missing[0]}")
    shutil.rmtree(FOLDER, ignore_errors=True)
    for path in pages:
        extract(Page.read(path), FOLDER)
    if not FOLDER.exists():
        return 0
    # A page imports where it needs to, shows bare expressions, and defines a stub again.
    allow = "lint.ignore=['E402', 'B018', 'F811']"
    width = ["--config", "line-length=76"]  # what a cell shows without scrolling
    theirs = "lint.isort.known-third-party=['attention']"  # as it is for the reader
    check = ["check", "--quiet", "--no-cache", *width, "--config", allow, "--config", theirs]
    # The preview style lets a matrix open as torch.tensor([ on one line.
    layout = ["format", "--check", "--quiet", "--no-cache", *width, "--diff", "--preview"]
    return max(ruff([*check, str(FOLDER / "pages")]), ruff([*layout, str(FOLDER / "blocks")]))


def extract(page: Page, folder: Path) -> None:
    """Write a page as one Python file at the same line numbers, and as a file a block."""
    lines: list[str] = []
    for block in page.blocks:
        if block.kinds & {"notest", "source"}:  # what is spliced is linted where it stands
            continue
        target = folder / "blocks" / page.path / f"line{block.line}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.code, "utf-8")
        lines += [""] * (block.line - 1 - len(lines)) + block.code.splitlines()
    if lines:
        target = folder / "pages" / page.path.with_suffix(".md.py")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", "utf-8")


def ruff(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "ruff", *arguments], check=False).returncode
