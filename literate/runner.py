"""The pytest plugin, on pytest-markdown-docs: every block and every checked number is a test."""

import random
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule, MarkdownTextFile

from literate.items.alone import TritonItem
from literate.items.base import Item, Run, Whole
from literate.items.blocks import BlockItem, ExerciseItem, SourceItem
from literate.items.numbers import CheckItem, TableItem
from literate.items.whole import GuardItem, RecordItem
from literate.pages.edits import apply, numbers
from literate.pages.page import Page, PageError
from literate.pages.prose import Check
from literate.pages.tables import Table
from literate.running import docstrings, settings
from literate.running.exercises import exercises
from literate.running.module import Module

REWRITTEN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-docs",
        action="store_true",
        help="rewrite the outputs, numbers and figures of the pages that differ",
    )

    parser.addoption(
        "--update-spread",
        action="store_true",
        help="record how far the numbers of the pages are from the recorded ones, on other code",
    )
    parser.addoption(
        "--shuffle-pages",
        type=int,
        metavar="SEED",
        help="run the pages in another order: none may need what another left behind",
    )
    parser.addini("records", "the folder of the records of the pages; none if it is not set")


def pytest_configure(config: pytest.Config) -> None:
    settings.prepare()
    config.addinivalue_line("markers", "slow: takes long; make quick leaves it out")
    if config.getoption("--update-docs") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update-docs rewrites files: run it without -n")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Pages in the order of a seed; the blocks of a page follow one another."""
    docstrings.use(items)
    seed = config.getoption("--shuffle-pages")
    if seed is not None:
        paths = sorted({item.path for item in items})
        random.Random(seed).shuffle(paths)
        items.sort(key=lambda item: paths.index(item.path))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    """Pages are ours; the examples of docstrings are doctests."""
    collectors = yield
    return [
        LiteratePage.from_parent(parent, path=file_path)
        if isinstance(collector, MarkdownTextFile)
        else collector
        for collector in collectors
        if not isinstance(collector, MarkdownDocstringCodeModule)
    ]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in terminalreporter.config.stash.get(REWRITTEN, []):
        terminalreporter.write_line(line)


class LiteratePage(MarkdownTextFile):
    """A page as a file of tests, which share one module."""

    module = Module

    def collect(self) -> Generator[Item, Any, None]:
        root, path = self.config.rootpath, self.path
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        try:
            page = Page.read(path, shown)
            tasks = {line: task for task in exercises(page) for line in task.lines}
        except PageError as error:
            raise self.CollectError(str(error)) from None
        self.run = run = Run(page, self.module(page))
        for step in page.steps:
            if isinstance(step, Check):
                yield CheckItem.make(self, run, step)
            elif isinstance(step, Table):
                yield TableItem.make(self, run, step)
            elif "source" in step.kinds:
                yield SourceItem.make(self, run, step)
            elif "triton" in step.kinds:
                item = TritonItem.make(self, run, step)
                item.add_marker("slow")
                yield item
            elif task := tasks.get(step.line):
                yield ExerciseItem.make(self, run, step, task)
            elif not step.kinds & {"check", "notest"}:
                yield BlockItem.make(self, run, step)
        yield GuardItem.make(self, run, Whole("guards"))
        if self.config.getini("records"):
            yield RecordItem.make(self, run, Whole("record"))

    def teardown(self) -> None:
        """Rewrite the page once, after its last test; what it set is not for the tests after it."""
        settings.reset()
        run = self.run
        run.module.space.close()
        if run.edits and (count := apply(self.path, run.page, run.edits)):
            said = self.config.stash.setdefault(REWRITTEN, [])
            said.append(f"{run.page.path}: rewrote {count} place{'s' * (count > 1)}")
            said += numbers(run.page, run.edits)
        run.edits.clear()
