"""The tests of the blocks of a page: what they print, save, splice, and the exercises."""

import traceback

from literate.items.base import UPDATE, Item, Mismatch
from literate.pages import pictures
from literate.pages.block import Block
from literate.pages.edits import Edit, indented
from literate.pages.sources import NoSource, source
from literate.rules.compare import same_error, same_line, same_output
from literate.running import figures
from literate.running.exercises import verdict


class BlockItem(Item[Block]):
    """A block runs, prints what its output says, and saves the figures that the page shows."""

    def check(self) -> None:
        step = self.step
        printed = self.run.module.run(step)
        for name, data in self.run.module.saved().items():
            self.figure(name, data)
        want, error = step.output.text if step.output else "", ""
        if printed.error:  # below what was printed stands the error
            lines = want.splitlines(keepends=True)
            above = len(printed.text.splitlines())
            want, error = "".join(lines[:above]), "".join(lines[above:])
        same = same_output(want, printed.text)
        if printed.error:
            kind, ours = type(printed.error).__name__, raised_by_package(printed.error)
            same = same and same_error(error, kind, str(printed.error), ours)
        if not same:
            self.differs(step, printed.whole)
        self.run.ran.add(step.line)

    def figure(self, name: str, data: bytes) -> None:
        line, target = self.step.line, pictures.committed(self.path, name)
        if "/" in name or not name.endswith((".svg", ".html")):
            raise Mismatch(line, f"the block saves {name}: a figure is an .svg or .html")
        svg = figures.tidy(data.decode("utf-8"))
        shown = f"figures/{self.path.stem}/{name}"
        if name not in {figure.name for figure in pictures.shown(self.run.page, self.path.stem)}:
            raise Mismatch(line, f"the block saves {name}, but the page does not show {shown}")
        self.run.compared.add(name)
        # What a table says is compared as what a block prints is.
        same_text = same_line if name.endswith(".html") else str.__eq__
        if target.exists() and figures.same_figure(target.read_text("utf-8"), svg, same_text):
            return
        if not self.updating:
            state = "is not the one in" if target.exists() else "has no file"
            raise Mismatch(line, f"the figure that the block saves {state} {shown} ({UPDATE})")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(svg, "utf-8")


class SourceItem(Item[Block]):
    """A `.source` block is the text of the package, letter for letter."""

    def check(self) -> None:
        step = self.step
        try:
            text = source(self.config.rootpath, step.of)
        except NoSource as error:
            raise Mismatch(step.line - 1, str(error)) from None
        if text == step.code:
            return
        if not self.updating:
            raise Mismatch(step.line, f"this is not the text of {step.of} any more ({UPDATE})")
        self.run.edits.append(Edit(step.start, step.end, indented(text, step.indent)))


class ExerciseItem(Item[Block]):
    """A check refuses the stub and the mistakes, in its own words, and accepts the solution."""

    def check(self) -> None:
        assert self.task
        result = verdict(self.run.module, self.task, self.step)
        if result.fault:
            raise Mismatch(self.step.line, result.fault)
        shown = result.shown
        if shown and shown.output and not same_output(shown.output.text, result.said):
            self.differs(shown, result.said + "\n")
        self.run.ran.add(self.step.line)


def raised_by_package(error: BaseException) -> bool:
    """Whether the package itself refused: its messages are compared whole."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").partition(".")[0] == "attention"
