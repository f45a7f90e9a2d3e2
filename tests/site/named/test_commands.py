"""The commands that the book names are there: targets of make, parts of literate, scripts, options.

They are shown and not run. That one does what is said of it, this cannot tell.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import ROOT

from literate.__main__ import COMMANDS

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MAKE = (ROOT / "Makefile").read_text("utf-8").replace("$(JUDGES)", ".venv/.judges")
TARGETS = re.findall(r"^([\w./]+):(?!=)", MAKE, re.M)
FENCE = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
SPAN = re.compile(r"`((?:make|[\w./]*python -m literate|[\w./]*pytest) [^`\n]+)`")


def commands(text: str) -> Iterator[str]:
    """Those of the blocks, without the remarks behind them, and those of the sentences."""
    for fence in FENCE.finditer(text):
        yield from re.sub(r" +# .*", "", fence[1]).splitlines()
    yield from SPAN.findall(FENCE.sub("", text))


def unknown(command: str, config: pytest.Config) -> Iterator[str]:
    """The words of a command that nothing is called."""
    words = [word for word in shlex.split(command) if not re.match(r"FUZZ=", word)]
    program, *rest = words
    if program == "make":
        names = {word: re.match(r"(\w+)=", word) for word in rest}
        for word, variable in names.items():
            known = f"$({variable[1]})" in MAKE if variable else word in TARGETS
            yield from [] if known else [word]
        return
    if program.endswith("pytest"):
        for word in rest:
            if word.startswith("-") and config.getoption(word, ...) is ...:
                yield word
        paths = [word for word in rest if "/" in word or word in ("docs", "tests")]
    else:
        path, given = script(rest)
        text = path.read_text("utf-8") if path.is_file() else ""
        words = [word for word in given if "/" not in word and not word.isdigit()]
        yield from (word for word in words if f'"{word}"' not in text)
        paths = [str(path), *(word for word in given if "/" in word)]
    yield from (path for path in paths if not (ROOT / path).exists())


def script(rest: list[str]) -> tuple[Path, list[str]]:
    """What python is given: a script, or the module of a part of literate; and its arguments."""
    if rest[:2] != ["-m", "literate"]:
        return ROOT / rest[0], rest[1:]
    module = COMMANDS.get(rest[2], rest[2]).partition(":")[0]
    return ROOT / f"{module.replace('.', '/')}.py", rest[3:]


def test_every_command_is_there(pytestconfig: pytest.Config) -> None:
    seen = 0
    for path in PAGES:
        for command in commands(path.read_text("utf-8")):
            assert not [*unknown(command, pytestconfig)], f"{path.name}: {command}"
            seen += 1
    assert seen > 40


@pytest.mark.parametrize(
    "command",
    [
        *("make sites", "make site TORCH_INDX=x", ".venv/bin/pytest --update-doc docs"),
        *(".venv/bin/pytest docs/none.md", ".venv/bin/python -m literate brake"),
        *(".venv/bin/python -m literate break --samples", ".venv/bin/python benchmarks/mask.py"),
        ".venv/bin/python benchmarks/masks.py sideward",
    ],
)
def test_a_command_that_is_not_there_is_seen(command: str, pytestconfig: pytest.Config) -> None:
    assert [*unknown(command, pytestconfig)]
