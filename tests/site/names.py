"""What a span of code names, and nobody has.

A span of code that is a Python expression is read as one. What begins with a module or with a
public name of the package is looked up there. Any other name must stand in the code or the output
of some page, or be one that the package uses itself. A path must lead to a file.
"""

import ast
import builtins
import functools
import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import torch
from pages import ROOT

import attention
from literate.pages.page import Page

# But one, which names packages of npm and their files.
PAGES = {*ROOT.glob("README.*"), *(ROOT / "docs").rglob("*.md")} - {
    ROOT.joinpath("docs", "about", "licences.md")
}
MODULES = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "attention": attention}
# Of transformers, nn.LayerNorm, the command line and mkdocs.yml, and files that are made.
ELSEWHERE = {
    *("GPT2Config", "attn_pdrop", "normalized_shape"),
    *("SmolLM3Config", "no_rope_layers", "attention_factor", "mscale", "truncate"),
    *("O", "python3", "python", "nav", "build/book.pdf", "docs/foundations/your-chapter.md"),
}
NAME = re.compile(r"[A-Za-z_]\w*")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*\.(?:py|md|yml|toml|json|txt|pdf)|[\w.-]+(?:/[\w.-]+)*/")


@functools.cache
def book() -> frozenset[str]:
    """The names in the code of all pages and of the package."""
    found = {*dir(builtins), *keyword.kwlist, *dir(torch.Tensor), "literate"}
    for path in PAGES:
        for block in Page.read(path).blocks:
            found |= {
                *NAME.findall(block.code),
                *NAME.findall(block.output.text if block.output else ""),
            }
    for path in (ROOT / "attention").rglob("*.py"):
        found |= {path.stem, path.parent.name}
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline)
        found |= {token.string for token in tokens if token.type == tokenize.NAME}
    return frozenset(found)


def unknown(span: str) -> Iterator[str]:
    """What a span of code names and nobody has."""
    if PATH.fullmatch(span):
        if span not in ELSEWHERE and not any(
            (base / span).exists() for base in (ROOT, ROOT / "docs")
        ):
            yield span
        return
    try:
        tree = ast.parse(span, mode="eval")
    except SyntaxError:  # a command, a notation, half a line
        return
    looked_up: set[ast.AST] = set()
    for node in ast.walk(tree):
        if node in looked_up:
            continue
        chain, inner = [], node
        while isinstance(inner, ast.Attribute):
            chain.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and (owner := root(inner.id)) is not None:
            looked_up |= {*ast.walk(node)}
            for name in reversed(chain):
                owner = inside(owner, name)
                if owner is None:
                    yield f"{inner.id}: {name}"
                    break
            continue
        name = {ast.Name: "id", ast.Attribute: "attr", ast.keyword: "arg"}.get(type(node))
        said = name and getattr(node, name)
        # A single capital is a size or a matrix of the text around it.
        if said and said not in book() | ELSEWHERE and not re.fullmatch("[A-Z]", said):
            yield said


def inside(owner: object, name: str) -> object:
    """An attribute; a module of a package may not have been loaded yet."""
    found = getattr(owner, name, None)
    if found is None and isinstance(owner, ModuleType) and hasattr(owner, "__path__"):
        full = f"{owner.__name__}.{name}"
        found = import_module(full) if find_spec(full) else None
    return found


def root(name: str) -> object:
    return MODULES.get(name) or (
        getattr(attention, name, None) if name in attention.__all__ else None
    )
