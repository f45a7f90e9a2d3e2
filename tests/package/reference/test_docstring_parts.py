"""What a docstring says of arguments and errors agrees with the signature, and with Python."""

import ast
import builtins
import re
from collections.abc import Iterator

from docstrings import PACKAGE, docstrings

RAISES = re.compile(r"^Raises:\n((?:    .*\n?)+)", re.M)
TYPE = re.compile(r"^    (\w+): ", re.M)
SHAPE = re.compile(r"[Ss]hape `\(…(?:, \w+)*?, (\w+), (\w+)\)`")
ANNOTATED = re.compile(r"Float\[Tensor, '\*\w+ (\w+) (\w+)'\]")
# The letters of shapes in prose, and the names of the same axes in annotations.
AXES = {
    "T": {"queries", "tokens"},
    "S": {"keys"},
    "D": {"head_dim"},
    "E": {"value_dim"},
    "embed_dim": {"embed_dim"},
}


def errors(docstring: str) -> list[str]:
    found = RAISES.search(docstring)
    return TYPE.findall(found[1]) if found else []


def shapes(function: ast.FunctionDef) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Of each argument whose last two axes are told twice: its name, by prose, by annotation."""
    text = re.sub(r"\n {8,}", " ", ast.get_docstring(function) or "")
    for argument in [*function.args.args, *function.args.kwonlyargs]:
        said = re.search(rf"^    {argument.arg}: (.*)$", text, re.M)
        shape = SHAPE.search(said[1]) if said else None
        annotated = ANNOTATED.search(ast.unparse(argument.annotation or ast.Constant(0)))
        if shape and annotated:
            yield argument.arg, shape.groups(), annotated.groups()


def test_each_error_is_named_once_and_is_one() -> None:
    told = {name: errors(docstring) for name, docstring in docstrings().items()}
    assert sum(map(len, told.values())) > 50
    for name, found in told.items():
        assert len(found) == len({*found}), name
        assert all(issubclass(getattr(builtins, error), Exception) for error in found), name


def test_shapes_are_those_of_the_annotations() -> None:
    seen = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name, said, annotated in shapes(node) if isinstance(node, ast.FunctionDef) else ():
                seen += 1
                axes = [AXES[letter] for letter in said]
                agree = all(axis in known for axis, known in zip(annotated, axes, strict=True))
                assert agree, f"{path.stem}.{node.name}, {name}: {said}, {annotated}"
    assert seen > 10


def test_a_shape_that_is_turned_round_is_seen() -> None:
    text = """def f(query: Float[Tensor, "*heads queries head_dim"]):
    '''One.

    Args:
        query: Some words, shape `(…, H, D, T)`.
    '''
"""
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert [*shapes(function)] == [("query", ("D", "T"), ("queries", "head_dim"))]
