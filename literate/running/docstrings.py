"""The examples of docstrings print what they say, compared as the blocks of a page are.

Pytest's own comparison of numbers, NUMBER, takes 1. for 0., and 0.7 for 0.79: it allows one unit of
whatever digit is written last.
"""

import doctest

import pytest

from literate.rules.compare import same_output


class Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, got, optionflags) or same_output(want, got)


def use(items: list[pytest.Item]) -> None:
    """Give our comparison to the examples among the tests; pytest has no option for another."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.runner._checker = Checker()  # type: ignore[attr-defined]
