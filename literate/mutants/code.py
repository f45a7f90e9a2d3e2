"""The code that stands in some code."""

from collections.abc import Iterator
from types import CodeType


def inner(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions that stand in some code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from inner(constant)
