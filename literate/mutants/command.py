"""Change the package in one place after another, and count what notices.

python -m literate mutate                     all mutants, on the tests until one notices
python -m literate mutate --sample 500        so many of them by chance
python -m literate mutate --pages             on the pages instead
python -m literate mutate --pages --each      each on every page: a score for each page
"""

import argparse
import importlib
import os
import random
from collections import defaultdict
from pathlib import Path

import pytest

from literate import settings
from literate.mutants import record
from literate.mutants.mutant import Mutant, mutants
from literate.mutants.plugin import Mutate
from literate.mutants.record import Found, Score, hashed

PACKAGE = "attention"
PAGES = ["README.md", "docs"]
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
    parser.add_argument("--sample", type=int, metavar="COUNT")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for one mutant")
    given = parser.parse_args(arguments)
    os.environ["OMP_NUM_THREADS"] = "1"  # threads do not outlive a fork
    settings.prepare()
    for name in LATE:
        importlib.import_module(name)
    files = sorted(Path(PACKAGE).rglob("*.py"))
    every = [mutant for path in files for mutant in mutants(path)]
    chosen = random.Random(0).sample(every, min(given.sample or len(every), len(every)))
    place, tests = (record.PAGES, PAGES) if given.pages else (record.TESTS, TESTS)
    noted = Noted(Found(hashed(files), len(every)), place, given.each)
    plugin = Mutate(PACKAGE, chosen, given.seconds, given.each, noted)
    status = pytest.main(["-q", "-s", "-p", "no:cacheprovider", *tests], [plugin])
    noted.done()
    return status


class Noted:
    """Writes down what was found, after each mutant: all of them take hours."""

    def __init__(self, found: Found, place: Path, each: bool) -> None:
        self.found, self.place, self.each = found, place, each
        self.last: Mutant | None = None
        self.killed = False
        self.pages: dict[str, Score] = defaultdict(Score)

    def __call__(self, mutant: Mutant, tried: list[str], killer: str | None) -> None:
        if mutant != self.last:
            self.done()
            self.last, self.killed = mutant, False
        self.killed |= killer is not None
        for page in tried if self.each else []:
            self.pages[page].add(killer is not None)

    def done(self) -> None:
        if self.last is None:
            return
        found = self.found
        found.score.add(self.killed)
        if not self.killed:
            found.survivors.append(self.last.key)
            print(f"{self.last.path}:{self.last.line}: survives: {self.last.text}", flush=True)
        found.pages = {page: self.pages[page] for page in sorted(self.pages)}
        found.write(self.place)
