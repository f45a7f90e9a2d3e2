"""What is committed of the mutants: the score, and the reasons of those that no test can notice."""

import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

from literate.mutants import record
from literate.mutants.command import sources
from literate.mutants.mutant import mutants
from literate.mutants.record import named

EQUIVALENT = tomllib.loads(Path("tests/mutants/equivalent.toml").read_text("utf-8"))
TESTS = record.Found.read(record.TESTS)
FEW = 250  # mutants of files that have changed since; with more, theirs must run
AGAIN = 20  # mutants that were noticed and must be now: others each day


def test_each_equivalent_mutant_is_one_of_the_package() -> None:
    every = [mutant.key for path in sources() for mutant in mutants(path)]
    assert [name for name in EQUIVALENT if not any(named(key, [name]) for key in every)] == []


def test_of_the_mutants_that_differ_95_in_100_are_noticed() -> None:
    ran, noticed = TESTS.score(EQUIVALENT)
    assert noticed >= 0.95 * ran > 0


def test_every_mutant_ran() -> None:
    stale = [mutant for path in TESTS.stale(sources()) for mutant in mutants(path)]
    assert len(stale) <= FEW, f"{len(stale)} have changed since: run python -m literate mutate"


def test_a_sample_is_noticed_again() -> None:
    command = [sys.executable, "-m", "literate", "mutate", "--again", str(AGAIN)]
    done = subprocess.run([*command, "--seed", str(date.today())], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
