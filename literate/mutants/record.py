"""What a run of mutants found, as JSON, under a hash of the sources that it changed."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

TESTS = Path("tests/mutants/tests.json")
PAGES = Path("tests/mutants/pages.json")


@dataclass
class Score:
    """How many mutants ran, and how many were noticed."""

    ran: int = 0
    killed: int = 0

    def add(self, killed: bool) -> None:
        self.ran += 1
        self.killed += killed


@dataclass
class Found:
    sources: str
    of: int  # mutants there are; fewer ran if they are a sample
    score: Score = field(default_factory=Score)
    survivors: list[str] = field(default_factory=list)
    pages: dict[str, Score] = field(default_factory=dict)  # each page by itself

    def write(self, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        place.write_text(text + "\n", "utf-8")


def hashed(paths: Iterable[Path]) -> str:
    """Of all files of the package, in the order of their names."""
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(f"{path}\n".encode() + path.read_bytes())
    return whole.hexdigest()[:16]
