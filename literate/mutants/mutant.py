"""Every mutant of a source file: where it is, what it changes, and its syntax tree."""

import ast
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from literate.mutants.changes import changes

TYPES = {"Any", "Callable", "Float", "Bool", "Int", "Literal", "Mapping", "cast", "TypeVar"}


@dataclass(frozen=True)
class Mutant:
    path: Path
    function: str  # its name with that of its class; empty outside of functions
    line: int
    lines: range  # of the statement, or of the head of a compound one; none if an import runs it
    text: str  # what stands there → what stands there now
    site: int
    change: int

    @property
    def key(self) -> str:
        """What names the mutant when the lines above it have moved."""
        return f"{self.path} {self.function or 'module'}: {self.text}"


class Site(NamedTuple):
    """A node that may change, and where its parent holds it."""

    parent: ast.AST
    field: str
    at: int | None
    node: ast.AST
    function: str
    statement: ast.stmt
    called: bool  # whether it runs when a function is called, not on import


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a file, but those of lines that no test is meant to run."""
    source = path.read_text("utf-8")
    skipped = {n for n, line in enumerate(source.splitlines(), 1) if "pragma: no cover" in line}
    seen: Counter[str] = Counter()
    for n, site in enumerate(sites(ast.parse(source))):
        if site.statement.lineno in skipped:
            continue
        before = shown(site.node)
        for m, changed in enumerate(changes(site.node)):
            text = f"{before} → {shown(changed)}"
            seen[site.function + text] += 1
            if (count := seen[site.function + text]) > 1:
                text += f" ({count})"
            line = getattr(site.node, "lineno", site.statement.lineno)
            run = lines(site.statement) if site.called else range(0)
            yield Mutant(path, site.function, line, run, text, n, m)


def hashes(path: Path) -> dict[str, str]:
    """Of each function a hash of what its mutants may change, and of nothing else."""
    said = defaultdict(list)
    for site in sites(ast.parse(path.read_text("utf-8"))):
        said[site.function].append(shown(site.node))
    for mutant in mutants(path):
        said[mutant.function].append(mutant.text)
    return {
        name: hashlib.sha256(plain("\n".join(texts)).encode()).hexdigest()[:8]
        for name, texts in said.items()
    }


def plain(text: str) -> str:
    """Without what Python 3.11 and later ones write differently: quotes within an f-string."""
    return text.translate(str.maketrans("", "", "\"'\\"))


def tree(mutant: Mutant) -> ast.Module:
    """The file of a mutant with its one change."""
    module = ast.parse(mutant.path.read_text("utf-8"))
    site = list(sites(module))[mutant.site]
    changed = list(changes(site.node))[mutant.change]
    if isinstance(changed, ast.Pass) and isinstance(site.node, ast.stmt):
        # Never run, but the function keeps the names that it takes from outside.
        changed = ast.If(ast.Constant(False), [site.node], [])
    ast.copy_location(changed, site.node)
    if site.at is None:
        setattr(site.parent, site.field, changed)
    else:
        getattr(site.parent, site.field)[site.at] = changed
    return ast.fix_missing_locations(module)


def sites(module: ast.Module) -> Iterator[Site]:
    """The nodes of a module that run: no annotation, no docstring, no type."""

    def inside(
        parent: ast.AST, place: str, statement: ast.stmt | None, called: bool
    ) -> Iterator[Site]:
        for field, value in ast.iter_fields(parent):
            if field in {"annotation", "returns", "decorator_list", "bases", "ctx"}:
                continue
            several = isinstance(value, list)
            for index, node in enumerate(value if several else [value]):
                if not isinstance(node, ast.AST) or for_types(node) or docstring(node):
                    continue
                held = node if isinstance(node, ast.stmt) else statement
                name = place
                if isinstance(node, ast.ClassDef | ast.FunctionDef):
                    name = f"{place}.{node.name}".lstrip(".")
                at, body = index if several else None, isinstance(parent, ast.FunctionDef)
                now = field == "body" if body else called
                if held is not None:
                    yield Site(parent, field, at, node, name, held, now)
                yield from inside(node, name, held, now)

    return inside(module, "", None, False)


def for_types(node: ast.AST) -> bool:
    """Whether a node says something to type checkers, importers or readers alone."""
    match node:
        case ast.FunctionDef(decorator_list=[ast.Name(id="overload")]):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.keyword(arg="strict"):  # of zip: it asserts what always holds
            return True
        case ast.Subscript(value=ast.Name(id=name)) | ast.Call(func=ast.Name(id=name)):
            return name in TYPES
    return False


def docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def lines(statement: ast.stmt) -> range:
    """The lines that run when a statement begins; of a compound one, those of its head."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def shown(node: ast.AST) -> str:
    """A node on one line; a compound statement by its head."""
    return ast.unparse(node).partition("\n")[0]
