"""What runs of mutants found, as JSON: for each function, under its hash, what noticed each."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from literate.mutants.mutant import Mutant, hashes, mutants

TESTS = Path("tests/mutants/tests.json")
PAGES = Path("tests/mutants/pages.json")
LITERATE = Path("tests/mutants/literate.json")
KERNELS = Path("tests/mutants/kernels.json")
EQUIVALENT = Path("tests/mutants/equivalent.toml")
SURVIVED, NOT_RUN = -1, -2


class Part(NamedTuple):
    """What came of the mutants of a function, or of what stands outside of all."""

    hash: str
    noticed: list[int]  # by mutant, in order: the number of a test, or SURVIVED or NOT_RUN


@dataclass
class Found:
    tests: list[str] = field(default_factory=list)  # that noticed one; "": it broke down
    files: dict[str, dict[str, Part]] = field(default_factory=dict)

    @classmethod
    def read(cls, place: Path) -> "Found":
        if not place.exists():
            return cls()
        known = json.loads(place.read_text("utf-8"))
        files = {
            path: {name: Part(*part) for name, part in parts.items()}
            for path, parts in known["files"].items()
        }
        return cls(known["tests"], files)

    def write(self, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        self.files = dict(sorted(self.files.items()))
        # A line a file: a list of thousands of numbers is for no one to read.
        text = json.dumps(asdict(self), ensure_ascii=False)
        text = re.sub(r'"(attention|literate)/', r'\n"\1/', text)
        place.write_text(text + "\n", "utf-8")

    def stale(self, paths: Iterable[Path]) -> list[Mutant]:
        """The mutants of functions that have changed since theirs ran."""
        return [mutant for path in paths for mutant, number in self.of(path) if number is None]

    def of(self, path: Path) -> Iterator[tuple[Mutant, int | None]]:
        """The mutants of a file and what came of each; None where its function has changed."""
        known, now = self.files.get(str(path), {}), hashes(path)
        came = {name: iter(p.noticed) for name, p in known.items() if p.hash == now.get(name)}
        for mutant in mutants(path):
            yield mutant, next(came[mutant.function]) if mutant.function in came else None

    def note(self, path: Path, came: dict[Mutant, int]) -> None:
        """What came of each mutant of some functions."""
        known, now = self.files.get(str(path), {}), hashes(path)
        for mutant in came:
            known[mutant.function] = Part(now[mutant.function], [])
        for mutant, number in came.items():
            known[mutant.function].noticed.append(number)
        self.files[str(path)] = {name: part for name, part in known.items() if name in now}

    def number(self, killer: str | None) -> int:
        if killer is None:
            return SURVIVED
        if killer not in self.tests:
            self.tests.append(killer)
        return self.tests.index(killer)

    def outcomes(self) -> Iterator[tuple[Mutant, int]]:
        """The mutants of functions that have not changed, and what came of each."""
        for path in map(Path, self.files):
            for mutant, number in self.of(path) if path.exists() else ():
                if number is not None:
                    yield mutant, number

    def survivors(self) -> list[Mutant]:
        return [mutant for mutant, number in self.outcomes() if number == SURVIVED]

    def notice(self, mutant: Mutant, test: str) -> None:
        """A test noticed now what nothing did."""
        its = [each.key for each in mutants(mutant.path) if each.function == mutant.function]
        part = self.files[str(mutant.path)][mutant.function]
        part.noticed[its.index(mutant.key)] = self.number(test)

    def killers(self) -> Iterator[tuple[Mutant, str]]:
        """The mutants that a test noticed which is still there, and that test."""
        for mutant, number in self.outcomes():
            test = self.tests[number] if number >= 0 else ""
            if test and Path(test.partition("::")[0]).exists():
                yield mutant, test


def tally(outcomes: Iterable[tuple[Mutant, int]], names: Collection[str]) -> tuple[int, int, int]:
    """How many mutants ran, survived with one of these names, were noticed."""
    ran = [(mutant, number) for mutant, number in outcomes if number != NOT_RUN]
    same = sum(number == SURVIVED and named(mutant.key, names) for mutant, number in ran)
    return len(ran), same, sum(number != SURVIVED for _, number in ran)


def named(key: str, names: Iterable[str]) -> bool:
    """Whether a mutant is one of those; a name that ends in * is of all that begin so."""
    return any(key == name or (name[-1] == "*" and key.startswith(name[:-1])) for name in names)
