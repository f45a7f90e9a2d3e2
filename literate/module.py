"""The module in which the blocks of a page run, one after another, like a notebook."""

import contextlib
import io
import sys
import tempfile
import traceback
import types
import warnings
from dataclasses import dataclass
from pathlib import Path

from literate import figures
from literate.page import Block, Check, Page

# What runs in a copy of the module and leaves nothing behind.
APART = {"exercise", "check", "solution", "mistake"}


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
    ours: bool = False  # whether the error was raised by the package itself


class Module:
    """Runs the steps of one page in any order, and replays what a step stands on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.folder = Path(tempfile.mkdtemp(prefix="page-"))  # where its files go
        self.failed: set[int] = set()
        self._reset()

    def _reset(self) -> None:
        figures.close()
        self.done: list[Block] = []
        self.module = types.ModuleType("__page__")

    def run(self, block: Block) -> Printed:
        """Run one block, after the blocks above it."""
        self._stand_on(block)
        if "fresh" in block.kinds:
            self._reset()
        return self._step(block)

    def value(self, check: Check) -> object:
        """The value of a checked expression, after the blocks above it."""
        self._stand_on(check)
        with self._inside(vars(self.module)):
            try:
                return eval(
                    compile(check.expression, str(self.page.path), "eval"), vars(self.module)
                )
            except Exception as error:
                raise BlockError(check.line, error) from error

    def apart(self, blocks: list[Block]) -> str:
        """Run blocks in a copy of the module; what the last one raised, as `ErrorType: message`."""
        self._stand_on(blocks[0])
        space = dict(vars(self.module))
        for block in blocks[:-1]:
            self._execute(block, space)
        try:
            self._execute(blocks[-1], space)
        except BlockError as error:
            return str(error)
        return ""

    def figures(self) -> list[tuple[str, str]]:
        """The figures that the last block saved, each as its name and its tidy text."""
        found = []
        for path in sorted(self.folder.glob("*.svg")):
            found.append((path.name, figures.tidy(path.read_text("utf-8"))))
            path.unlink()
        return found

    def _stand_on(self, step: Block | Check) -> None:
        """Bring the module to where `step` finds it, replaying blocks if it is elsewhere."""
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

    def _step(self, block: Block) -> Printed:
        try:
            printed = self._execute(block, vars(self.module))
        except BlockError:
            self.failed.add(block.line)
            raise
        self.done.append(block)
        return printed

    def _execute(self, block: Block, space: dict) -> Printed:
        # Blank lines above the code give tracebacks the line numbers of the page.
        source = "\n" * (block.line - 1) + block.code
        with self._inside(space) as out:
            try:
                code = compile(source, str(self.page.path), "exec", dont_inherit=True)
                exec(code, space)
            except Exception as error:
                if "raises" not in block.kinds:
                    raise BlockError(self._line(block, error), error) from error
                text = f"{out.getvalue()}{type(error).__name__}: {error}\n"
                return Printed(text, ours=raised_by_package(error))
        if "raises" in block.kinds:
            raise BlockError(
                block.line, AssertionError("a .raises block must raise, and it did not")
            )
        return Printed(out.getvalue())

    @contextlib.contextmanager
    def _inside(self, space: dict):
        """The page's own module, folder and standard output; a warning is an error."""
        saved = sys.modules.get("__page__")
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
            if saved is None:
                del sys.modules["__page__"]
            else:
                sys.modules["__page__"] = saved

    def _line(self, block: Block, error: BaseException) -> int:
        if isinstance(error, SyntaxError) and error.filename == str(self.page.path):
            return error.lineno or block.line
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.page.path)]
        return lines[-1] or block.line if lines else block.line


def runs(block: Block) -> bool:
    """Whether a block changes the module of its page on this machine."""
    return not block.kinds & (APART | {"notest"}) and ("gpu" not in block.kinds or has_gpu())


def has_gpu() -> bool:
    torch = sys.modules.get("torch")
    if torch is None:
        import torch
    return torch.cuda.is_available()


def raised_by_package(error: BaseException) -> bool:
    frames = list(traceback.walk_tb(error.__traceback__))
    return frames[-1][0].f_globals.get("__name__", "").partition(".")[0] == "attention"
