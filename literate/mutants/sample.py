"""What each page made of a sample of the package's mutants, as JSON: a line for each of them.

The hash of its name draws a mutant: a change of the package moves few others into the sample or out
of it, and nothing else need run again.
"""

import hashlib
import json
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from literate.mutants.mutant import Mutant, hashes, mutants, plain
from literate.mutants.plugin import Trial
from literate.mutants.record import EQUIVALENT, named

SIZE = 300
UNSEEN = EQUIVALENT.with_name("pages.toml")
ALL, EXAMPLES = "together", "docstrings"  # beside the pages


class Came(NamedTuple):
    hash: str  # of the mutant's function, as it was
    ran: bool  # whether it could be put in
    tried: list[str]  # the pages that reach it
    noticed: list[str]  # those of them that failed


@dataclass
class Sample:
    came: dict[str, Came] = field(default_factory=dict)  # under the plain name of a mutant

    @classmethod
    def read(cls, place: Path) -> "Sample":
        known = json.loads(place.read_text("utf-8")) if place.exists() else {}
        return cls({name: Came(*came) for name, came in known.items()})

    def write(self, place: Path) -> None:
        lines = [f"{said(name)}: {said(came)}" for name, came in sorted(self.came.items())]
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_suffix(".part")  # whole or not at all
        new.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
        new.replace(place)

    def stale(self, drawn: Collection[Mutant]) -> list[Mutant]:
        """Those that have not run, or whose function has changed since."""
        known = {name: came.hash for name, came in self.came.items()}
        return [m for m, now in hashed(drawn).items() if known.get(plain(m.key)) != now]

    def keep(self, drawn: Iterable[Mutant]) -> None:
        """Forget what is no longer drawn."""
        names = {plain(mutant.key) for mutant in drawn}
        self.came = {name: came for name, came in self.came.items() if name in names}

    def note(self, trial: Trial, function: str) -> None:
        tried, noticed = (sorted({*map(page, names)}) for names in (trial.tried, trial.killers))
        self.came[plain(trial.mutant.key)] = Came(function, trial.ran, tried, noticed)

    def each(self) -> dict[str, tuple[int, int]]:
        """Of each page, and of all together, the mutants it reaches and those it noticed."""
        ran = [came for came in self.came.values() if came.ran]
        names = {name for came in ran for name in came.tried}
        scores = {
            name: (sum(name in c.tried for c in ran), sum(name in c.noticed for c in ran))
            for name in sorted(names)
        }
        noticed = sum(bool(came.noticed) for came in ran)
        return scores | {ALL: (len(ran), noticed)} if ran else {}


def same() -> set[str]:
    """The names of those that no page could notice."""
    return {*(n for file in (EQUIVALENT, UNSEEN) for n in tomllib.loads(file.read_text("utf-8")))}


def drawn(paths: Iterable[Path], same: Collection[str]) -> list[Mutant]:
    """The sample of the mutants of these files, but for those that compute the same."""
    every = (m for path in paths for m in mutants(path) if not named(m.key, same))
    by_chance = sorted(every, key=lambda m: hashlib.sha256(plain(m.key).encode()).digest())
    return sorted(by_chance[:SIZE], key=lambda mutant: (mutant.path, mutant.site, mutant.change))


def hashed(them: Iterable[Mutant]) -> dict[Mutant, str]:
    """Of each its function, as it is now."""
    chosen = [*them]
    now = {path: hashes(path) for path in {mutant.path for mutant in chosen}}
    return {mutant: now[mutant.path][mutant.function] for mutant in chosen}


def page(test: str) -> str:
    return test if test.endswith(".md") else EXAMPLES


def said(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
