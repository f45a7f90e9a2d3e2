"""Change the package in one place after another, and count what notices.

python -m literate mutate                     files changed since, on the tests until one notices
python -m literate mutate --survivors TEST    what nothing noticed, on a test that is new
python -m literate mutate --pages             on the pages and the package's examples instead
python -m literate mutate --sample 300        so many by chance; nothing is written down
python -m literate mutate --pages --each --sample 300    a score for each page
python -m literate mutate --again 20          so many that were noticed, on the tests that did
"""

import argparse
import os
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from literate import settings
from literate.mutants import record
from literate.mutants.mutant import Mutant, mutants
from literate.mutants.plugin import Mutate, Trial
from literate.mutants.record import Found

PACKAGE = "attention"
PAGES = ["README.md", "docs", "attention"]  # the reference is made of the package's examples
# Tests that ask another process see the files as they are; slow ones repeat what others ran.
TESTS = ["attention", "tests/package", "-m", "not slow"]
TESTS += ["--deselect=tests/package/test_wheel.py", "--deselect=tests/package/test_import.py"]
# What pages and tests load late: once here, not in each copy of the process.
LATE = ["torch._dynamo", "matplotlib.pyplot", "transformers.models.llama.modeling_llama"]


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
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for one mutant")
    given = parser.parse_args(arguments)
    os.environ["OMP_NUM_THREADS"] = "1"  # threads do not outlive a fork
    settings.prepare()
    place, tests = (record.PAGES, PAGES) if given.pages else (record.TESTS, TESTS)
    tests = [test for test in tests if not (given.each and test == PACKAGE)]
    found = Found.read(place)
    if given.again:
        killed = dict(found.killers())
        chosen = drawn(killed, given.again, given.seed)
        tests = ["-m", "not slow", *sorted({killed[m].partition("::")[0] for m in chosen})]
    elif given.survivors:
        chosen, tests = found.survivors(), [given.survivors]
    elif given.sample:
        every = (m for path in given.files or sources() for m in mutants(path))
        chosen = drawn(every, given.sample, given.seed)
    else:
        files = given.files or found.stale(sources())
        chosen = [m for path in files for m in mutants(path)]
    keeps = not (given.sample or given.again or given.survivors)
    notes = Notes(found, place, keeps, bool(given.survivors), given.each)
    plugin = Mutate(PACKAGE, chosen, given.seconds, given.each, notes, LATE)
    status = pytest.main(["-q", "-s", "-p", "no:cacheprovider", *tests], [plugin])
    notes.done()
    return status or (1 if given.again and notes.counts["noticed"] < len(chosen) else 0)


def sources() -> list[Path]:
    """All files but the GPU kernels: on Triton's interpreter a mutant takes minutes.

    They can be named. In the one for Hopper tests/gluon plants its own faults.
    """
    return sorted(path for path in Path(PACKAGE).rglob("*.py") if "triton" not in path.parts)


def drawn(them: Iterable[Mutant], count: int, seed: str) -> list[Mutant]:
    every = list(them)
    return random.Random(seed).sample(every, min(count, len(every)))


class Notes:
    """Says what survives, and writes down each file when its mutants have run."""

    def __init__(self, found: Found, place: Path, keeps: bool, adds: bool, each: bool) -> None:
        self.found, self.place = found, place
        self.keeps, self.adds, self.each = keeps, adds, each
        self.path: Path | None = None
        self.killers: list[str | None | bool] = []
        self.pages: dict[str, list[int]] = {}
        self.counts = {"ran": 0, "noticed": 0, "not run": 0}

    def __call__(self, trial: Trial) -> None:
        if self.keeps and trial.mutant.path != self.path:
            self.close()
            self.path = trial.mutant.path
        killer = next(iter(trial.killers), None)
        self.killers.append(killer if trial.ran else False)
        self.counts["ran" if trial.ran else "not run"] += 1
        self.counts["noticed"] += killer is not None
        if killer and self.adds:
            self.found.notice(trial.mutant, killer)
        for page in trial.tried if self.each and trial.ran else []:
            score = self.pages.setdefault(page, [0, 0])
            score[0] += 1
            score[1] += page in trial.killers
        if killer is None:
            said = "survives" if trial.ran else "is not run"
            print(f"{trial.mutant.key}: {said} (line {trial.mutant.line})", flush=True)

    def close(self) -> None:
        """All mutants of a file have run: they are written down now, for all of them take hours."""
        if self.path is not None:
            self.found.note(self.path, self.killers)
            self.found.write(self.place)
            print(f"{self.path}: {self.counts}", flush=True)
        self.killers = []

    def done(self) -> None:
        self.close()
        print(self.counts)
        if self.each:
            self.found.each = dict(sorted(self.pages.items()))
        if self.each or self.adds:
            self.found.write(self.place)
