"""Change the package in one place after another, and count what notices.

python -m literate mutate                    the files that changed since their mutants ran
python -m literate mutate attention/kept.py  these files, whether they changed or not
python -m literate mutate --sample 500       so many mutants by chance: a score, nothing recorded
python -m literate mutate --pages 500        so many by chance, on the pages until one notices
python -m literate mutate --pages 50 --each  each on every page: a score for each page
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
from literate.mutants.record import Found, Noticed

PACKAGE = "attention"
PAGES = ["README.md", "docs"]
# What pages load late: once here, not in each copy of the process.
LATE = ["torch._dynamo", "matplotlib.pyplot", "transformers.models.llama.modeling_llama"]
# Tests that ask another process see the files as they are; slow ones repeat what others ran.
TESTS = ["attention", "tests/package", "-m", "not slow"]
TESTS += ["--deselect=tests/package/test_wheel.py", "--deselect=tests/package/test_import.py"]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        "python -m literate mutate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--sample", type=int, metavar="COUNT")
    parser.add_argument("--pages", type=int, metavar="COUNT")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for one mutant")
    given = parser.parse_args(arguments)
    os.environ["OMP_NUM_THREADS"] = "1"  # threads do not outlive a fork
    files = given.files or sorted(Path(PACKAGE).rglob("*.py"))
    if count := given.pages or given.sample:
        every = [mutant for path in files for mutant in mutants(path)]
        chosen = random.Random(0).sample(every, min(count, len(every)))
        if given.pages:
            return on_pages(chosen, given.seconds, given.each)
        return on_tests(chosen, given.seconds)
    found = record.read()
    files = given.files or [path for path in files if record.stale(found, path)]
    chosen = [mutant for path in files for mutant in mutants(path)]
    found |= {str(path): Found(record.hashed(path)) for path in files}
    return on_tests(chosen, given.seconds, found)


def on_tests(chosen: list[Mutant], seconds: float, found: dict[str, Found] | None = None) -> int:
    killed: dict[str, bool] = {}

    def note(mutant: Mutant, tried: list[str], killer: str | None) -> None:
        killed[mutant.key] = killer is not None
        if found is not None:
            record.add(found, mutant, killer is not None)
        if killer is None:
            print(f"{mutant.path}:{mutant.line}: survives {len(tried)} tests: {mutant.text}")

    status = pytested(TESTS, Mutate(PACKAGE, chosen, seconds, False, note))
    if found is not None and not status:
        record.write(found)
    print(f"{sum(killed.values())} of {len(killed)} mutants killed")
    return status


def on_pages(chosen: list[Mutant], seconds: float, each: bool) -> int:
    settings.prepare()
    for name in LATE:
        importlib.import_module(name)
    pages: dict[str, Noticed] = defaultdict(Noticed)
    killed: dict[str, bool] = {}

    def note(mutant: Mutant, tried: list[str], killer: str | None) -> None:
        for page in tried if each else [killer] if killer else []:
            pages[page].ran += 1
            pages[page].killed += killer is not None
        killed[mutant.key] = killed.get(mutant.key, False) or killer is not None
        record.write_pages(pages, killed)  # which takes hours in all: keep what is done

    return pytested(PAGES, Mutate(PACKAGE, chosen, seconds, each, note))


def pytested(tests: list[str], plugin: Mutate) -> int:
    return pytest.main(["-q", "-s", "-p", "no:cacheprovider", *tests], [plugin])
