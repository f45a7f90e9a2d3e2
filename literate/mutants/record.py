"""What runs of mutants found, as JSON: of each source file, under a hash of what it held."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from literate.mutants.mutant import Mutant

TESTS = Path("tests/mutants/tests.json")
PAGES = Path("tests/mutants/pages.json")


@dataclass
class Found:
    """Of one source file: its hash, how many mutants ran, and those that nothing noticed."""

    source: str
    ran: int = 0
    survivors: list[str] = field(default_factory=list)


@dataclass
class Noticed:
    """Of one page: how many mutants ran on it, and how many it noticed."""

    ran: int = 0
    killed: int = 0


def hashed(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def read(place: Path = TESTS) -> dict[str, Found]:
    if not place.exists():
        return {}
    return {path: Found(**found) for path, found in json.loads(place.read_text("utf-8")).items()}


def stale(found: dict[str, Found], path: Path) -> bool:
    """Whether a file changed since its mutants ran."""
    return str(path) not in found or found[str(path)].source != hashed(path)


def add(found: dict[str, Found], mutant: Mutant, killed: bool) -> None:
    of_file = found[str(mutant.path)]
    of_file.ran += 1
    if not killed:
        of_file.survivors.append(mutant.key)


def write(found: dict[str, Found], place: Path = TESTS) -> None:
    save({path: asdict(found[path]) for path in sorted(found)}, place)


def write_pages(pages: dict[str, Noticed], killed: dict[str, bool]) -> None:
    """Each page's count, that of all together, and the mutants that no page noticed."""
    together = Noticed(len(killed), sum(killed.values()))
    each = {page: asdict(pages[page]) for page in sorted(pages)}
    survivors = sorted(key for key, noticed in killed.items() if not noticed)
    save({"together": asdict(together), "pages": each, "survivors": survivors}, PAGES)


def save(what: object, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(what, indent=1, ensure_ascii=False) + "\n", "utf-8")
