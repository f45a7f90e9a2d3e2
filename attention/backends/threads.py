"""Threads of Python's that each run torch's operations alone, as many as torch may use.

Torch runs one operation by all threads and waits for the last of them; the next one likewise. Of
many small operations that is many waits, and each is long where another program wants the cores: so
a call of ours took nine times as long as torch's kernel. Here a thread goes through all operations
of one head, and waits for nobody.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from os import register_at_fork
from threading import Barrier

import torch


def each(run: Callable[[int, int], None], sequences: int, heads: int) -> None:
    """Run on each head of each sequence, several beside one another, and without gradients."""
    threads, inference = torch.get_num_threads(), torch.is_inference_mode_enabled()

    def one(at: int) -> None:
        # A thread begins in none of torch's modes.
        with torch.inference_mode(inference), torch.no_grad():
            run(at // heads, at % heads)

    many = threads > 1 and sequences * heads > 1
    for _ in (pool(threads).map if many else map)(one, range(sequences * heads)):
        pass


@cache
def pool(threads: int) -> ThreadPoolExecutor:
    """So many threads, in each of which torch uses no other."""
    made, all_there = ThreadPoolExecutor(threads, "attention", alone), Barrier(threads)
    list(made.map(lambda _: all_there.wait(), range(threads)))
    torch.set_num_threads(threads)  # what `alone` set is also torch's number for threads to come
    return made


def alone() -> None:
    """Let torch use no other thread in this one."""
    torch.get_num_threads()  # torch gives a thread its number when first asked; then it can change
    torch.set_num_threads(1)


register_at_fork(after_in_child=pool.cache_clear)  # a process that is forked has none of them
