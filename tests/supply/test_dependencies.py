"""Each dependency has its reason in CONTRIBUTING.md, once; npm locks what is asked for."""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGE = json.loads((ROOT / "package.json").read_text("utf-8"))
INSTALLED = packages_distributions()
IMPORT = ("attention", "benchmarks", "literate", "tests")
LOCK = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]


def tables() -> list[list[tuple[list[str], str]]]:
    """The tables under Dependencies: the names of each row, and their reason."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    part = text.partition("## Dependencies\n")[2].partition("\n## ")[0]
    found = re.findall(r"^\| package .*\n\| --- .*\n((?:\|.*\n)+)", part, re.M)
    rows = [re.findall(r"^\| (.+?) \| (.+) \|$", table, re.M) for table in found]
    return [[(names.split(", "), reason) for names, reason in table] for table in rows]


def python() -> set[str]:
    groups = PROJECT["dependency-groups"].values()
    asked = [each for group in groups for each in group if isinstance(each, str)]
    asked += PROJECT["project"]["dependencies"]
    for extra in PROJECT["project"]["optional-dependencies"].values():
        asked += extra
    return {canonicalize_name(Requirement(each).name) for each in asked}


def test_each_python_package_has_its_reason() -> None:
    names = [canonicalize_name(name) for row, _ in tables()[0] for name in row]
    assert len(names) == len(set(names))
    assert set(names) == python()


def test_each_npm_package_has_its_reason() -> None:
    names = [name for row, _ in tables()[1] for name in row]
    assert len(names) == len(set(names))
    assert set(names) == {*PACKAGE["dependencies"], *PACKAGE["devDependencies"]}


def test_what_is_imported_is_asked_for() -> None:
    """And does not only come with something else."""
    files = [path for name in IMPORT for path in (ROOT / name).rglob("*.py")]
    ours = {*IMPORT, *(path.stem for path in files)}
    theirs = {name for path in files for name in imported(path)} - ours - sys.stdlib_module_names
    assert len(theirs) > 20
    named = {"coverage": {"pytest-cov"}, "safetensors": {"transformers"}}
    named["tokenizers"] = {"transformers"}  # whose package shows them
    theirs -= {"flash_attn"}  # which gpu.py measures where somebody has installed it
    brought = {name: {*map(canonicalize_name, INSTALLED.get(name, ()))} for name in theirs}
    assert {
        name for name in theirs if not (brought[name] | named.get(name, set())) & python()
    } == set()


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_a_reason_is_one() -> None:
    assert len(tables()) == 2
    for table in tables():
        for names, reason in table:
            assert len(reason.split()) > 2, names


def test_who_reads_how_to_begin_is_told_the_oldest_versions() -> None:
    python = PROJECT["project"]["requires-python"].removeprefix(">=")
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"You need Python {python} or newer" in readme
    needs = PROJECT["project"]["dependencies"][0]
    assert f"It needs `{needs}`." in readme
    recipes = (ROOT / "docs/reference/recipes.md").read_text("utf-8")
    assert f"It needs Python `{python}` or newer, and `{needs}`." in recipes
    assert f"this book needs Python {python} or newer" in (ROOT / "Makefile").read_text("utf-8")


def test_npm_locks_what_is_asked_for_with_the_hash_of_each_file() -> None:
    assert LOCK[""]["dependencies"] == PACKAGE["dependencies"]
    assert LOCK[""]["devDependencies"] == PACKAGE["devDependencies"]
    assert len(LOCK) > 100
    for name, entry in LOCK.items():
        if name:
            assert re.fullmatch(r"sha512-[A-Za-z0-9+/]{86}==", entry["integrity"]), name
            assert "resolved" not in entry, name  # an address would name one registry
    assert "ignore-scripts=true" in (ROOT / ".npmrc").read_text("utf-8").split("\n")
