"""python -m literate break [--sample N] [PAGE …]: digits changed, and what nobody noticed.

Without pages, those that changed since they were last broken. What came is kept in `found.json`
beside this file: how many digits of each kind a page shows, keyed by what they depend on.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

from literate.breaking import pardons
from literate.breaking.sources import FOUND, code, copy, outside, pages, text
from literate.breaking.trial import Result, Trial, run
from literate.pages.edits import write

Found = dict[str, dict[str, Any]]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m literate break", description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="only so many digits of each page")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    options = parser.parse_args(arguments)
    if unknown := set(options.pages) - set(pages()):
        print(f"no page of the book: {min(unknown)}; expected one as {pages()[0]}", file=sys.stderr)
        return 2
    came = tried(options.pages or stale(), options.sample)
    return int(sum(told(page, result, options.sample) for page, result in came) > 0)


def told(page: str, result: Result, sample: int) -> int:
    """Print what became of a page, and keep it if it is complete; how much is wrong."""
    left, listed = pardons.sift(page, result.unnoticed)
    wrong = [f"{page}: fails unchanged: {result.wrong}"] if result.wrong else []
    wrong += [
        f"{place.file}:{place.line}: nobody notices {place.old} → {place.new}: {place.words!r}"
        for place in left
    ]
    if not sample and not result.wrong:
        wrong += [
            f"pardons.toml: {words!r} pardons nothing of {page}"
            for words in pardons.strays(page, result.unnoticed)
        ]
    print(
        f"{page}: {result.tried} digits, {len(left)} unnoticed, {listed} listed",
        *wrong,
        sep="\n  ",
        flush=True,
    )
    if not sample and not wrong:
        keep(page, result, listed)
    return len(wrong)


def tried(chosen: list[str], sample: int) -> Iterator[tuple[str, Result]]:
    """Each page with its trial, as soon as it ends: two at a time, those with most to run first.

    Each in a process of its own: the tests of two pages import modules of the same names.
    """
    apart = get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=apart, max_tasks_per_child=1) as pool:
        running = {pool.submit(one, page, sample): page for page in pages() if page in chosen}
        for ended in as_completed(running):
            yield running[ended], ended.result()


def one(page: str, sample: int) -> Result:
    """Break one page; a sample is another one with each change of its sources."""
    with copy() as root:
        return run(root, page, outside(page), Trial(sample, seed=code() + text(page)))


def found() -> Found:
    return json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}


def stale() -> list[str]:
    """The pages whose text, figures, or checks are not those that were broken."""
    known, now = found(), code()
    return [
        page
        for page in pages()
        if (known.get(page, {}).get("code"), known.get(page, {}).get("text")) != (now, text(page))
    ]


def keep(page: str, result: Result, listed: int) -> None:
    entry = {"code": code(), "text": text(page), "digits": dict(sorted(result.shown.items()))}
    entry |= {"listed": listed}
    known = {name: known for name, known in found().items() if name in pages()}
    new = dict(sorted({**known, page: entry}.items()))
    write(FOUND, json.dumps(new, indent=1) + "\n")
