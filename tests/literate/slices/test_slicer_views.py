"""A block with the statements above it, where names share memory or are bound anew."""

import pytest
from helpers import script

NEEDED = {
    "what is put in front of a queue": (
        ["a = []\na.appendleft(x)\na[0][0] = 1", "print(x)"],
        "a = []\na.appendleft(x)\na[0][0] = 1",
    ),
    "what a list is extended by": (
        ["a = []\na.extend(x)\na[0][0] = 1", "print(x)"],
        "a = []\na.extend(x)\na[0][0] = 1",
    ),
    "what is added to a set": (
        ["a = set()\na.add(x)\na.pop().append(1)", "print(x)"],
        "a = set()\na.add(x)\na.pop().append(1)",
    ),
    "what a dictionary has unless it has another": (
        ["a = {}\na.setdefault(1, x)\na[1][0] = 1", "print(x)"],
        "a = {}\na.setdefault(1, x)\na[1][0] = 1",
    ),
    "no change of a count from another number on": (
        ["x = [[]]\nfor i, a in enumerate(x, 5):\n    i += 1", "print(x)"],
        "x = [[]]",
    ),
    "no change of what another name stood for at first": (
        ["p, b = [1], [2]\na = p\nif len(b) == 1:\n    a = b\nd = b\nd[0] = 3", "print(p)"],
        "p, b = [1], [2]",
    ),
    "nothing that the name of a module stood for": (
        ["a = 1\nf = lambda: a\nimport math as f", "print(f)"],
        "import math as f",
    ),
    "no change of what the name of a function stood for": (
        ["x = [1]\nf = x\ndef f():\n    return 2\nf.times = 1", "print(x)"],
        "x = [1]",
    ),
    "what a list was made from, and not what is bound later": (
        ["x = 1", "y = [x for _ in range(2)]", "x = 5", "print(y)"],
        "x = 1\ny = [x for _ in range(2)]",
    ),
    "what a sum was made from, and not what is bound later": (
        ["x = 1", "y = sum(x for _ in range(2))", "x = 5", "print(y)"],
        "x = 1\ny = sum(x for _ in range(2))",
    ),
}


@pytest.mark.parametrize("name", NEEDED)
def test_what_a_block_needs_of_shared_names(name: str) -> None:
    blocks, above = NEEDED[name]
    assert script(*blocks) == f"{above}\n\n{blocks[-1]}\n"


def test_what_changes_a_list_is_not_needed_by_a_name_that_was_it_before() -> None:
    still = script("first = []\nsecond = first\nfirst.append(2)", "print(second)")
    assert still == "first = []\nsecond = first\nfirst.append(2)\n\nprint(second)\n"
    anew = script("first = []\nsecond = first\nsecond = [1]\nfirst.append(2)", "print(second)")
    assert anew == "second = [1]\n\nprint(second)\n"
