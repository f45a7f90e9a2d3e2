"""A block without the statements above it that look as if it needed them."""

import pytest
from helpers import script

NEEDED = {
    "no call of what changes only another function": (
        [
            "def g(x):\n    return x\n\n\ng.seen = []",
            "def f(x):\n    g.seen.append(1)\n    return x[0]\n\n\nx = [1]\ny = f(x)",
            "print(x)",
        ],
        "x = [1]",
    ),
    "no name that a loop binds": (
        ["a = 1\nfor a in (1, 2):\n    b = a", "print(b)"],
        "for a in (1, 2):\n    b = a",
    ),
    "no change of the other of two": (
        ["x, y = [[]], [[]]\nfor a, b in zip(x, y):\n    a.append(1)", "print(y)"],
        "x, y = [[]], [[]]",
    ),
    "no change of a count": (
        ["x = [[]]\nfor i, a in enumerate(x):\n    i += 1", "print(x)"],
        "x = [[]]",
    ),
    "no change of what new parts are made from": (
        ["x = [[1]]\ny = [a + 1 for a in x]\ny[0] = 2", "print(x)"],
        "x = [[1]]",
    ),
    "no use of what was used up at once": (
        ["x = 1\nq, k = (i for i in range(2))\nr = q + x", "print(x)"],
        "x = 1",
    ),
    "no use of a function's number": (
        ["def f(a):\n    a[0] = 1\n    return 2", "x = 1\nb = f([0])\nc = b + x", "print(x)"],
        "x = 1",
    ),
    "no function that changes what it made": (
        ["def f(a):\n    b = a.clone()\n    b[0] = 1\n    return b + 0", "c = f(x)", "print(x)"],
        "",
    ),
    "no object that is made of it": (
        ["class A:\n    def __init__(self, b):\n        self.b = b", "a = A(x)", "print(x)"],
        "",
    ),
    "no change of a module": (
        ["import torch\nw = torch.ones(2)\ntorch.nn.init.zeros_(w)", "print(torch.pi)"],
        "import torch",
    ),
    "no use of what prints": (["f = iter([1])\nprint(next(f))", "print(2)"], ""),
    "no change of a function that is called": (
        ["def g(a):\n    return a", "a = 1", "f = iter([1])\nb = g(next(f))", "print(g(a))"],
        "def g(a):\n    return a\n\n\na = 1",
    ),
    "nothing that a name stood for before": (["a = 1\nf = lambda: a\nf = 2", "print(f)"], "f = 2"),
    "no change of an index": (["i = [0]\ny = x[i]\ny[0] = 1", "print(i)"], "i = [0]"),
}


@pytest.mark.parametrize("name", NEEDED)
def test_what_a_block_does_not_need(name: str) -> None:
    blocks, above = NEEDED[name]
    assert script(*blocks) == (f"{above}\n\n{blocks[-1]}\n" if above else f"{blocks[-1]}\n")
