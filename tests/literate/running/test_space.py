"""One block or one expression, run in the module and the folder of its page."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from literate.pages.block import Block
from literate.pages.page import Page
from literate.pages.prose import Check
from literate.running import settings
from literate.running.space import BlockError, Space

TEXT = "\n\n```python{kinds}\n{code}\n```\n\nA number, 1<!--= {expression} -->.\n"


@pytest.fixture
def space() -> Iterator[Space]:
    """What the blocks of a page share, before any of them ran; its folder is removed at the end."""
    space = Space(Path("page.md"))
    yield space
    space.close()
    settings.reset()


def block(code: str, kinds: str = "") -> Block:
    """A block whose code begins at line 4 of its page."""
    page = Page(Path("page.md"), TEXT.format(code=code, kinds=kinds, expression="1"))
    return page.blocks[0]


def check(expression: str) -> Check:
    page = Page(Path("page.md"), TEXT.format(code="1", kinds="", expression=expression))
    return page.checks[0]


def fails(space: Space, code: str, kinds: str = "") -> tuple[int, str]:
    with pytest.raises(BlockError) as raised:
        space.execute(block(code, kinds))
    return raised.value.line, str(raised.value)


def test_the_first_block_has_a_module(space: Space) -> None:
    space.execute(block("x = 1"))
    assert space.execute(block("print(__name__, x)")).whole == "__page__ 1\n"


def test_whoever_stops_the_tests_stops_a_block(space: Space) -> None:
    for kinds in ("", " {.raises}"):
        with pytest.raises(KeyboardInterrupt):
            space.execute(block("raise KeyboardInterrupt", kinds))


def test_whoever_stops_the_tests_stops_an_expression(space: Space) -> None:
    space.execute(block("def stop():\n    raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        space.evaluate(check("stop()"))


def test_a_block_that_should_have_raised(space: Space) -> None:
    said = "AssertionError: a .raises block must raise, and it did not"
    assert fails(space, "x = 1", " {.raises}") == (4, said)


def test_an_error_of_syntax_is_at_its_own_line(space: Space) -> None:
    assert fails(space, "x = 1\ny = = 1") == (5, "SyntaxError: invalid syntax (page.md, line 5)")


def test_an_error_of_syntax_elsewhere_is_at_the_line_that_asked(space: Space) -> None:
    said = "SyntaxError: invalid syntax (other.py, line 1)"
    assert fails(space, "x = 1\n\ncompile('= 1', 'other.py', 'exec')") == (6, said)


def test_no_module_of_the_page_is_left(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "__page__", raising=False)
    inside = "import sys\nassert vars(sys.modules['__page__']) is globals()"
    space.execute(block(inside))
    assert "__page__" not in sys.modules


def test_a_module_of_that_name_is_back_after_it(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a page is run from within a page."""
    around = ModuleType("__page__")
    monkeypatch.setitem(sys.modules, "__page__", around)
    space.execute(block("import sys\nassert vars(sys.modules['__page__']) is globals()"))
    assert sys.modules["__page__"] is around


def test_an_expression_changes_no_chance_and_no_setting(space: Space) -> None:
    space.execute(block("import random, torch"))
    drawn = [space.evaluate(check("random.random()")) for _ in range(2)]
    assert drawn[0] == drawn[1]
    space.evaluate(check("torch.set_printoptions(precision=1)"))
    space.evaluate(check("torch.set_default_dtype(torch.float64)"))
    assert space.execute(block("print(torch.tensor(0.25))")).whole == "tensor(0.2500)\n"
