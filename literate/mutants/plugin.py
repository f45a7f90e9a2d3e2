"""The pytest plugin that runs mutants instead of tests, each in a copy of the process."""

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable
from functools import partial
from multiprocessing import get_context
from tempfile import TemporaryDirectory
from typing import NamedTuple

import hypothesis
import pytest

from literate.mutants.fork import forked, within
from literate.mutants.mutant import Mutant
from literate.mutants.reach import Reach, Unit, measure, units
from literate.mutants.swap import Functions, functions, put


class Trial(NamedTuple):
    """What came of a mutant. Its killers: `""` is a copy of the process that broke down."""

    mutant: Mutant
    ran: bool  # whether it could be put in
    tried: list[str]
    killers: list[str]


class Mutate:
    """Runs on each mutant the tests that run its line: until one fails, or, of pages, each."""

    def __init__(
        self,
        package: str,
        mutants: Iterable[Mutant],
        seconds: float,
        each: bool,
        note: Callable[[Trial], None],
        late: Iterable[str] = (),
    ) -> None:
        self.package, self.mutants, self.note, self.late = package, mutants, note, late
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
        for name in self.late:
            importlib.import_module(name)
        package = importlib.import_module(self.package)
        for module in pkgutil.walk_packages(package.__path__, f"{self.package}."):
            importlib.import_module(module.name)  # what is loaded late would be read unchanged
        them = units(session.items)
        found = forked(lambda: measure(them, self.package))
        if found is None or found["failed"]:
            failed = "a crash" if found is None else ", ".join(found["failed"])
            raise pytest.UsageError(f"expected tests that pass without a mutant, got {failed}")
        plan = Plan(Reach(them, found), functions(), self.seconds, self.each)
        with get_context("fork").Pool(WORKERS, initializer=begin, initargs=[plan]) as pool:
            for trial in pool.imap(tried, self.mutants):
                self.note(trial)
        return True


WORKERS = 2


class Plan(NamedTuple):
    """What a worker has from the process that it is a copy of."""

    reach: Reach
    known: Functions
    seconds: float
    each: bool


def begin(plan: Plan) -> None:
    global PLAN
    PLAN = plan


def tried(mutant: Mutant) -> Trial:
    chosen = affordable(PLAN.reach.of(mutant), PLAN.seconds)
    ran, killers = True, []
    for together in [[unit] for unit in chosen] if PLAN.each and chosen else [chosen]:
        with TemporaryDirectory() as folder:  # of its own, and gone with it even if it crashed
            os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
            ran, killer = forked(partial(run, mutant, together), crashed=(True, ""))
        if killer is not None:
            killers.append(killer or (together[0].name if PLAN.each else ""))
        if not ran:
            break
    return Trial(mutant, ran, [unit.name for unit in chosen], killers)


def affordable(them: list[Unit], seconds: float) -> list[Unit]:
    """The first units that take so many seconds together."""
    chosen = []
    for unit in them:
        seconds -= unit.seconds
        if seconds < 0:
            break
        chosen.append(unit)
    return chosen


def run(mutant: Mutant, them: list[Unit]) -> tuple[bool, str | None]:
    """Whether the mutant could be put in, and the name of the first unit that noticed it."""
    try:
        if not put(mutant, PLAN.known):
            return False, None
    except (Exception, SystemExit):
        return True, ""  # it could not even be imported
    for unit in them:
        within(10 * unit.seconds + 2)
        if unit.fails():
            return True, unit.name
    return True, None
