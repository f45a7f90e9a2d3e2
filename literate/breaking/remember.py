"""A page whose code runs once, however often its words change."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from literate.pages.block import Block
from literate.pages.page import Page
from literate.pages.prose import Check
from literate.pages.tables import Table
from literate.running.module import Module
from literate.running.space import Printed


class Remembering(Module):
    """Answers from what the same code gave before; other code is run.

    What code does depends on the code of its page alone, so a page with other words and digits is
    compared with what came the first time. Nothing of the comparison is remembered.
    """

    memory: ClassVar[dict[tuple[Any, ...], Any]] = {}

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.code = tuple((block.line, block.code, block.kinds) for block in page.blocks)
        self.pictures: dict[str, bytes] | None = None  # if a block was asked for last: its own

    def run(self, block: Block) -> Printed:
        run = super().run
        printed, self.pictures = self._once("run", block.line, lambda: (run(block), self.saved()))
        return printed

    def saved(self) -> dict[str, bytes]:
        return super().saved() if self.pictures is None else self.pictures

    def alone(self, block: Block, script: str, root: Path) -> subprocess.CompletedProcess[str]:
        return self._once("alone", block.line, super().alone, block, script, root)

    def value(self, check: Check | Table) -> object:
        asked = check.line, check.expression, check.formula
        return self._once("value", asked, super().value, check)

    def attempt(self, attempt: Block, check: Block) -> str:
        return self._once("attempt", attempt.line, super().attempt, attempt, check)

    def unheld(self) -> list[int]:
        """None: of what is remembered, this module has seen nothing hold."""
        return []

    @classmethod
    def pictures_of(cls, page: Page) -> dict[str, Block]:
        """The blocks of a page that ran and saved something, by its name."""
        saved = {
            key[3]: came[1] for key, came in cls.memory.items() if key[::2] == (page.path, "run")
        }
        return {name: b for b in page.blocks for name in saved.get(b.line, ())}

    def _once(self, what: str, which: object, make: Callable[..., Any], *given: object) -> Any:
        self.pictures = None
        key = (self.page.path, self.code, what, which)
        if key not in self.memory:
            self.memory[key] = make(*given)
        return self.memory[key]
