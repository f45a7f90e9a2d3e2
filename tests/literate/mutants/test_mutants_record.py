"""What is committed of the mutants: the score, and the reasons of those that no test can notice."""

import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

from literate.mutants.mutant import mutants
from literate.mutants.record import Found, named, tally
from literate.mutants.sample import ALL, EXAMPLES, SIZE, UNSEEN, Sample, drawn, same
from literate.mutants.targets import KERNELS, LITERATE, PACKAGE, PAGES, Target

EQUIVALENT = tomllib.loads(Path("tests/mutants/equivalent.toml").read_text("utf-8"))
EVERY = [PACKAGE, KERNELS, LITERATE]
TARGETS = pytest.mark.parametrize("target", EVERY, ids=[target.name for target in EVERY])
# Mutants of functions that have changed since; with more, theirs must run.
FEW = {"attention": 100, "kernels": 20, "literate": 100}
SHARE = 95  # in a hundred
AGAIN = 20  # mutants that were noticed and must be now: others each day


def test_each_equivalent_mutant_is_one_of_a_file() -> None:
    paths = [path for target in EVERY for path in target.sources()]
    every = [mutant.key for path in paths for mutant in mutants(path)]
    pages = tomllib.loads(UNSEEN.read_text("utf-8"))
    names = [*EQUIVALENT, *pages]
    assert [name for name in names if not any(named(key, [name]) for key in every)] == []


@TARGETS
def test_of_the_mutants_that_differ_95_in_100_are_noticed(target: Target) -> None:
    ran, same, noticed = tally(Found.read(target.record).outcomes(), EQUIVALENT)
    assert 100 * noticed >= SHARE * (ran - same) > 0


def test_the_page_says_so() -> None:
    page = (Path(__file__).parents[3] / "docs/about/counts.md").read_text("utf-8")
    assert f"fail if fewer than `{SHARE} %` of" in page
    assert f"--pages` draws `{SIZE}` mutants of the package" in page


def test_of_those_of_the_package_the_pages_alone_notice_90_in_100() -> None:
    sample, them = Sample.read(PAGES.record), drawn(PAGES.sources(), same())
    stale = sample.stale(them)
    sample.keep(them)
    scores = sample.each()
    ran, noticed = scores.pop(ALL)
    assert ran >= 290  # of 300; some cannot be put in, and some have changed
    assert noticed >= 0.9 * ran
    assert [page for page in scores if page != EXAMPLES and not Path(page).exists()] == []
    said = f"{len(stale)} have changed since: run python -m literate mutate --pages"
    assert len(stale) <= ran / 10, said


@TARGETS
def test_every_mutant_ran(target: Target) -> None:
    stale = Found.read(target.record).stale(target.sources())
    said = f"{len(stale)} have changed since: run python -m literate mutate"
    assert len(stale) <= FEW[target.name], said


@TARGETS
def test_what_noticed_a_mutant_is_still_there(target: Target) -> None:
    found = Found.read(target.record)
    names = {found.tests[number] for _, number in found.outcomes() if number >= 0}
    texts = {name: Path(name.partition("::")[0]).read_text("utf-8") for name in names if name}
    gone = [
        name
        for name, text in texts.items()
        if name.startswith("tests/") and f"def {name.split('::')[1].partition('[')[0]}(" not in text
    ]
    assert gone == []


@pytest.mark.parametrize("target", [PACKAGE, LITERATE], ids=["attention", "literate"])
def test_a_sample_is_noticed_again(target: Target) -> None:
    """Not of the kernels, whose tests take minutes on the interpreter, and are run as they are."""
    command = [sys.executable, "-m", "literate", "mutate", "--again", str(AGAIN)]
    command += ["--seed", str(date.today())]
    command += [] if target is PACKAGE else [f"--{target.name}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
