"""A session of pytest that changes the digits of one page, and asks its tests after each change."""

import contextlib
import io
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from literate.breaking.places import Place, changed, figures_of, places
from literate.breaking.remember import Remembering
from literate.items.base import Item
from literate.pages.pictures import committed
from literate.runner import LiteratePage


class Broken(LiteratePage):
    """The page as a file of tests whose code runs once."""

    module = Remembering


@dataclass
class Result:
    """What became of the digits of a page."""

    shown: Counter[str] = field(default_factory=Counter)  # how many, by kind
    tried: int = 0
    unnoticed: list[Place] = field(default_factory=list)
    wrong: str = ""  # what fails before anything is changed


@dataclass
class Trial:
    """The plugin."""

    sample: int = 0  # how many digits to change, drawn by `seed`; 0: all
    seed: str = ""
    result: Result = field(default_factory=Result)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:  # what cannot be read: its reason stands in the summary
            return True
        page = next(item.parent for item in session.items if isinstance(item, Item))
        assert page
        assert page.parent
        self.page = Broken.from_parent(page.parent, path=page.path)
        self.others = [item for item in session.items if not isinstance(item, Item)]
        wrong = next(self.failures(self.items()), "") or next(self.outside(), "")
        self.result.wrong = wrong
        if not wrong:
            self.files = {page.path.name: page.path}
            found = list(self.places())
            self.page.run.module.space.close()  # each collection opens one of its own
            self.result.shown.update(place.kind for place in found)
            if self.sample:
                chance = random.Random(self.seed)
                found = chance.sample(found, min(self.sample, len(found)))
            self.result.tried = len(found)
            self.change(found)
        self.page.teardown()
        return True

    def places(self) -> Iterator[Place]:
        path, parsed = self.page.path, self.page.run.page
        figures = figures_of(path, Remembering.pictures_of(parsed))
        self.files |= {name: committed(path, name) for name in figures}
        return places(parsed, path.name, figures)

    def change(self, found: list[Place]) -> None:
        """One digit of each step at a time, all steps at once; then alone what none has named."""
        owned: dict[object, list[Place]] = defaultdict(list)
        for place in found:
            owned[place.owner].append(place)
        alone = owned.pop(None, [])
        while batch := [mine.pop() for mine in owned.values() if mine]:
            alone += self.unnamed(batch)
        self.result.unnoticed = [place for place in alone if not self.noticed(place)]

    def unnamed(self, batch: list[Place]) -> list[Place]:
        """The places whose own test does not fail at their line when all of them are changed."""
        with self.written(batch):
            try:
                items: dict[object, Item] = {
                    (i.step.line, getattr(i.step, "start", 0)): i for i in self.items()
                }
            except pytest.Collector.CollectError:
                return batch
            return [
                place
                for place in batch
                if f":{place.line}: " not in next(self.failures([items[place.owner]]), "")
            ]

    def noticed(self, place: Place) -> bool:
        """Whether anything that checks the page fails when this digit alone is changed."""
        with self.written([place]):
            try:
                return any(self.outside()) or any(self.failures(self.items()))
            except pytest.Collector.CollectError:
                return True

    @contextlib.contextmanager
    def written(self, batch: list[Place]) -> Iterator[None]:
        """The files with these digits changed; afterwards as they were."""
        before = {name: self.files[name].read_text("utf-8") for name in {p.file for p in batch}}
        try:
            for name, text in before.items():
                mine = [place for place in batch if place.file == name]
                self.files[name].write_text(changed(text, mine), "utf-8")
            yield
        finally:
            for name, text in before.items():
                self.files[name].write_text(text, "utf-8")

    def items(self) -> list[Item]:
        """The tests of the page as its file now is."""
        return list(self.page.collect())

    def failures(self, items: Iterable[Item]) -> Iterator[str]:
        """What those tests of a page say that fail."""
        for item in items:
            try:
                item.runtest()
            except pytest.skip.Exception:
                continue
            except Exception:
                yield item.repr_failure(pytest.ExceptionInfo.from_current()).splitlines()[0]

    def outside(self) -> Iterator[str]:
        """What the tests say that hold the page against measurements, as far as they fail."""
        for item in self.others:
            for report in runtestprotocol(item, log=False):
                if report.failed:
                    yield report.nodeid


def run(root: Path, page: str, tests: list[str], trial: Trial) -> Result:
    """Try one page in a copy of the book, in silence."""
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", str(root / "pyproject.toml")]
    said = io.StringIO()
    with contextlib.chdir(root), contextlib.redirect_stdout(said):
        code = pytest.main([*quiet, "--rootdir", str(root), page, *tests], plugins=[trial])
    if code and not trial.result.wrong:
        trial.result.wrong = said.getvalue()
    return trial.result
