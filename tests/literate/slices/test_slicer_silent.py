"""What a script takes over from blocks that raise, begin anew, print or need a GPU."""

from pathlib import Path

import pytest
from helpers import script

from literate import hardware
from literate.pages.page import Page
from literate.slices.slicer import scripts


def test_all_but_the_last_statement_of_a_block_that_raises_has_run() -> None:
    raises = "x = []\ny = 2\nx.append(1 / 0)"
    got = script(raises, "print(x, y)", kinds=" {.raises}")
    assert got == "x = []\ny = 2\n\nprint(x, y)\n"
    assert script(raises, "print(x, y)") == f"{raises}\n\nprint(x, y)\n"


def test_a_fresh_module_has_the_names_of_python_again() -> None:
    page = "```python\nsum = 3\n```\n\n```python {.fresh}\na = 2\n```\n\n```python\nsum([a])\n```\n"
    found = scripts(Page(Path("page.md"), page))
    assert found[max(found)] == "a = 2\n\nsum([a])\n"


def test_each_long_print_of_a_loop_is_left_out() -> None:
    said = "    print(\n        i,\n    )\n"
    loop = f"for i in range(2):\n    x = i\n{said}    x += 1\n{said}    x += 2"
    quiet = "for i in range(2):\n    x = i\n    pass\n    x += 1\n    pass\n    x += 2"
    assert script(loop, "print(x)") == f"{quiet}\n\nprint(x)\n"


def test_a_print_of_a_module_that_draws_is_left_out_whole() -> None:
    """It looks as if the numbers below needed it, and does nothing but print."""
    above = "import torch\nlayer = torch.nn.Dropout(0.5)\ntorch.manual_seed(0)"
    got = script(f"{above}\nprint(layer)", "print(torch.rand(1))")
    assert got == f"{above}\n\nprint(torch.rand(1))\n"


@pytest.mark.parametrize("has", [False, True])
def test_a_block_for_a_gpu_is_no_script_even_where_there_is_one(
    has: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "has_gpu", lambda: has)
    page = "```python\nx = 1\n```\n\n```python {.gpu}\nprint(x)\n```\n"
    assert scripts(Page(Path("page.md"), page)) == {2: "x = 1\n"}
