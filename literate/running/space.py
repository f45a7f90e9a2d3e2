"""Runs one block or one expression of a page, in the page's module, folder and settings."""

import ast
import contextlib
import io
import shutil
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType

from literate.pages.block import Block
from literate.pages.pictures import PICTURES
from literate.pages.prose import Check
from literate.pages.tables import Table
from literate.rules import shapes, vacuous
from literate.running import settings
from literate.running.held import HELD, Marked
from literate.running.snapshot import Snapshot


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


class Space:
    """What the blocks of a page share: a module, a folder, standard output."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.asserted: dict[int, int] = {}  # each line of an assertion, and where that begins
        self.held = held = set[int]()  # those that held once

        def holds(line: int) -> None:
            held.add(line)

        # Compiled code calls it while it is compiled: else it would be compiled anew for each line.
        holds._dynamo_marked_constant = True  # type: ignore[attr-defined]
        self.holds = holds
        self.reset()

    @cached_property
    def folder(self) -> Path:
        """Where blocks write; `close` removes it."""
        return Path(tempfile.mkdtemp(prefix="page-"))

    def close(self) -> None:
        if "folder" in vars(self):
            shutil.rmtree(vars(self).pop("folder"))

    def reset(self) -> None:
        self.module = types.ModuleType("__page__")
        setattr(self.module, HELD, self.holds)
        settings.reset()

    def execute(self, block: Block) -> Printed:
        # Blank lines above the code give tracebacks the line numbers of the page.
        source = "\n" * (block.line - 1) + block.code
        with self._inside() as out:
            try:
                code = compile(self._marked(source), self.path, "exec", dont_inherit=True)
                exec(code, vars(self.module))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                if "raises" not in block.kinds:
                    raise BlockError(self._line(block, error), error) from error
                line = self._line(block, error)  # of an assertion that had to fail, perhaps
                self.held.add(self.asserted.get(line, line))
                return Printed(out.getvalue(), error)
        if "raises" in block.kinds:
            silent = AssertionError("a .raises block must raise, and it did not")
            raise BlockError(block.line, silent)
        return Printed(out.getvalue())

    def _marked(self, source: str) -> ast.Module:
        """The code that also says which assertions held, those of its remarks too."""
        marked = Marked()
        tree = marked.visit(shapes.held(source, self.path))
        self.asserted |= marked.begins
        return tree

    def snapshot(self) -> Snapshot:
        with self._inside():
            return Snapshot(vars(self.module))

    def restore(self, before: Snapshot) -> None:
        with self._inside():
            before.restore(vars(self.module))

    def evaluate(self, check: Check | Table) -> object:
        """The value of a checked expression; names and chance are as before, after it."""
        with self._inside():
            try:
                code = vacuous.compiled(check.expression, self.path)
                if check.formula:
                    from literate.formulas import held  # late: few pages have one

                    return held(check.formula, lambda formula: self._value(code, formula=formula))
                return self._value(code)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise BlockError(check.line, error) from error

    def _value(self, code: CodeType, **names: object) -> object:
        with settings.kept():
            return eval(code, vacuous.NAMES | vars(self.module) | names)

    def saved(self) -> dict[str, bytes]:
        """The files that the last block saved as pictures, by name; they are gone then."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in PICTURES:
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
        if isinstance(error, SyntaxError) and error.filename == self.path:
            return error.lineno or block.line
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == self.path]
        return lines[-1] or block.line if lines else block.line
