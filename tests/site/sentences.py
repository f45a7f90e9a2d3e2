"""Sentences of docstrings that would mislead if they said the opposite, and whether each is so.

What an example beside them shows is left out: a false sentence would stand above its refusal.
"""

from collections.abc import Callable
from typing import Any

from docstrings import docstrings

SAID = {name: " ".join(words.split()) for name, words in docstrings().items()}
Holds = Callable[[], Any]
Cases = dict[tuple[str, str], Holds]


def saying(cases: Cases) -> Callable[..., Callable[[Holds], Holds]]:
    """A decorator that adds to these cases: the words of a docstring, and the function below."""

    def says(name: str, *words: str) -> Callable[[Holds], Holds]:
        def kept(holds: Holds) -> Holds:
            cases.update({(name, each): holds for each in words})
            return holds

        return kept

    return says


def is_so(name: str, words: str, holds: Holds) -> None:
    """A docstring has these words once, and what is asked gives `True`."""
    assert SAID[name].count(words) == 1, f"{name} does not say once: {words}"
    assert holds(), f"{name} says, and it is not so: {words}"


def fails(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (ValueError, RuntimeError):
        return True
    return False
