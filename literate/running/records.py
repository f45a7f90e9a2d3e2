"""`docs/.records/`: what the last recorded run counted and measured, a file a page.

The site shows from it what a page does not: full values, and how far they spread from one kind of
processor code to another. So building the site runs no code. The
tests hold a page against its counts, so that no check disappears unnoticed.
"""

import ast
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from literate.pages.block import SHOWN, Block
from literate.pages.page import Page
from literate.pages.syntax import name_of, parse
from literate.rules.units import units

Record = dict[str, Any]


def place(folder: Path, page: Path) -> Path:
    """Where the record of a page is kept: that of `docs/a/b.md` in `a/b.json`."""
    inside = page.relative_to("docs") if page.is_relative_to("docs") else page
    return folder / inside.with_suffix(".json")


def counts(page: Page) -> dict[str, int]:
    """How many things of each kind a page has that are compared."""
    kinds = Counter(kind for block in page.blocks for kind in block.kinds)
    return {
        "blocks": len(page.blocks),
        "outputs": sum(block.output is not None for block in page.blocks),
        "numbers": sum(bool(check.printed) for check in page.checks),
        "claims": sum(not check.printed for check in page.checks),
        "assertions": sum(map(assertions, page.blocks)),
        "tables": len(page.tables),
        "figures": page.text.count("](figures/"),
        **{kind: kinds[kind] for kind in sorted(kinds)},
    }


def assertions(block: Block) -> int:
    """How often a block asserts; 0 where it is only shown, or shows that it is no Python."""
    try:
        nodes = [] if block.kinds & SHOWN else [*ast.walk(parse(block.code))]
    except SyntaxError:
        return 0
    calls = [name_of(node) for node in nodes if isinstance(node, ast.Call)]
    stated = sum(isinstance(node, ast.Assert) for node in nodes)
    return stated + sum(name.startswith("assert_") for name in calls)


def read(path: Path) -> Record:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def updated(old: Record, page: Page, values: dict[int, float]) -> Record:
    """The record of a run. A value within the rounding of float32 of the recorded one stays it."""
    numbers = [check for check in page.checks if check.printed]
    before = defaultdict(list)
    for entry in old.get("numbers", []):
        before[entry[0]].append(entry)
    found = []
    for check in numbers:
        value, known = values[check.start], before[check.expression]
        entry = known.pop(0) if known else None
        near = entry and abs(entry[1] - value) <= 2e-6 * abs(value) + 1e-9
        found.append(entry if near else [check.expression, float(f"{value:.7g}")])
    behind = [unit for _, unit in units(page)]
    return {"counts": counts(page), **({"units": behind} if behind else {}), "numbers": found}


def spread(old: Record, page: Page, values: dict[int, float]) -> Record:
    """The record, with how far another run came from its values, where that is beyond rounding."""
    numbers = [check for check in page.checks if check.printed]
    found = []
    for check, (expression, kept, *seen) in zip(numbers, old.get("numbers", []), strict=False):
        far = max(abs(values[check.start] - kept), *seen, 0.0)
        beyond = expression == check.expression and far > 1e-6 * abs(kept) + 1e-9
        found.append([expression, kept, *([above(far)] if beyond else [])])
    return {**old, "numbers": found}


def above(number: float) -> float:
    """The next number above with one digit that is not 0."""
    unit = 10.0 ** math.floor(math.log10(number))
    return float(f"{math.ceil(number / unit - 1e-9) * unit:.0e}")


def stale(old: Record, page: Page, values: dict[int, float]) -> tuple[int, str] | None:
    """The first number whose recorded value is not the one that came: its line, and both."""
    numbers = [check for check in page.checks if check.printed]
    for check, (expression, kept, *seen) in zip(numbers, old.get("numbers", []), strict=False):
        value = values[check.start]
        # A processor that was never asked may come ten times as far as those that were.
        slack = max([1e-5 * abs(value), *(10 * far for far in seen)]) + 1e-6
        if expression != check.expression or abs(kept - value) > slack:
            came = f"{check.expression} is {value:.7g}"
            return check.line, f"{came}, but in the record of the page {expression} is {kept:.7g}"
    return None


def write(path: Path, record: Record) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")
