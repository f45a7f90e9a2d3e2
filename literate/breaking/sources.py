"""What the noticing of digits depends on: pages, figures, the code that checks; and a copy."""

import ast
import contextlib
import functools
import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from literate.pages.pictures import committed

ROOT = Path(__file__).parents[2]
FOUND = Path(__file__).with_name("found.json")


def pages() -> list[str]:
    """The pages, first those that have most to run."""
    found = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    order = sorted(found, key=lambda path: (-path.stat().st_size, path))
    return [path.relative_to(ROOT).as_posix() for path in order]


def outside(page: str) -> list[str]:
    """The tests that hold a page against a measurement: those that name its file."""
    tests = sorted((ROOT / "tests/site").rglob("test_*.py"))
    named = [path for path in tests if f'"{page}"' in path.read_text("utf-8")]
    return [path.relative_to(ROOT).as_posix() for path in named]


def text(page: str) -> str:
    """A hash of a page, its figures, and what holds it against measurements."""
    path = ROOT / page
    figures = sorted(committed(path, "").glob("*"))
    return digest([path, *figures, *(ROOT / test for test in outside(page))])


@functools.cache
def code() -> str:
    """A hash of the code that checks pages: the runner, and all of `literate` that it imports."""
    seen: set[Path] = set()
    waiting = {ROOT / "literate/runner.py", *Path(__file__).parent.glob("*.py")}
    while waiting:
        path = waiting.pop()
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = imported(node)
            for name in [*names, *(name.rpartition(".")[0] for name in names)]:
                place = ROOT / name.replace(".", "/")
                modules = place.with_suffix(".py"), place / "__init__.py"
                waiting |= {module for module in modules if module.exists()} - seen
    return digest(sorted(seen))


def imported(node: ast.AST) -> list[str]:
    """What a statement imports from `literate`, as far as it is an import."""
    if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("literate"):
        return []
    return [f"{node.module}.{name.name}" for name in node.names]


def digest(paths: list[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


@contextlib.contextmanager
def copy() -> Iterator[Path]:
    """A copy of what pages and their tests read, to be broken."""
    with tempfile.TemporaryDirectory(prefix="broken-") as folder:
        root = Path(folder).resolve()
        unread = shutil.ignore_patterns("assets", "overrides", "__pycache__")
        for name in ("docs", "tests/site"):
            shutil.copytree(ROOT / name, root / name, ignore=unread)
        for name in ("README.md", "pyproject.toml", "tests/conftest.py"):
            shutil.copy(ROOT / name, root / name)
        for name in ("attention", "benchmarks", "literate", "tests/mutants", "tests/package"):
            (root / name).symlink_to(ROOT / name)
        yield root
