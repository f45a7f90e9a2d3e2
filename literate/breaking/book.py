"""python -m literate break [PAGE …]: every digit of the book changed, and what is noticed."""

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from literate.breaking import trial

ROOT = Path(__file__).parents[2]


def pages() -> list[str]:
    """The pages, those first that have most to run."""
    found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    return [str(p.relative_to(ROOT)) for p in sorted(found, key=lambda p: -p.stat().st_size)]


def outside(page: str) -> list[str]:
    """The tests that hold a page against a measurement: those that name its file."""
    tests = sorted((ROOT / "tests/site").glob("test_*.py"))
    named = [path for path in tests if f'"{page}"' in path.read_text("utf-8")]
    return [str(path.relative_to(ROOT)) for path in named]


@contextlib.contextmanager
def copy() -> Iterator[Path]:
    """A copy of what pages and their tests read, to be broken."""
    with tempfile.TemporaryDirectory(prefix="broken-") as folder:
        root = Path(folder).resolve()
        vendor = shutil.ignore_patterns("assets", "overrides", "__pycache__")
        for name in ("docs", "tests/site"):
            shutil.copytree(ROOT / name, root / name, ignore=vendor)
        for name in ("README.md", "pyproject.toml", "tests/conftest.py"):
            shutil.copy(ROOT / name, root / name)
        for name in ("attention", "benchmarks", "literate"):
            (root / name).symlink_to(ROOT / name)
        yield root


def one(page: str, sample: int = 0, seed: str = "") -> trial.Trial:
    """Break one page."""
    with copy() as root:
        return trial.run(root, page, outside(page), trial.Trial(sample, seed))
