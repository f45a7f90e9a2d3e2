"""A head for each thread of oneDNN's products."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import pytest
import torch

from attention import Causal, dot_product_attention
from attention.backends import threads

from .built import needs_onednn
from .exact import drawn, found

pytestmark = needs_onednn

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture
def two():
    """As many threads as two heads need; the fixture of all tests puts one back."""
    torch.set_num_threads(2)


@pytest.mark.usefixtures("two")
def test_in_threads_the_same_bits() -> None:
    inputs = [drawn(2, 3, 200, 16, seed=n) for n in range(3)]
    several = found(*inputs, Causal(), "onednn")
    torch.set_num_threads(1)
    for one, other in zip(found(*inputs, Causal(), "onednn"), several, strict=True):
        assert torch.equal(one, other)


@pytest.mark.usefixtures("two")
def test_each_thread_has_one_of_torchs_and_no_other_does() -> None:
    seen, meet = set(), Barrier(2)

    def look(sequence: int, head: int) -> None:
        meet.wait(60)
        seen.add((sequence, head, torch.get_num_threads(), torch.is_grad_enabled()))

    with ThreadPoolExecutor(1) as fresh:
        before = fresh.submit(torch.get_num_threads).result(60)
    threads.own.count = 0  # as if none had begun
    threads.each(look, 1, 2)
    assert seen == {(0, 0, 1, False), (0, 1, 1, False)}
    assert torch.get_num_threads() == 2
    with ThreadPoolExecutor(1) as fresh:  # a thread that is begun afterwards
        assert fresh.submit(torch.get_num_threads).result(60) == before


def test_each_caller_has_threads_of_its_own() -> None:
    def begun() -> object:
        torch.set_num_threads(2)
        threads.each(lambda *_: None, 1, 2)
        return threads.own.workers

    with ThreadPoolExecutor(2) as callers:
        first, second = callers.map(lambda _: begun(), range(2))
    assert None not in (first, second)


@pytest.mark.usefixtures("two")
def test_where_no_thread_can_begin_the_caller_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(ThreadPoolExecutor, "submit", full)
    done: list[tuple[int, ...]] = []
    for count in (0, 2):  # none has begun; or they have, and Python is about to end
        threads.own.count, threads.own.workers = count, ThreadPoolExecutor(2)
        threads.each(lambda *at: done.append(at), 2, 2)
    assert done == [(0, 0), (0, 1), (1, 0), (1, 1)] * 2
    threads.own.count = 0


@pytest.mark.usefixtures("two")
def test_an_error_in_a_thread_reaches_the_caller() -> None:
    def fail(sequence: int, head: int) -> None:
        raise KeyError(head)

    with pytest.raises(KeyError):
        threads.each(fail, 1, 2)


@forks
@pytest.mark.usefixtures("two")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_forked_begins_its_own_threads() -> None:
    threads.each(lambda *_: None, 1, 2)
    child = os.fork()
    if child == 0:
        done = []
        try:
            threads.each(lambda *at: done.append(at), 1, 2)  # by those of its parent, for ever
        finally:
            os._exit(0 if sorted(done) == [(0, 0), (0, 1)] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@forks
@pytest.mark.usefixtures("two")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_so_does_one_that_another_thread_forks() -> None:
    """Each thread has workers of its own: its child has them too, and they are dead."""
    codes = []

    def fork() -> None:
        threads.each(lambda *_: None, 1, 2)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = int(threads.own.count != 0)
            finally:
                os._exit(code)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    other = Thread(target=fork)
    other.start()
    other.join()
    assert codes == [0]


@pytest.mark.usefixtures("two")
def test_inference_mode() -> None:
    x = drawn(1, 2, 50, 16)
    with torch.inference_mode():
        context = dot_product_attention(x, x, x, Causal(), backend="onednn")
    assert context.is_inference()
    torch.testing.assert_close(context, dot_product_attention(x, x, x, Causal()))


@forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_that_is_forked_while_threads_are_made_makes_its_own() -> None:
    """Whoever held the lock is not there."""
    with threads.making:
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if threads.making.acquire(timeout=5) else 1)
            finally:
                os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
