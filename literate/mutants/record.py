"""What runs of mutants found, as JSON: for each file, under its hash, what noticed each mutant."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from literate.mutants.mutant import Mutant, mutants

TESTS = Path("tests/mutants/tests.json")
PAGES = Path("tests/mutants/pages.json")
LITERATE = Path("tests/mutants/literate.json")
EQUIVALENT = Path("tests/mutants/equivalent.toml")
SURVIVED, NOT_RUN = -1, -2


@dataclass
class File:
    hash: str
    noticed: list[int]  # by mutant, in order: the number of a test, or SURVIVED or NOT_RUN


@dataclass
class Found:
    tests: list[str] = field(default_factory=list)  # that noticed one; "": it broke down
    files: dict[str, File] = field(default_factory=dict)
    each: dict[str, list[int]] = field(default_factory=dict)  # of a page: mutants tried, noticed

    @classmethod
    def read(cls, place: Path) -> "Found":
        if not place.exists():
            return cls()
        known = json.loads(place.read_text("utf-8"))
        files = {path: File(**file) for path, file in known["files"].items()}
        return cls(known["tests"], files, known["each"])

    def write(self, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        self.files = dict(sorted(self.files.items()))
        # A line a file: a list of thousands of numbers is for no one to read.
        text = json.dumps(asdict(self), ensure_ascii=False)
        text = re.sub(r'"(attention|literate)/', r'\n"\1/', text)
        place.write_text(text + "\n", "utf-8")

    def stale(self, paths: Iterable[Path]) -> list[Path]:
        """The files that have changed since their mutants ran."""
        return [
            p for p in paths if str(p) not in self.files or self.files[str(p)].hash != hashed(p)
        ]

    def note(self, path: Path, killers: list[str | None | bool]) -> None:
        """For each mutant of a file: what noticed it, None if nothing, False if it did not run."""
        self.files[str(path)] = File(hashed(path), [self.number(killer) for killer in killers])

    def number(self, killer: str | None | bool) -> int:
        if isinstance(killer, str):
            if killer not in self.tests:
                self.tests.append(killer)
            return self.tests.index(killer)
        return SURVIVED if killer is None else NOT_RUN

    def outcomes(self) -> Iterator[tuple[Mutant, int]]:
        """The mutants of the files that have not changed, and what came of each."""
        for path, file in self.files.items():
            if Path(path).exists() and hashed(Path(path)) == file.hash:
                yield from zip(mutants(Path(path)), file.noticed, strict=True)

    def survivors(self) -> list[Mutant]:
        return [mutant for mutant, number in self.outcomes() if number == SURVIVED]

    def notice(self, mutant: Mutant, test: str) -> None:
        """A test noticed now what nothing did."""
        at = [each.key for each in mutants(mutant.path)].index(mutant.key)
        self.files[str(mutant.path)].noticed[at] = self.number(test)

    def killers(self) -> Iterator[tuple[Mutant, str]]:
        """The mutants that a test noticed which is still there, and that test."""
        for mutant, number in self.outcomes():
            test = self.tests[number] if number >= 0 else ""
            if test and Path(test.partition("::")[0]).exists():
                yield mutant, test

    def score(self, equivalent: Iterable[str] = ()) -> tuple[int, int]:
        """How many mutants ran that are not equivalent, and how many of them were noticed."""
        names = list(equivalent)
        counts = Counter(
            number >= 0
            for mutant, number in self.outcomes()
            if number != NOT_RUN and not (number == SURVIVED and named(mutant.key, names))
        )
        return counts.total(), counts[True]


def named(key: str, names: Iterable[str]) -> bool:
    """Whether a mutant is one of those; a name that ends in * is of all that begin so."""
    return any(key == name or (name[-1] == "*" and key.startswith(name[:-1])) for name in names)


def hashed(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
