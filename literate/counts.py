"""`python -m literate count`: writes docs/about/counts.md, how much is checked, from the records.

It counts what others wrote down when they ran: the tests of the pages (docs/.records), the digits
that were changed (literate/breaking/found.json) and the mutants (tests/mutants).
"""

import argparse
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path

from literate.bibliography import place
from literate.breaking import book
from literate.mutants.mutant import Mutant
from literate.mutants.record import EQUIVALENT, Found, tally
from literate.mutants.sample import ALL, EXAMPLES, Sample, drawn, same
from literate.mutants.targets import KERNELS, LITERATE, PACKAGE, PAGES
from literate.running import records

PAGE = Path("docs/about/counts.md")
TEXT = Path(__file__).with_suffix(".md")  # the words around the tables


def row(*cells: object) -> str:
    shown = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells)
    return f"| {' | '.join(shown)} |\n"


def counted() -> Iterator[tuple[Path, dict[str, int]]]:
    """The pages that check something, but for the one of the counts, and how much."""
    for path in [Path("README.md"), *sorted(Path("docs").rglob("*.md"))]:
        counts = records.read(records.place(Path("docs/.records"), path)).get("counts")
        if path != PAGE and counts:
            yield path, counts


def checks() -> str:
    """A row for each page that checks something, and their sums."""
    rows, digits = [], book.found()
    for path, counts in counted():
        names = ("blocks", "outputs", "numbers", "claims", "assertions")
        broken = digits[path.as_posix()]
        numbers = [
            *(counts[name] for name in names),
            counts["tables"] + counts["figures"],
            sum(broken["digits"].values()),
            broken["listed"],
        ]
        rows.append((place(path) if path.parts[0] == "docs" else "README", numbers))
    total = [sum(column) for column in zip(*(numbers for _, numbers in rows), strict=True)]
    return "".join(row(name, *numbers) for name, numbers in [*rows, ("**in all**", total)])


def parts(them: Iterable[Found]) -> dict[str, list[tuple[Mutant, int]]]:
    """The mutants and what came of each, by the folder that they stand in."""
    by: dict[str, list[tuple[Mutant, int]]] = {}
    for mutant, number in chain.from_iterable(found.outcomes() for found in them):
        by.setdefault(f"{mutant.path.parent.as_posix()}/", []).append((mutant, number))
    return dict(sorted(by.items()))


def mutants(them: Iterable[Found], same: Collection[str]) -> str:
    rows, total = [], [0, 0, 0]
    for name, outcomes in parts(them).items():
        numbers = tally(outcomes, same)
        if not numbers[0]:
            continue
        total = [a + b for a, b in zip(total, numbers, strict=True)]
        rows.append(row(f"`{name}`", *numbers, share(*numbers)))
    return "".join(rows) + row("**in all**", *total, share(*total))


def pages() -> str:
    """A row for each page that reaches a mutant of the sample, and their sum."""
    sample = Sample.read(PAGES.record)
    sample.keep(drawn(PAGES.sources(), same()))
    names = {EXAMPLES: "the examples of the reference", ALL: "**together**"}
    return "".join(
        row(title(name, names), ran, noticed, share(ran, 0, noticed))
        for name, (ran, noticed) in sample.each().items()
    )


def title(name: str, names: dict[str, str]) -> str:
    path = Path(name)
    return names.get(name) or (place(path) if path.parts[0] == "docs" else path.stem)


def share(ran: int, same: int, noticed: int) -> str:
    return f"{1000 * noticed // (ran - same) / 10:.1f} %"  # rounded down: 100.0 is all


def page() -> str:
    same = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    table = mutants((Found.read(target.record) for target in (PACKAGE, KERNELS, LITERATE)), same)
    return TEXT.read_text("utf-8").format(checks=checks(), mutants=table, pages=pages())


def main(arguments: list[str]) -> int:
    argparse.ArgumentParser(prog="python -m literate count").parse_args(arguments)
    broken = book.found()
    if never := [path for path, _ in counted() if path.as_posix() not in broken]:
        said = f"{', '.join(map(str, never))}: expected digits that were broken, but none were"
        print(f"{said}; python -m literate break comes first", file=sys.stderr)
        return 1
    PAGE.write_text(page(), "utf-8")
    return 0
