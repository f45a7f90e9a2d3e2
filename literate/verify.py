"""The book on the reader's own machine: what it runs on, how much holds, and what differs.

python -m literate verify                 # README.md and all of docs
python -m literate verify docs/speed      # a part of it
"""

import argparse
import os
import platform
from collections import Counter
from pathlib import Path

import pytest

OURS = [
    "--override-ini", "addopts=-p literate.runner --markdown-docs",
    "--continue-on-collection-errors", "-p", "no:terminal",
]  # fmt: skip


class Report:
    """Says of each page how much of it held, and keeps what did not."""

    def __init__(self) -> None:
        self.page = ""
        self.here: Counter[str] = Counter()  # by outcome: of the page that is running
        self.all: Counter[str] = Counter()
        self.differs: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:  # a page that cannot be read
            self.differs.append(str(report.longrepr))
            self.all["failed"] += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.passed:
            return
        page = report.nodeid.partition("::")[0]
        if page != self.page:
            self.close()
            self.page = page
        self.here[report.outcome] += 1
        if report.failed:
            self.differs.append(report.longreprtext)

    def close(self) -> None:
        """One line for the page that has ended."""
        if self.here:
            held, of = self.here["passed"], self.here.total()
            left = f", {self.here['skipped']} not run" if self.here["skipped"] else ""
            print(f"{self.page}: {held} of {of} hold{left}", flush=True)
        self.all += self.here
        self.here = Counter()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate verify")
    parser.add_argument("pages", nargs="*", metavar="PAGE", default=["README.md", "docs"])
    pages = parser.parse_args(arguments).pages
    if missing := [page for page in pages if not Path(page).exists()]:
        parser.error(f"no page or folder {missing[0]}")
    print(machine())
    report = Report()
    ended = pytest.main([*OURS, f"--rootdir={root(pages)}", *pages], plugins=[report])
    report.close()
    if not report.all:
        parser.error(f"no page in {', '.join(pages)}")
    for found in report.differs:
        print(f"\n{found}")
    held, of, skipped = report.all["passed"], report.all.total(), report.all["skipped"]
    print(f"\n{held} of {of} hold, {len(report.differs)} differ, {skipped} were not run")
    return int(ended)


def root(pages: list[str]) -> Path:
    """What the pages are named from: where the command is run, or else what holds them all."""
    paths = [Path(page).resolve() for page in pages]
    folder = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in paths]))
    return Path.cwd() if folder.is_relative_to(Path.cwd()) else folder


def machine() -> str:
    """What the numbers depend on."""
    import torch

    code = torch.backends.cpu.get_cpu_capability()
    return (
        f"Python {platform.python_version()}, torch {torch.__version__}, {platform.system()} "
        f"{platform.machine()} ({code}), {torch.get_num_threads()} threads"
    )
