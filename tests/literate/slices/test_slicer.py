"""A block with the statements above it that it needs, and no others."""

from pathlib import Path

import pytest
from helpers import script

from literate.pages.page import Page
from literate.slices.slicer import scripts

NEEDED = {
    "what it reads": (["a = 1\nb = 2", "print(a)"], "a = 1"),
    "the last that binds it": (["a = 1", "a = 2", "print(a)"], "a = 2"),
    "what may not run, and what stands if it does not": (
        ["a = 1\nif b := 0:\n    a = 2", "print(a)"],
        "a = 1\nif b := 0:\n    a = 2",
    ),
    "what an addition reads": (["n = 1", "n += 1", "print(n)"], "n = 1\nn += 1"),
    "a name that Python has too": (["sum = 3", "print(sum)"], "sum = 3"),
    "what stands if a with ends early": (
        ["a = 1\nwith b:\n    a = 2", "print(a)"],
        "a = 1\nwith b:\n    a = 2",
    ),
    "no picture of another block": (["fig = f()\nfig.savefig('a.svg')", "print(fig)"], "fig = f()"),
    "an import": (["import math\nimport re", "print(math.pi)"], "import math"),
    "a change in place": (
        ["a, b = [1], [2]\na[0] = 3\nb[0] = 4", "print(a)"],
        "a, b = [1], [2]\na[0] = 3",
    ),
    "a method called for its effect": (["a = []\na.append(1)", "print(a)"], "a = []\na.append(1)"),
    "a change through another name": (
        ["a = x.view(2)\na[0] = 1", "print(x)"],
        "a = x.view(2)\na[0] = 1",
    ),
    "no change of a copy": (["a = x.clone()\na[0] = 1", "print(x)"], ""),
    "what a function reads when it is called": (
        ["def f():\n    return a", "a = 1", "b = f()", "print(b)"],
        "def f():\n    return a\n\n\na = 1\nb = f()",
    ),
    "what a method reads inside a list": (
        [
            "class A:\n    def f(self):\n        return [B for _ in range(2)]",
            "class B:\n    pass",
            "a = A()",
            "print(a)",
        ],
        "class A:\n    def f(self):\n        return [B for _ in range(2)]\n\n\n"
        "class B:\n    pass\n\n\na = A()",
    ),
    "a function that changes what it is given": (
        ["def f(a):\n    a[0] = 1\n\n\nx = [0]\nf(x)", "print(x)"],
        "def f(a):\n    a[0] = 1\n\n\nx = [0]\nf(x)",
    ),
    "the seed": (
        [
            "import torch\ntorch.manual_seed(0)\na = torch.rand(1)",
            "b = 1\nc = torch.rand(1)",
            "print(c)",
        ],
        "import torch\ntorch.manual_seed(0)\na = torch.rand(1)\nc = torch.rand(1)",
    ),
    "the last seed": (
        [
            "import torch\ntorch.manual_seed(0)\na = torch.rand(1)",
            "torch.manual_seed(1)\nc = torch.rand(1)",
            "print(c)",
        ],
        "import torch\ntorch.manual_seed(1)\nc = torch.rand(1)",
    ),
    "a generator, and not chance": (
        [
            "import torch\na = torch.rand(1)\n"
            "g = torch.Generator()\nb = torch.rand(1, generator=g)",
            "print(torch.rand(1, generator=g))",
        ],
        "import torch\ng = torch.Generator()\nb = torch.rand(1, generator=g)",
    ),
    "a gradient": (
        ["y = x.sum()\nz = 1\ny.backward()", "print(x.grad)"],
        "y = x.sum()\ny.backward()",
    ),
    "no gradient": (["y = x.sum()\ny.backward()", "print(x)"], ""),
    "a step of training": (
        [
            "import torch",
            "adam = torch.optim.Adam(layer.parameters())",
            "loss = layer(x).sum()\nloss.backward()\nadam.step()",
            "print(layer)",
        ],
        "import torch\nadam = torch.optim.Adam(layer.parameters())\nloss = layer(x).sum()\n"
        "loss.backward()\nadam.step()",
    ),
    "how torch prints": (
        ["import torch\ntorch.set_printoptions(precision=2)", "print(1)"],
        "import torch\ntorch.set_printoptions(precision=2)",
    ),
}


@pytest.mark.parametrize("name", NEEDED)
def test_what_a_block_needs(name: str) -> None:
    blocks, above = NEEDED[name]
    assert script(*blocks) == (f"{above}\n\n{blocks[-1]}\n" if above else f"{blocks[-1]}\n")


def test_nothing_above_is_printed_again() -> None:
    shown = "    print(i,\n          total)"
    loop = f"total = 0\nfor i in range(3):\n{shown}\n    total += i\nprint(total)"
    quiet = "total = 0\nfor i in range(3):\n    pass\n    total += i"
    assert script(loop, "print(total)") == f"{quiet}\n\nprint(total)\n"
    loud = "def f(a):\n    print(a)\n    a[0] = 1"
    got = script(loud, "x = [0]\nf(x)", "print(x)")
    assert got == (
        f"from contextlib import redirect_stdout\n\n\n\n{loud}\n\n\nx = [0]\n"
        "with redirect_stdout(None):\n    f(x)\n\nprint(x)\n"
    ).replace("\n\n\n\n", "\n\n\n")


def test_a_block_that_raises_gives_what_it_bound() -> None:
    assert script("import math\nmath.sin()", "print(math.pi)", kinds=" {.raises}") == (
        "import math\n\nprint(math.pi)\n"
    )


def test_a_block_that_is_not_python_stands_alone() -> None:
    assert script("x = 1", "print(x)") == "x = 1\n\nprint(x)\n"
    page = "```python\nx = 1\n```\n\n```python {.raises}\nx = = 1\n```\n"
    assert scripts(Page(Path("page.md"), page))[6] == "x = = 1\n"


def test_a_fresh_module_needs_nothing_above_it() -> None:
    page = "```python\na = 1\n```\n\n```python {.fresh}\na = 2\n```\n\n```python\nprint(a)\n```\n"
    found = scripts(Page(Path("page.md"), page))
    assert found[max(found)] == "a = 2\n\nprint(a)\n"


def test_an_attempt_at_an_exercise_ends_with_its_check() -> None:
    page = (
        "```python\nx = 1\n```\n\n```python {.exercise}\ndef f(): ...\n```\n\n"
        "```python {.check}\nassert f() == x\n```\n\n"
        "```python {.solution}\ndef f():\n    return 1\n```\n"
    )
    found = scripts(Page(Path("page.md"), page))
    assert list(found.values()) == [
        "x = 1\n",
        "x = 1\n\ndef f(): ...\n\nassert f() == x\n",
        "x = 1\n\ndef f():\n    return 1\n\nassert f() == x\n",
    ]
