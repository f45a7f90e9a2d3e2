"""The steps of a page in any order: what is run again and when, and what is left of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from literate.pages.page import Page
from literate.running import settings
from literate.running.module import EarlierFailure, Module, runs
from literate.running.space import BlockError

Start = Callable[[str], Module]

# Each block writes its letter into a file of the page's folder, where it stays.
PAGE = """```python
def ran(letter):
    with open("ran", "a") as file:
        file.write(letter)

ran("a")
x = 1
```

```python
ran("b")
y = x + 1
```

Two is 2<!--= y -->.

```python
ran("c")
print(sorted({"x", "y"} & {*globals()}))
```

```python {.fresh}
def ran(letter):
    with open("ran", "a") as file:
        file.write(letter)

ran("d")
print(sorted({"x", "y"} & {*globals()}))
```

```python
ran("e")
print(sorted({"x", "y"} & {*globals()}))
```
"""


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """What begins a page, whose folder is removed at the end."""
    monkeypatch.setattr(Module, "last", None)
    begun: list[Module] = []

    def start(text: str) -> Module:
        begun.append(Module(Page(Path("page.md"), text)))
        return begun[-1]

    yield start
    for module in begun:
        module.space.close()
    settings.reset()


def run(module: Module, number: int) -> str:
    return module.run(module.page.blocks[number]).whole


def ran(module: Module) -> str:
    """The letters of the blocks that ran since the last time one asked."""
    file = module.space.folder / "ran"
    letters = file.read_text("utf-8") if file.exists() else ""
    file.unlink(missing_ok=True)
    return letters


def fails(module: Module, number: int, error: type[Exception]) -> str:
    with pytest.raises(error) as raised:
        run(module, number)
    return str(raised.value)


def test_in_the_order_of_the_page_each_block_runs_once(start: Start) -> None:
    module = start(PAGE)
    for number, letter in enumerate("abcde"):
        run(module, number)
        assert ran(module) == letter


def test_a_block_alone_runs_after_those_above_it(start: Start) -> None:
    module = start(PAGE)
    assert run(module, 2) == "['x', 'y']\n"
    assert ran(module) == "abc"


def test_a_block_above_is_run_again_from_the_beginning(start: Start) -> None:
    """It finds nothing of what stands below it."""
    text = PAGE.replace('ran("b")', 'ran("b")\nprint("y" in globals())')
    module = start(text)
    run(module, 2)
    ran(module)
    assert run(module, 1) == "False\n"
    assert ran(module) == "ab"
    run(module, 2)
    assert ran(module) == "c"


def test_a_fresh_block_needs_nothing_above_it(start: Start) -> None:
    module = start(PAGE)
    assert run(module, 3) == "[]\n"
    assert ran(module) == "d"


def test_below_a_fresh_block_nothing_above_it_is_run(start: Start) -> None:
    module = start(PAGE)
    assert run(module, 4) == "[]\n"
    assert ran(module) == "de"


def test_of_two_fresh_blocks_the_last_one_counts(start: Start) -> None:
    fresh = PAGE[PAGE.index("```python {.fresh}") :]
    last = fresh.replace('"d"', '"f"').replace('"e"', '"g"')
    module = start(f"{fresh}\n{last}")
    run(module, 3)
    assert ran(module) == "fg"


def test_a_checked_number_stands_on_the_blocks_above_it(start: Start) -> None:
    module = start(PAGE)
    (check,) = module.page.checks
    assert module.value(check) == 2
    assert ran(module) == "ab"
    assert module.value(check) == 2
    assert ran(module) == ""


def test_what_stands_on_a_failed_block_says_which(start: Start) -> None:
    module = start(PAGE.replace("y = x + 1", "y = z"))
    assert fails(module, 1, BlockError) == "NameError: name 'z' is not defined"
    line = module.page.blocks[1].line
    assert fails(module, 2, EarlierFailure) == f"the block of line {line} failed"


def test_a_fresh_block_runs_although_one_above_it_failed(start: Start) -> None:
    module = start(PAGE.replace("x = 1\n", "x = z\n"))
    fails(module, 0, BlockError)
    assert run(module, 3) == "[]\n"
    assert run(module, 4) == "[]\n"


SETS = """```python
import torch

torch.set_default_dtype(torch.float64)
x = 1
```

```python
print(x, torch.tensor(0.5).dtype)
```
"""
ASKS = """```python
import torch

print(torch.tensor(0.5).dtype, torch.rand(1).item())
```
"""


def test_a_page_begins_with_the_settings_of_a_new_process(start: Start) -> None:
    """Whatever another one has set and drawn before it."""
    expected = run(start(ASKS), 0)
    assert expected.startswith("torch.float32 ")
    sets, asks = start(SETS), start(ASKS)
    run(sets, 0)
    assert run(asks, 0) == expected


def test_a_page_between_changes_no_settings_of_this_one(start: Start) -> None:
    """What stands above runs again, for its settings are gone."""
    here, there = start(SETS), start(SETS.replace("float64", "float16"))
    run(here, 0)
    run(there, 0)
    assert run(here, 1) == "1 torch.float64\n"
    assert run(there, 1) == "1 torch.float16\n"


PICTURES = """```python
from pathlib import Path

_ = Path("above.svg").write_text("<svg/>")
```

```python
_ = Path("own.svg").write_text("<svg/>")
```
"""


def test_pictures_are_of_the_block_that_was_asked_for(start: Start) -> None:
    module = start(PICTURES)
    run(module, 1)
    assert module.saved() == {"own.svg": b"<svg/>"}
    assert module.saved() == {}


EXERCISE = """```python
x = 2
```

```python {.exercise}
answer = x
```

```python {.check}
assert answer == 4, f"{answer} is not 4"
```

```python {.solution}
answer = x + 2
```

```python
print("answer" in globals())
```
"""


def test_an_attempt_alone_stands_on_what_is_above_it(start: Start) -> None:
    stub, check, solution = start(EXERCISE).page.blocks[1:4]
    assert start(EXERCISE).attempt(stub, check) == "AssertionError: 2 is not 4"
    assert start(EXERCISE).attempt(solution, check) == ""


def test_an_attempt_leaves_no_names(start: Start) -> None:
    module = start(EXERCISE)
    _, stub, check, _, _ = module.page.blocks
    module.attempt(stub, check)
    assert run(module, 4) == "False\n"


def test_a_script_runs_in_the_folder_of_the_page(start: Start) -> None:
    module = start(EXERCISE)
    done = module.alone(module.page.blocks[0], "import os; print(os.getcwd())", Path.cwd())
    assert (done.returncode, done.stderr) == (0, "")
    assert Path(done.stdout.strip()).samefile(module.space.folder)


def test_a_script_finds_the_modules_of_the_root(start: Start, tmp_path: Path) -> None:
    (tmp_path / "of_the_root.py").write_text("x = 5\n", "utf-8")
    module = start(EXERCISE)
    script = "import of_the_root; print(of_the_root.x)"
    done = module.alone(module.page.blocks[0], script, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "5\n", "")


def test_a_warning_ends_a_script(start: Start) -> None:
    module = start(EXERCISE)
    script = "import warnings; warnings.warn('old'); print('on')"
    done = module.alone(module.page.blocks[0], script, Path.cwd())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("UserWarning: old\n")


@pytest.mark.parametrize(
    ("kind", "without", "with_gpu"),
    [
        ("raises", True, True),
        ("fresh", True, True),
        ("gpu", False, True),
        ("triton", False, False),
        ("notest", False, False),
        ("exercise", False, False),
        ("check", False, False),
        ("mistake", False, False),
        ("solution", False, False),
    ],
)
def test_which_blocks_others_stand_on(
    kind: str, without: bool, with_gpu: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = Page(Path("page.md"), f"```python {{.{kind}}}\n1\n```\n").blocks
    for there, expected in ((False, without), (True, with_gpu)):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        assert runs(block) is expected
