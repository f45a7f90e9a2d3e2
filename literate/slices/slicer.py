"""A block as a script that runs alone: the block, after the earlier statements that it needs."""

import ast
import re
from textwrap import indent

from literate.pages.page import Page
from literate.pages.syntax import parse
from literate.running.exercises import exercises
from literate.running.module import runs
from literate.slices.effects import SETTINGS
from literate.slices.known import Known
from literate.slices.statements import Statement


def scripts(page: Page) -> dict[int, str]:
    """The script of each block that can have one, by the line of the block.

    That of an attempt at an exercise ends with the exercise's check.
    """
    found, above, known = {}, list[Statement](), Known()
    checks = {line: task.check for task in exercises(page) for line in task.lines}
    for block in page.blocks:
        if "fresh" in block.kinds:
            above, known = [], Known()
        check = checks.get(block.line)
        alone = "triton" in block.kinds
        if not (runs(block) or check or alone) or "gpu" in block.kinds:
            continue
        code = block.code if check is None else f"{block.code}\n{check.code}"
        after = known.copy()
        try:
            own = statements(code, after)
        except SyntaxError:  # which is what the block shows
            found[block.line] = code
            continue
        except RecursionError:  # Python reads deeper than it can write
            raise page.error(block.line, "nested too deep to make a script of it") from None
        found[block.line] = joined([quiet(s) for s in needs(above, own)], code)
        if runs(block):  # one that raises does so in its last statement
            above, known = above + own[: -1 if "raises" in block.kinds else None], after
    return found


def script_name(number: int) -> str:
    """The file of the block that is the `number`th of its page, counted from 1."""
    return f"block-{number:02}.py"


def statements(code: str, known: Known) -> list[Statement]:
    return [Statement(node, code.split("\n"), known) for node in parse(code).body]


def needs(above: list[Statement], own: list[Statement]) -> list[Statement]:
    """The statements above that bind or may change what is wanted below them."""
    wanted = {SETTINGS}
    for statement in reversed(own):
        wanted = (wanted - statement.kills) | statement.reads
    needed = []
    for statement in reversed(above):
        if wanted & (statement.binds | statement.changes):
            needed.append(statement)
            wanted = (wanted - statement.kills) | statement.reads
    return needed[::-1]


def joined(above: list[str], code: str) -> str:
    """Statements as a file, with room around what takes several lines."""
    text = ""
    if any(statement.startswith("with redirect_stdout(None)") for statement in above):
        text = "from contextlib import redirect_stdout\n\n"
    for statement in filter(None, above):
        room = "\n\n" if re.match(r"(def|class|@)", statement) else ""
        text += f"{room if text else ''}{statement}\n{room}"
    return re.sub(r"\n{4,}", "\n\n\n", f"{text}\n{code}" if text else code)


def quiet(statement: Statement) -> str:
    """A statement without what it prints, which the page says elsewhere."""
    if statement.prints:  # and does more in the same words, or in a function that it calls
        return "with redirect_stdout(None):\n" + indent("\n".join(statement.lines), "    ")
    lines: list[str | None] = [*statement.lines]
    if isinstance(statement.node, (ast.FunctionDef, ast.ClassDef)):
        return "\n".join(statement.lines)
    for node in statement.silent:
        first = node.lineno - statement.first
        last = (node.end_lineno or node.lineno) - statement.first
        lines[first] = f"{' ' * node.col_offset}pass"
        lines[first + 1 : last + 1] = [None] * (last - first)
    kept = [line for line in lines if line is not None]
    return "" if kept[0] == "pass" else "\n".join(kept)
