"""Where the docstrings of the package have formulas, and of what and what each one is."""

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


class Formula(NamedTuple):
    """One formula: what it is of, what that is, and a remark, which may be its shape."""

    left: str
    relation: str
    right: str
    remark: str = ""


def docstrings() -> Iterator[tuple[str, str]]:
    """Each docstring of the package, by its module and name, as `masks.causal.Causal`."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                name = getattr(node, "name", "")
                yield f"{module}.{name}".rstrip("."), ast.get_docstring(node) or ""


def typeset(docstring: str) -> list[str]:
    """The lines that stand apart, before the first section."""
    found = []
    for line in docstring.splitlines():
        if SECTION.match(line):
            break
        if line.startswith("    "):
            found.append(line.strip())
    return found


def inline(docstring: str) -> list[str]:
    """What stands in backticks before the examples, and computes something."""
    said = re.findall(r"`([^`\n]+)`", docstring.split("Examples:")[0])
    return [one for one in said if re.search(r"\S (·|−|\+|//?|≤|≥|<|>) \S", one)]


def formulas(line: str) -> list[Formula]:
    """What a line says; several formulas lie three spaces apart."""
    remark = REMARK.search(line)
    line = REMARK.sub("", re.sub(r"^\w+:\s+", "", line))
    found = []
    for one in re.split(r"\s{3,}(?=\w+ = )", line):
        left, relation, right = SIDES.split(one, maxsplit=1)
        found.append(Formula(left, relation, right, remark[1] if remark else ""))
    return found
