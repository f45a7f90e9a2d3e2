"""The order in which the blocks of a page run: one after another, like a notebook."""

import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from literate import hardware
from literate.pages.block import EXERCISE, SHOWN, Block
from literate.pages.page import Page, place
from literate.pages.prose import Check
from literate.pages.tables import Table
from literate.running import settings
from literate.running.snapshot import Snapshot
from literate.running.space import BlockError, Printed, Space


class EarlierFailure(Exception):
    """A block above failed, so this one has nothing to stand on."""


class Module:
    """Runs the steps of one page in any order, and replays what a step stands on."""

    last: ClassVar["Module | None"] = None  # the page that ran last, whose settings are in force

    def __init__(self, page: Page) -> None:
        self.page = page
        self.space = Space(page.path)
        self.done: list[Block] = []
        self.failed: set[int] = set()

    def run(self, block: Block) -> Printed:
        """Run one block, after the blocks above it."""
        self._stand_on(block)
        if "fresh" in block.kinds:
            self._reset()
        return self._step(block)

    def alone(self, block: Block, script: str, root: Path) -> subprocess.CompletedProcess[str]:
        """A block in a process of its own, as the script that a reader copies."""
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", script],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *filter(None, sys.path)])},
            cwd=self.space.folder,
            capture_output=True,
            text=True,
            check=False,
        )

    def value(self, check: Check | Table) -> object:
        """The value of a checked expression, after the blocks above it."""
        self._stand_on(check)
        before = self._kept()
        value = self.space.evaluate(check)
        if before is None:
            self._reset()
        elif not ((after := self._kept()) and after.same(before)):
            self._reset()
            changed = RuntimeError("the expression changes the page, which it may only read")
            raise BlockError(check.line, changed)
        return value

    def attempt(self, attempt: Block, check: Block) -> str:
        """What a check says of an attempt at an exercise, as `ErrorType: message`."""
        self._stand_on(attempt)
        before = self._kept()
        try:
            with settings.kept():
                self.space.execute(attempt)
                try:
                    self.space.execute(check)
                except BlockError as error:
                    return str(error)
        finally:  # a step below finds the page as if these had not run
            self.saved()
            if before:
                self.space.restore(before)
            else:
                self._reset()
        return ""

    def saved(self) -> dict[str, bytes]:
        """The pictures that the last block saved, by name; they are gone then."""
        return self.space.saved()

    def unheld(self) -> list[int]:
        """The lines of the assertions that no run so far has seen hold."""
        return sorted({*self.space.asserted.values()} - self.space.held)

    def _kept(self) -> Snapshot | None:
        """What the module holds; none if something cannot be copied: then the page runs again."""
        try:
            return self.space.snapshot()
        except Exception:
            return None

    def _reset(self) -> None:
        self.done = []
        self.space.reset()

    def _stand_on(self, step: Block | Check | Table) -> None:
        """Bring the module to where `step` finds it, replaying blocks if it is elsewhere."""
        if Module.last is not self:
            self._reset()
            Module.last = self
        above = [block for block in self.page.blocks if block.line < place(step) and runs(block)]
        fresh = [i for i, block in enumerate(above) if "fresh" in block.kinds]
        above = above[fresh[-1] :] if fresh else above
        if isinstance(step, Block) and "fresh" in step.kinds:
            above = self.done
        if broken := [block.line for block in above if block.line in self.failed]:
            raise EarlierFailure(f"the block of line {broken[0]} failed")
        if self.done != above:
            self._reset()
            for block in above:
                self._step(block)
                self.saved()

    def _step(self, block: Block) -> Printed:
        try:
            printed = self.space.execute(block)
        except BlockError:
            self.failed.add(block.line)
            raise
        self.done.append(block)
        return printed


def runs(block: Block) -> bool:
    """Whether a block changes the module of its page on this machine."""
    if block.kinds & (EXERCISE | SHOWN | {"triton"}):
        return False
    return "gpu" not in block.kinds or hardware.has_gpu()
