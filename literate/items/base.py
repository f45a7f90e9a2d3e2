"""What all tests of a page have in common: a name, a line, a failure that names it."""

import difflib
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Generic, TypeVar

import pytest
from pytest_markdown_docs.definitions import FenceTestDefinition
from pytest_markdown_docs.plugin import MarkdownInlinePythonItem, MarkdownTextFile

from literate.hardware import has_gpu, has_triton
from literate.pages.block import Block
from literate.pages.edits import Edit, output_edit
from literate.pages.page import Page, PageError
from literate.pages.prose import Check
from literate.pages.tables import Table
from literate.rules.compare import laid, same_line
from literate.running.exercises import Exercise
from literate.running.module import EarlierFailure, Module
from literate.running.space import BlockError

UPDATE = "pytest --update-docs rewrites it"
Step = TypeVar("Step", bound="Block | Check | Table | Whole")


@dataclass(frozen=True)
class Whole:
    """The page as a whole, as a step: what is held against all of it."""

    title: str
    line: int = 1


@dataclass
class Run:
    """What the tests of one page share."""

    page: Page
    module: Module
    edits: list[Edit] = field(default_factory=list)
    values: dict[int, float] = field(default_factory=dict)  # by where the number stands
    ran: set[int] = field(default_factory=set)  # the lines of the blocks that passed
    compared: set[str] = field(default_factory=set)  # the names of the figures that did


class Mismatch(Exception):
    """The page says one thing and the machine another; `line` is the page's."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Item(MarkdownInlinePythonItem, Generic[Step]):
    """A test of one step of a page. With `--update-docs` it asks for edits where others fail."""

    step: Step
    run: Run
    task: Exercise | None

    @classmethod
    def make(
        cls, parent: MarkdownTextFile, run: Run, step: Step, task: Exercise | None = None
    ) -> "Item[Step]":
        name = f"line{step.line}[{step.title.replace(' ', '-')}]" if step.title else ""
        item = cls.from_parent(
            parent,
            name=name or f"line{step.line}",
            test_definition=FenceTestDefinition("", (), step.line, parent.path, None),
        )
        item.step, item.run, item.task = step, run, task
        return item

    @property
    def updating(self) -> bool:
        return bool(self.config.getoption("--update-docs"))

    def runtest(self) -> None:
        if isinstance(self.step, Block) and "gpu" in self.step.kinds and not has_gpu():
            pytest.skip("needs a CUDA device; its output is a record")
        if isinstance(self.step, Block) and "triton" in self.step.kinds and not has_triton():
            pytest.skip("needs Triton, which is for Linux alone; its output is a record")
        try:
            self.check()
        except EarlierFailure as error:
            pytest.skip(str(error))

    def check(self) -> None:
        raise NotImplementedError

    def differs(self, block: Block, printed: str) -> None:
        """What a block printed is not its output: rewrite it, or fail at the line that differs."""
        if self.updating:
            self.run.edits.append(output_edit(self.run.page, block, printed))
        elif not block.output:
            raise Mismatch(block.line, f"the block has no output, but printed\n{printed}")
        else:
            raise Mismatch(*difference(block.output.line, block.output.text, printed))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        error = excinfo.value
        if isinstance(error, PageError):
            return str(error)
        if not isinstance(error, Mismatch | BlockError):
            return str(excinfo.getrepr(style="long"))
        page = self.run.page
        text = f"{page.path}:{error.line}: {error}"
        if isinstance(error, BlockError):
            text += f"\n    {page.line(error.line - 1).strip()}"
        return text

    def reportinfo(self) -> tuple[Any, int, str]:
        return self.path, self.step.line - 1, self.name


def difference(line: int, want: str, got: str) -> tuple[int, str]:
    """The page's line at which two outputs part, and both of them as a diff."""
    wanted, came = want.splitlines(), got.splitlines()
    pairs = list(zip_longest(*laid(want, got), fillvalue="\n"))
    # An error of the package is compared to the letter, so perhaps no line differs: then the last.
    at = next((i for i, (a, b) in enumerate(pairs) if not same_line(a, b)), len(pairs) - 1)
    diff = list(difflib.unified_diff(wanted, came, lineterm="", n=99))[3:]
    message = "\n".join([f"not what the block printed ({UPDATE})", *diff])
    return line + min(at, max(len(wanted) - 1, 0)), message
