"""The module in which the blocks of a page run, one after another, like a notebook."""

import contextlib
import io
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from literate import settings
from literate.page import EXERCISE, Block, Page
from literate.prose import Check


class EarlierFailure(Exception):
    """A block above failed, so this one has nothing to stand on."""


class BlockError(Exception):
    """Code of a page raised; `line` is the line of the page that did."""

    def __init__(self, line: int, error: BaseException) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.line, self.error = line, error


@dataclass(frozen=True)
class Printed:
    """What a block printed, and the error it ended in, if it had to."""

    text: str
    error: BaseException | None = None

    @property
    def whole(self) -> str:
        return (
            f"{self.text}{type(self.error).__name__}: {self.error}\n" if self.error else self.text
        )


class Module:
    """Runs the steps of one page in any order, and replays what a step stands on."""

    last: ClassVar["Module | None"] = None  # the page that ran last, whose settings are in force

    def __init__(self, page: Page) -> None:
        self.page = page
        self._temporary = tempfile.TemporaryDirectory(prefix="page-")
        self.folder = Path(self._temporary.name)  # where its files go
        self.failed: set[int] = set()
        self._reset()

    def _reset(self) -> None:
        self.done: list[Block] = []
        self.module = types.ModuleType("__page__")
        settings.reset()

    def run(self, block: Block) -> Printed:
        """Run one block, after the blocks above it."""
        self._stand_on(block)
        if "fresh" in block.kinds:
            self._reset()
        return self._step(block)

    def value(self, check: Check) -> object:
        """The value of a checked expression, after the blocks above it; it leaves no trace."""
        self._stand_on(check)
        with self._inside(), settings.same_chance():
            try:
                code = compile(check.expression, str(self.page.path), "eval")
                return eval(code, dict(vars(self.module)))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise BlockError(check.line, error) from error

    def apart(self, blocks: list[Block]) -> str:
        """Run blocks and leave no trace; what the last one raised, as `ErrorType: message`."""
        self._stand_on(blocks[0])
        try:
            for block in blocks[:-1]:
                self._execute(block, vars(self.module))
            self._execute(blocks[-1], vars(self.module))
        except BlockError as error:
            if error.line < blocks[-1].line:
                raise
            return str(error)
        finally:
            self._reset()  # a step below finds the page as if these had not run
        return ""

    def _stand_on(self, step: Block | Check) -> None:
        """Bring the module to where `step` finds it, replaying blocks if it is elsewhere."""
        if Module.last is not self:
            self._reset()
            Module.last = self
        above = [block for block in self.page.blocks if block.line < step.line and runs(block)]
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
            printed = self._execute(block, vars(self.module))
        except BlockError:
            self.failed.add(block.line)
            raise
        self.done.append(block)
        return printed

    def _execute(self, block: Block, space: dict[str, object]) -> Printed:
        # Blank lines above the code give tracebacks the line numbers of the page.
        source = "\n" * (block.line - 1) + block.code
        with self._inside() as out:
            try:
                exec(compile(source, str(self.page.path), "exec", dont_inherit=True), space)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                if "raises" not in block.kinds:
                    raise BlockError(self._line(block, error), error) from error
                return Printed(out.getvalue(), error)
        if "raises" in block.kinds:
            raise BlockError(
                block.line, AssertionError("a .raises block must raise, and it did not")
            )
        return Printed(out.getvalue())

    def saved(self) -> dict[str, bytes]:
        """The files that the last block saved as pictures, by name; they are gone then."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in (".svg", ".png", ".jpg", ".pdf", ".webp", ".gif"):
                found[str(path.relative_to(self.folder))] = path.read_bytes()
                path.unlink()
        return found

    @contextlib.contextmanager
    def _inside(self) -> Iterator[io.StringIO]:
        """The page's own module, folder and standard output; a warning is an error."""
        before = sys.modules.get("__page__")
        sys.modules["__page__"] = self.module  # dataclasses and pickle look it up
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()) as out,
                contextlib.chdir(self.folder),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("error")
                yield out
        finally:
            if before is None:
                del sys.modules["__page__"]
            else:
                sys.modules["__page__"] = before

    def _line(self, block: Block, error: BaseException) -> int:
        """The line of the page at which an error arose."""
        if isinstance(error, SyntaxError) and error.filename == str(self.page.path):
            return error.lineno or block.line
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.page.path)]
        return lines[-1] or block.line if lines else block.line


def runs(block: Block) -> bool:
    """Whether a block changes the module of its page on this machine."""
    return not block.kinds & (EXERCISE | {"notest"}) and (
        "gpu" not in block.kinds or settings.has_gpu()
    )
