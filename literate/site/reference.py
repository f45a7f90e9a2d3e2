"""The reference as Markdown: heads and docstrings, which the site renders and a program reads."""

import ast
import os.path
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from literate.pages.sources import first, whole

ROOT = Path(__file__).parents[2]
MEMBERS = re.compile(r"members: \[(.+)\]")


def reference(name: str, options: str) -> str:
    """What `::: name` stands for: a function or a class, or of a module the members it lists."""
    listed = MEMBERS.search(options)
    module = os.path.exists(ROOT / f"{name.replace('.', '/')}.py")
    parts = re.split(r",\s*", listed[1]) if listed and module else []
    most = 1 if "members: false" in options else None
    texts = [interface(defined(each), most) for each in [f"{name}.{p}" for p in parts] or [name]]
    return "\n\n\n".join(texts)


def interface(name: str, most: int | None = None) -> str:
    """A function or class without its code and what is private: so many heads at most."""
    text = whole(ROOT, name)
    lines = text.splitlines()
    found = islice(heads(ast.parse(text).body[0]), most)
    return "\n\n".join("\n".join(lines[start - 1 : stop]) for start, stop in found)


def heads(node: ast.stmt) -> Iterator[tuple[int, int]]:
    """From which line to which a head goes with its docstring; of a class, those within it too."""
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not ast.get_docstring(node):
        return
    yield first(node), node.body[0].end_lineno or node.lineno
    for child in node.body if isinstance(node, ast.ClassDef) else []:
        if not getattr(child, "name", "").startswith("_"):
            yield from heads(child)


def defined(name: str) -> str:
    """The name with its file, where a package has it: it defines it, or imports it from there."""
    package, _, last = name.rpartition(".")
    file = ROOT / package.replace(".", "/") / "__init__.py"
    for node in ast.parse(file.read_text("utf-8")).body if os.path.exists(file) else []:
        if isinstance(node, ast.ImportFrom) and last in [each.name for each in node.names]:
            return f"{node.module}.{last}"
    return f"{package}.__init__.{last}" if os.path.exists(file) else name
