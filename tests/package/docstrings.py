"""The formulas in the docstrings of the package: where they stand, and their two sides."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import attention

PACKAGE = Path(attention.__file__).parent
SECTION = re.compile(r"(Args|Returns|Raises|Source|Examples):$")
REMARK = re.compile(r"\s{2,}(\([^()]*\)|if given)$")  # the shape of the left side, or a condition
SIDES = re.compile(r"\s+(=|where|becomes)\s+")
SIGNS = re.compile(r"\S\s+([·−+=≤≥<>*×÷%≠∈≈–-]|//?|\*\*)\s+\S")


class Formula(NamedTuple):
    """What it is of, what that is; before it a label, behind it a shape or a condition."""

    left: str
    relation: str
    right: str
    remark: str = ""
    label: str = ""


def docstrings() -> dict[str, str]:
    """Each docstring by its module and name, as `masks.causal.Causal`."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for name, docstring in within(ast.parse(path.read_text(encoding="utf-8")), module):
            assert name not in found, f"{name} has two docstrings"
            found[name] = docstring
    return found


def within(node: ast.Module | ast.ClassDef | ast.FunctionDef, name: str) -> Iterator:
    if docstring := ast.get_docstring(node):
        yield name, docstring
    for part in node.body:
        if isinstance(part, ast.ClassDef | ast.FunctionDef):
            yield from within(part, f"{name}.{part.name}")


def typeset(docstring: str) -> list[str]:
    """The lines that stand apart, before the first section."""
    found = []
    for line in docstring.splitlines():
        if SECTION.match(line):
            break
        if line.startswith("  "):
            found.append(line.strip())
    return found


def sections(docstring: str) -> list[str]:
    """The lines from the first section on, but for the examples, which are run."""
    lines = docstring.split("Examples:\n")[0].splitlines()
    start = next((n for n, line in enumerate(lines) if SECTION.match(line)), len(lines))
    return lines[start:]


def inline(docstring: str) -> list[str]:
    """What stands in backticks before the examples, and computes something."""
    said = re.findall(r"`([^`]+)`", docstring.split("Examples:\n")[0])
    return [" ".join(one.split()) for one in said if SIGNS.search(one)]


def formulas(line: str) -> list[Formula]:
    """What a line says; several formulas lie three spaces apart."""
    remark, label = REMARK.search(line), re.match(r"(\w+):\s+", line)
    line = REMARK.sub("", line[label.end() :] if label else line)
    found = []
    for one in re.split(r"\s{3,}(?=\w+ = )", line):
        sides = SIDES.split(one, maxsplit=1)
        found.append(Formula(*sides, remark[1] if remark else "", label[1] if label else ""))
    return found
