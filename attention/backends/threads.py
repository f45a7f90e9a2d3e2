"""Threads of Python's in which torch uses no others, for many small operations.

Torch runs one operation by all threads and waits for the last of them; the next one likewise. Of
many small operations that is many waits, and each is long where another program wants the cores: so
a call of ours took nine times as long as torch's kernel. Here a thread goes through all operations
of one head, and waits for no other head. Between two of them it waits its turn to run Python.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock, local

import torch


class Own(local):
    """The threads that work for the thread that asks, as torch has some for each."""

    count = 0
    workers: ThreadPoolExecutor | None = None


own, making = Own(), Lock()


def each(run: Callable[[int, int], None], sequences: int, heads: int) -> None:
    """Run on each head of each sequence, several beside one another, and without gradients."""
    threads, inference = torch.get_num_threads(), torch.is_inference_mode_enabled()
    every = range(sequences * heads)

    def one(at: int) -> None:
        # A thread begins in none of torch's modes.
        with torch.inference_mode(inference), torch.no_grad():
            run(at // heads, at % heads)

    there = pool(threads) if threads > 1 and len(every) > 1 else None
    try:
        done = map(one, every) if there is None else there.map(one, every)
    except RuntimeError:  # when Python is about to end, it takes no more work
        done = map(one, every)
    for _ in done:
        pass


def pool(threads: int) -> ThreadPoolExecutor | None:
    """So many threads, in each of which torch uses no other; None if they cannot be started."""
    if own.count != threads:
        own.count, own.workers = threads, begin(threads)
    return own.workers


def begin(threads: int) -> ThreadPoolExecutor | None:
    made, all_there = ThreadPoolExecutor(threads, "attention", alone), Barrier(threads)
    try:
        # What a thread sets is also torch's number for threads to come. So one that comes before
        # asks for it, and puts it back: a thread that begins in that moment may keep the other.
        with making, ThreadPoolExecutor(1) as fresh:
            number = fresh.submit(torch.get_num_threads).result()
            try:
                list(made.map(lambda _: all_there.wait(), range(threads)))
            finally:
                all_there.abort()
                fresh.submit(torch.set_num_threads, number).result()
    except RuntimeError:  # there may be no more threads, or Python is about to end
        made.shutdown(wait=False)
        return None
    return made


def alone() -> None:
    """Let torch use no other thread in this one."""
    torch.get_num_threads()  # torch gives a thread its number when first asked; then it can change
    torch.set_num_threads(1)


def forked() -> None:
    """A process that is forked has none of the threads, nor the one that may hold the lock."""
    global making
    own.__dict__.clear()  # of the thread that forked: `own.__dict__` is another in each
    making = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forked)
