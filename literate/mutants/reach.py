"""Which tests run which lines, and what each of them costs."""

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

from literate.mutants.mutant import Mutant
from literate.runner import LiteratePage


@dataclass
class Unit:
    """What is run together: a test, or all tests of a page."""

    name: str
    items: list[pytest.Item]
    seconds: float = 0.0  # of the processor, without a mutant

    def fails(self) -> bool:
        for item, after in zip(self.items, [*self.items[1:], None], strict=True):
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=after)):
                item.session._setupstate.teardown_exact(None)  # nothing is left for the next
                return True
        return False


def units(items: Iterable[pytest.Item]) -> list[Unit]:
    found: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        page = item.getparent(LiteratePage)
        found[item.nodeid if page is None else page.nodeid].append(item)
    return [Unit(name, its) for name, its in found.items()]


class Reach:
    """What a run of every unit found; it goes over JSON from one process to another."""

    def __init__(self, them: list[Unit], found: dict[str, Any]) -> None:
        self.units = them
        self.lines: dict[str, dict[str, list[int]]] = found["lines"]
        for unit, seconds in zip(them, found["seconds"], strict=True):
            unit.seconds = seconds

    def of(self, mutant: Mutant) -> list[Unit]:
        """The units that run the statement of a mutant, the quickest first.

        What only an import runs is tried by all units that run a line of the file; by all there
        are if none does, as of a file that holds nothing but values.
        """
        by_line = self.lines.get(str(mutant.path.resolve()), {})
        numbers = {n for line in mutant.lines for n in by_line.get(str(line), [])}
        numbers = numbers or {n for them in by_line.values() for n in them}
        found = [self.units[n] for n in numbers] or self.units
        return sorted(found, key=lambda unit: unit.seconds)


def measure(them: list[Unit], package: str) -> dict[str, Any]:
    """Run every unit once: what it costs, and by file and line the numbers of those that run it."""
    seconds, failed = [], []
    cover = coverage.Coverage(data_file=None, source=[package], config_file=False)
    # The package is imported already: what runs on import is none of a test's lines.
    cover.set_option("run:disable_warnings", ["module-not-measured", "no-data-collected"])
    cover.start()
    for n, unit in enumerate(them):
        cover.switch_context(str(n))
        before = spent()
        if unit.fails():
            failed.append(unit.name)
        seconds.append(spent() - before)
    cover.stop()
    data = cover.get_data()
    lines = {
        path: {
            line: [int(name) for name in names if name]
            for line, names in data.contexts_by_lineno(path).items()
        }
        for path in data.measured_files()
    }
    return {"seconds": seconds, "lines": lines, "failed": failed}


def spent() -> float:
    """Processor seconds of this process and of those that it started."""
    return sum(os.times()[:4])
