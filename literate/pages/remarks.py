"""What a file tells its reader: the prose of a page, the comments and docstrings of code."""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

from literate.pages.page import Page
from literate.pages.syntax import parse


def told(path: Path) -> str:
    """The prose of a page, or the remarks of Python, each character in its place."""
    return Page.read(path).prose if path.suffix == ".md" else only_remarks(path.read_text("utf-8"))


def remarks(code: str) -> Iterator[tokenize.TokenInfo]:
    """Each comment, and each string that is a statement; of no Python, the first comments."""
    said = strings(code)
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT or token.start in said:
                yield token
    except (tokenize.TokenError, SyntaxError):
        return


def strings(code: str) -> set[tuple[int, int]]:
    """The line and the column at which each string begins that is a statement."""
    try:
        tree = parse(code)
    except SyntaxError:
        return set()
    lines, found = code.split("\n"), set()
    for statement in ast.walk(tree):
        match statement:
            case ast.Expr(value=ast.Constant(value=str(), lineno=line, col_offset=column)):
                before = lines[line - 1].encode()[:column].decode()  # it counts bytes
                found.add((line, len(before)))
    return found


def without_remarks(code: str) -> str:
    lines = list(io.StringIO(code))  # as its tokens are counted
    for token in reversed(list(remarks(code))):
        (first, start), (last, end) = token.start, token.end
        lines[first - 1 : last] = [lines[first - 1][:start] + lines[last - 1][end:]]
    return "".join(lines)


def only_remarks(code: str) -> str:
    """The remarks of code, each character in its place, and nothing else."""
    kept = [""] * (code.count("\n") + 1)
    for token in remarks(code):
        first, start = token.start
        said = " " * (start - len(kept[first - 1])) + token.string
        for number, line in enumerate(said.split("\n"), first - 1):
            kept[number] += line
    return "\n".join(kept)
