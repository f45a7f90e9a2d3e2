"""What is committed of the mutants: the score, and the reasons of those that no test can notice."""

import json
import tomllib
from pathlib import Path

from literate.mutants import record
from literate.mutants.mutant import mutants

EQUIVALENT = tomllib.loads(Path("tests/mutants/equivalent.toml").read_text("utf-8"))
TESTS = json.loads(record.TESTS.read_text("utf-8"))


def test_each_equivalent_mutant_is_one_of_the_package() -> None:
    every = {m.key for path in Path("attention").rglob("*.py") for m in mutants(path)}
    assert EQUIVALENT.keys() - every == set()


def test_of_the_mutants_that_differ_95_in_100_are_noticed() -> None:
    survivors = set(TESTS["survivors"])
    assert TESTS["score"]["ran"] == TESTS["score"]["killed"] + len(survivors)
    missed = len(survivors - EQUIVALENT.keys())
    assert missed <= 0.05 * (TESTS["score"]["ran"] - len(survivors & EQUIVALENT.keys()))
