"""Change the package, or literate/, in one place after another, and count what notices.

python -m literate mutate                     what has changed, on the tests until one notices
python -m literate mutate --kernels           the same with the GPU kernels, on an interpreter
python -m literate mutate --literate          the same with literate/, the machinery of the book
python -m literate mutate --survivors TEST    what nothing noticed, on a test that is new
python -m literate mutate --pages             a sample, on each page and the package's examples
python -m literate mutate --sample 300        so many by chance; nothing is written down
python -m literate mutate --again 20          so many that were noticed, on the tests that did
"""

import argparse
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from literate.mutants.mutant import Mutant, mutants
from literate.mutants.plugin import Mutate, Trial
from literate.mutants.record import NOT_RUN, Found
from literate.mutants.sample import Sample, drawn, hashed, same
from literate.mutants.targets import KERNELS, LITERATE, PACKAGE, PAGES, Target
from literate.running import settings


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        "python -m literate mutate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--sample", type=int, metavar="COUNT")
    parser.add_argument("--again", type=int, metavar="COUNT")
    parser.add_argument("--survivors", metavar="TEST")
    parser.add_argument("--seed", default="0")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--kernels", dest="target", action="store_const", const=KERNELS)
    which.add_argument("--literate", dest="target", action="store_const", const=LITERATE)
    which.add_argument("--pages", dest="target", action="store_const", const=PAGES)
    parser.set_defaults(target=PACKAGE)
    parser.add_argument("--seconds", type=float, help="of tests for one mutant")
    given = parser.parse_args(arguments)
    if missing := [path for path in given.files if not path.is_file()]:
        parser.error(f"no file {missing[0]}")
    os.environ["OMP_NUM_THREADS"] = "1"  # threads do not outlive a fork
    settings.prepare()
    target = given.target
    seconds = given.seconds or target.seconds
    if target is PAGES:
        if given.files or given.sample or given.again or given.survivors:
            parser.error("--pages has a sample of its own, and goes with --seconds alone")
        return sampled(seconds)
    tests, found = target.tests, Found.read(target.record)
    if given.again:
        killed = dict(found.killers())
        chosen = some(killed, given.again, given.seed)
        tests = sorted({killed[m].partition("::")[0] for m in chosen})
    elif given.survivors:
        chosen, tests = found.survivors(), [given.survivors]
    elif given.sample:
        every = (m for path in given.files or target.sources() for m in mutants(path))
        chosen = some(every, given.sample, given.seed)
    else:
        these = [m for path in given.files for m in mutants(path)]
        chosen = these if given.files else found.stale(target.sources())
    keeps = not (given.sample or given.again or given.survivors)
    notes = Notes(found, target.record, keeps, bool(given.survivors))
    status = run(target, tests, chosen, seconds, notes)
    notes.done(whole=status not in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR))
    return status or (1 if given.again and notes.counts["noticed"] < len(chosen) else 0)


def run(
    target: Target,
    tests: list[str],
    chosen: list[Mutant],
    seconds: float,
    note: Callable[[Trial], None],
) -> int:
    plugin = Mutate(target.package, chosen, seconds, target.each, note, target.late)
    quiet = ["-q", "-s", "-p", "no:cacheprovider"]
    return pytest.main([*quiet, *target.options, *tests], [plugin])


def sampled(seconds: float) -> int:
    """Run what is stale of the sample on the pages, and write down each mutant when it has run."""
    sample, them = Sample.read(PAGES.record), drawn(PAGES.sources(), same())
    stale = hashed(sample.stale(them))  # as they are read now, even if a file changes meanwhile
    sample.keep(them)
    sample.write(PAGES.record)

    def note(trial: Trial) -> None:
        sample.note(trial, stale[trial.mutant])
        sample.write(PAGES.record)
        told(trial)

    print(f"{len(stale)} of {len(them)} have not run", flush=True)
    return run(PAGES, PAGES.tests, [*stale], seconds, note) if stale else 0


def some(them: Iterable[Mutant], count: int, seed: str) -> list[Mutant]:
    every = list(them)
    return random.Random(seed).sample(every, min(count, len(every)))


def told(trial: Trial) -> None:
    """Say what nothing noticed."""
    if not trial.killers:
        said = "survives" if trial.ran else "is not run"
        print(f"{trial.mutant.key}: {said} (line {trial.mutant.line})", flush=True)


class Notes:
    """Says what survives, and writes down each file when its mutants have run."""

    def __init__(self, found: Found, place: Path, keeps: bool, adds: bool) -> None:
        self.found, self.place, self.keeps, self.adds = found, place, keeps, adds
        self.path: Path | None = None
        self.came: dict[Mutant, int] = {}
        self.counts = {"ran": 0, "noticed": 0, "not run": 0}

    def __call__(self, trial: Trial) -> None:
        killer = next(iter(trial.killers), None)
        if self.keeps:
            if trial.mutant.path != self.path:
                self.close()
                self.path = trial.mutant.path
            self.came[trial.mutant] = self.found.number(killer) if trial.ran else NOT_RUN
        self.counts["ran" if trial.ran else "not run"] += 1
        self.counts["noticed"] += killer is not None
        if killer is not None and self.adds:  # "": it broke down
            self.found.notice(trial.mutant, killer)
        told(trial)

    def close(self) -> None:
        """All mutants of a file have run: they are written down now, for all of them take hours."""
        if self.path is not None:
            self.found.note(self.path, self.came)
            self.found.write(self.place)
            print(f"{self.path}: {self.counts}", flush=True)
        self.came = {}

    def done(self, whole: bool) -> None:
        if whole:  # or the mutants of the last file have not all run
            self.close()
        print(self.counts)
        if self.adds:
            self.found.write(self.place)
