"""The pytest plugin that runs mutants instead of tests, each in a copy of the process."""

import importlib
import pkgutil
from collections.abc import Iterable
from typing import Protocol

import hypothesis
import pytest

from literate.mutants.fork import forked, within
from literate.mutants.mutant import Mutant
from literate.mutants.reach import Reach, Unit, measure, units
from literate.mutants.swap import Swaps, functions, swaps


class Note(Protocol):
    def __call__(self, mutant: Mutant, tried: list[str], killer: str | None) -> None:
        """What ran on a mutant, and which of it noticed: `""` if it broke down, None if nothing."""
        ...


class Mutate:
    """Runs on each mutant the tests that run its line: until one fails, or, of pages, each."""

    def __init__(
        self, package: str, mutants: Iterable[Mutant], seconds: float, each: bool, note: Note
    ) -> None:
        self.package, self.mutants, self.note = package, mutants, note
        self.seconds, self.each = seconds, each

    def pytest_configure(self) -> None:
        """The same inputs each time, and no search for the smallest that fails."""
        hypothesis.settings.register_profile(
            "mutants",
            derandomize=True,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        package = importlib.import_module(self.package)
        for module in pkgutil.walk_packages(package.__path__, f"{self.package}."):
            importlib.import_module(module.name)  # what is loaded late would be read unchanged
        them = units(session.items)
        found = forked(lambda: measure(them, self.package))
        if found is None or found["failed"]:
            failed = "a crash" if found is None else ", ".join(found["failed"])
            raise pytest.UsageError(f"expected tests that pass without a mutant, got {failed}")
        reach, known = Reach(them, found), functions()
        for mutant in self.mutants:
            if not (changed := swaps(mutant, known)):
                continue  # outside of functions: the record counts it as not run
            chosen = affordable(reach.of(mutant), self.seconds)
            for together in [[unit] for unit in chosen] if self.each and chosen else [chosen]:
                self.note(mutant, [unit.name for unit in together], run(changed, together))
        return True


def affordable(them: list[Unit], seconds: float) -> list[Unit]:
    """The first units that take so many seconds together."""
    chosen = []
    for unit in them:
        seconds -= unit.seconds
        if seconds < 0:
            break
        chosen.append(unit)
    return chosen


def run(changed: Swaps, them: list[Unit]) -> str | None:
    """The name of the first unit that notices a mutant; `""` if the copy of the process broke."""

    def work() -> str | None:
        for function, code in changed:
            function.__code__ = code
        for unit in them:
            within(10 * unit.seconds + 2)
            if unit.fails():
                return unit.name
        return None

    return forked(work, crashed="")
