"""The page of errors has every sentence that the package raises, as the package says it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/reference/errors.md"
OUTPUTS = " ".join(re.findall(r"```text \{.output\}\n(.*?)```", PAGE.read_text("utf-8"), re.S))
SHOWN = re.split(r" ?\b\w+Error: ", re.sub(r"\s+", " ", OUTPUTS).strip())
# What no call of the page can get.
ABSENT = {
    "networkx is not installed": "it is installed where the pages are tested",
    "does not define join": "for who writes a cache of their own",
    "does not define _held": "for who writes a cache of their own",
    "may change unseen": "caught by who asks",
    "takes values as wide as keys": "it takes a GPU",
}


def sentences() -> Iterator[tuple[str, str]]:
    """Where each error is raised, and its words, with .* for what it fills in."""
    for path in sorted((ROOT / "attention").rglob("*.py")):
        if "triton" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Raise(exc=ast.Call(args=[said])) if path.name != "named.py":
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", pattern(said)
                case ast.Call(func=ast.Name("refuse"), args=[_, _, ast.Constant(why), instead]):
                    said = rf"backend .* {re.escape(why)}: expected {pattern(instead)}"
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", said


def pattern(said: ast.expr) -> str:
    match said:
        case ast.Constant(value=str(text)):
            return re.escape(text)
        case ast.JoinedStr(values=parts):
            return "".join(map(pattern, parts))
        case _:
            return ".*"


EVERY = dict(sentences())


def test_all_are_found() -> None:
    assert len(EVERY) > 100


@pytest.mark.parametrize("where", EVERY)
def test_the_page_has_it(where: str) -> None:
    said = EVERY[where]
    if not any(re.escape(words) in said for words in ABSENT):
        assert any(re.fullmatch(said, shown) for shown in SHOWN), said


@pytest.mark.parametrize("words", ABSENT)
def test_what_is_absent_is_raised(words: str) -> None:
    assert any(re.escape(words) in said for said in EVERY.values())
