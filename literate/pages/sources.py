"""`{.source of="attention.masks.Causal"}`: a piece of the package, spliced from its file.

With `:2` behind the name it is the second paragraph of that piece: what stands between blank lines.
"""

import ast
import os.path
import re
from pathlib import Path
from textwrap import dedent


class NoSource(Exception):
    """A name of the package that no file defines."""


def source(root: Path, name: str) -> str:
    """The text of a function or class, decorators included: `package.module.name`, or a part."""
    name, _, part = name.partition(":")
    text = whole(root, name)
    if not part:
        return text
    paragraphs = re.split(r"\n{2,}", text)
    if part not in [str(number + 1) for number in range(len(paragraphs))]:
        raise NoSource(f"{name} has no paragraph {part!r}: expected 1 to {len(paragraphs)}")
    return dedent(paragraphs[int(part) - 1]).rstrip("\n") + "\n"


def whole(root: Path, name: str) -> str:
    module, _, rest = name.partition(".")
    path = root / module
    # os.path's answer to a name too long for a file is no; a Path's is an OSError.
    while rest and os.path.isdir(path / rest.partition(".")[0]):
        head, _, rest = rest.partition(".")
        path /= head
    head, _, rest = rest.partition(".")
    path = (path / head).with_suffix(".py")
    if not head or not rest or not os.path.isfile(path):
        raise NoSource(f"no file defines {name!r}: expected package.module.name")
    text = path.read_text("utf-8")
    node: ast.AST = ast.parse(text)
    for part in rest.split("."):
        inside = ast.iter_child_nodes(node)
        found = [child for child in inside if getattr(child, "name", None) == part]
        if not found:
            raise NoSource(f"{path.relative_to(root)} does not define {part!r}")
        node = found[-1]  # the last: overloads stand before the function itself
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    lines = text.splitlines(keepends=True)[first(node) - 1 : node.end_lineno]
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "".join(line[indent:] if line.strip() else line for line in lines)


def first(node: ast.stmt) -> int:
    """The line that a statement begins at, with its decorators."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
