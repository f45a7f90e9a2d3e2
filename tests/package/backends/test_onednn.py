"""Attention by products of oneDNN, a head for each thread: the same, only where it is sooner."""

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.backends import onednn as backend
from attention.backends import threads
from attention.blocks import slabs
from attention.dispatch import choice
from attention.dispatch import onednn as dispatch
from attention.dispatch.call import Call

from .exact import MASKS, SHAPES, Holes, exact, found, torchs_own

pytestmark = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="this PyTorch is built without oneDNN"
)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slabs of few queries, so that a small table has several."""
    monkeypatch.setattr(slabs, "ROWS", 70)
    monkeypatch.setattr(slabs, "LEAST_ROWS", 3)
    slabs.kept.made.clear()
    yield
    slabs.kept.made.clear()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", [*MASKS, "none"])
@pytest.mark.parametrize(("queries", "heads", "kv_heads"), SHAPES)
def test_the_same_as_all_scores_at_once(name: str, queries: int, heads: int, kv_heads: int) -> None:
    query = drawn(2, heads, queries, 16)
    key, value = drawn(2, kv_heads, 300, 16, seed=1), drawn(2, kv_heads, 300, 16, seed=2)
    mask = MASKS.get(name)
    ours = found(query, key, value, mask, "onednn")
    for one, other in zip(ours, exact(query, key, value, mask), strict=True):
        torch.testing.assert_close(one, other.float(), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("name", ["window", "documents", "prefix", "causal", "left"])
def test_no_more_than_twice_the_error_of_torch(name: str) -> None:
    """Contexts and gradients, with the rule of FlashAttention's own tests."""
    query, key, value = (drawn(2, 4, 300, 32, seed=n) for n in range(3))
    mask = MASKS[name]
    want, ours = exact(query, key, value, mask), found(query, key, value, mask, "onednn")
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        torchs = torchs_own(query, key, value, mask.to_tensor(300, 300))
    for one, other, true in zip(ours, torchs, want, strict=True):
        assert (one - true).abs().max() <= 2 * (other - true).abs().max()


@pytest.mark.parametrize(
    ("inner", "most", "parts"),
    [(1024, 1024, [1024]), (1025, 1024, [513, 512]), (300, 128, [100, 100, 100]), (0, 128, [])],
)
def test_a_long_sum_is_made_of_shorter_ones(inner: int, most: int, parts: list[int], monkeypatch):
    asked = []

    def linear(left: Tensor, right: Tensor, *others: Any) -> Tensor:
        asked.append(left.size(1))
        return left @ right.T

    monkeypatch.setattr(backend, "LINEAR", linear)
    left, right = drawn(5, inner), drawn(7, inner, seed=1)
    torch.testing.assert_close(
        backend.product(left, right, most), left @ right.T, rtol=1e-4, atol=1e-4
    )
    assert asked == parts


def test_how_long_the_sums_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(backend, "LINEAR", lambda a, b, *_: (asked.append(a.shape[1]), a @ b.T)[1])
    query, key = drawn(64, 128), drawn(256, 128, seed=1).requires_grad_()
    context = dot_product_attention(query, key, key, backend="onednn")
    assert asked == [128, 256]
    context.sum().backward()  # the weights once more, and of them four gradients
    assert asked[2:] == [128, 64, 128, 64, 256]
    asked.clear()
    query, key = drawn(65, 129), drawn(257, 129, seed=1).requires_grad_()
    context = dot_product_attention(query, key, key, backend="onednn")
    assert asked == [65, 64, 129, 128]
    context.sum().backward()
    assert asked[4:] == [65, 64, 33, 32, 65, 64, 33, 32, 129, 128]


@pytest.mark.usefixtures("small")
def test_what_takes_no_part_may_be_anything() -> None:
    """Keys that nobody sees, and queries that see nothing, among others of a slab."""
    inputs = [drawn(2, 2, 300, 16, seed=n) for n in range(3)]
    want = found(*inputs, Holes(), "onednn")
    query, key, value = (x.clone() for x in inputs)
    query[:, :, 20::64] = float("nan")
    key[:, :, 34::64], value[:, :, 34::64] = float("inf"), float("nan")
    ours = found(query, key, value, Holes(), "onednn")
    assert not ours[0][:, :, 20::64].any()
    for one, other in zip(ours, want, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("scale", [0.0, 1.0, -0.3])
def test_a_scale_that_is_given(scale: float) -> None:
    inputs = [drawn(1, 2, 100, 16, seed=n).requires_grad_() for n in range(3)]
    mask, both = Causal() & SlidingWindow(20), []
    for name in ("onednn", "eager"):
        context = dot_product_attention(*inputs, mask, scale=scale, backend=name)
        both.append([context, *torch.autograd.grad(context, inputs, context.detach().sin())])
    for one, other in zip(*both, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_strides_widths_and_missing_axes_do_not_matter() -> None:
    query, key, value = drawn(300, 3, 2, 16).permute(1, 2, 0, 3)  # as one projection gives them
    value = value[..., :7]
    mask = Causal() & SlidingWindow(40)
    want = dot_product_attention(query, key, value, mask, backend="eager")
    for inputs in (
        (query, key, value),
        tuple(x.mT.contiguous().mT for x in (query, key, value)),
        tuple(x[None, None].expand(2, 2, *x.shape) for x in (query, key, value)),
    ):
        got = dot_product_attention(*inputs, mask, backend="onednn")
        torch.testing.assert_close(got, want.expand(got.shape))
    one = dot_product_attention(query[0], key[0], value[0], mask, backend="onednn")
    torch.testing.assert_close(one, want[0])


def test_what_lies_apart_is_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rows with gaps, as modules give them, oneDNN multiplies one number at a time."""
    asked = []

    def linear(left: Tensor, right: Tensor, *others: Any) -> Tensor:
        asked.append((left.is_contiguous(), right.is_contiguous() or right.T.is_contiguous()))
        return left @ right.T

    monkeypatch.setattr(backend, "LINEAR", linear)
    together = drawn(1, 300, 3, 2, 200)  # as a projection of all three gives them
    inputs = [x.requires_grad_() for x in together.permute(2, 0, 3, 1, 4).unbind()]
    for learns in (False, True):
        with torch.set_grad_enabled(learns):
            context = dot_product_attention(*inputs, Causal(), backend="onednn")
    torch.autograd.grad(context.sin().sum(), inputs)
    assert len(asked) > 20
    assert {*asked} == {(True, True)}


@pytest.mark.parametrize("shape", [(2, 3, 0), (0, 3, 4), (2, 0, 4)])
def test_what_is_empty(shape: tuple[int, ...]) -> None:
    x = torch.ones(shape, requires_grad=True)
    for mask in (None, Causal()):
        context = dot_product_attention(x, x, x, mask, backend="onednn")
        assert context.shape == shape
        context.sum().backward()


def test_without_keys_there_are_zeros() -> None:
    query, key = drawn(2, 3, 4), torch.ones(2, 0, 4)
    for mask in (None, SlidingWindow(2)):
        assert not dot_product_attention(query, key, key, mask, backend="onednn").any()


TWICE = "twice: expected backend eager, tiled or loops"


def test_a_second_derivative_names_a_backend_that_has_one() -> None:
    query = drawn(1, 2, 64, 8).requires_grad_()
    context = dot_product_attention(query, query, query, backend="onednn")
    of_context = torch.ones_like(context).requires_grad_()
    (grad,) = torch.autograd.grad(context, query, of_context, create_graph=True)
    for leaf in (query, of_context):
        with pytest.raises(RuntimeError, match=TWICE):
            torch.autograd.grad(grad.sum(), leaf, retain_graph=True)


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("mask", [None, PrefixLM(512)], ids=repr)
def test_sums_over_many_keys_err_no_more_than_twice_as_much(mask: Mask | None, shift: float):
    """Also of values that do not average 0, whose sums grow large on their way."""
    query, key, value = (drawn(1, 2, 1024, 64, seed=n) for n in range(3))
    value = value + shift
    want = exact(query, key, value, mask)
    keep = torch.ones(1024, 1024, dtype=torch.bool) if mask is None else mask.to_tensor(1024, 1024)
    ours = found(query, key, value, mask, "onednn")
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        torchs = torchs_own(query, key, value, keep)
    off = [
        [(x - true).norm() for x, true in zip(each, want, strict=True)] for each in (ours, torchs)
    ]
    for one, other in list(zip(*off, strict=True))[:3]:
        assert one <= 1.5 * other
    most = [(x[3] - want[3]).abs().max() for x in (ours, torchs)]  # of the values' gradients
    assert most[0] <= 2 * most[1]


@pytest.mark.parametrize("name", ["causal", "window", "documents"])
def test_what_is_hidden_moves_no_bit(name: str) -> None:
    """However large it is: neither contexts nor gradients of those who cannot hear it."""
    documents = Documents(torch.arange(300)[None] // 200)
    mask = {"causal": Causal(), "window": SlidingWindow(40), "documents": documents}[name]
    mask = Causal() & mask
    inputs = [drawn(1, 2, 300, 64, seed=n) for n in range(3)]
    reach = 200 if name == "documents" else 250  # who stands before hears nothing of what comes
    before = found(*inputs, mask, "onednn")
    inputs[1][..., 250:, :] += 100
    inputs[2][..., 250:, :] = 1e30
    context, of_query, *_ = found(*inputs, mask, "onednn")
    for one, other in zip((context, of_query), before[:2], strict=True):
        assert torch.equal(one[..., :reach, :], other[..., :reach, :])
        assert not torch.equal(one[..., 250:, :], other[..., 250:, :])


@pytest.mark.parametrize("threads", [1, 2])
def test_many_gradients_at_once(threads: int) -> None:
    torch.set_num_threads(threads)
    x = drawn(1, 2, 300, 8).requires_grad_()
    out = dot_product_attention(x, x, x, Causal(), backend="onednn")
    several = drawn(2, *out.shape, seed=1)
    (got,) = torch.autograd.grad(out, x, several, is_grads_batched=True, retain_graph=True)
    for one, want in zip(got, several, strict=True):
        torch.testing.assert_close(one, torch.autograd.grad(out, x, want, retain_graph=True)[0])


class OfHeads(Mask):
    heads = 2

    def __call__(self, batch, head, query, key):
        return key >= head

    def __repr__(self) -> str:
        return "OfHeads()"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"return_weights": True}, "does not return weights: expected eager"),
        ({"softcap": 1.0}, "has no softcap: expected eager or tiled"),
        ({"bias": torch.zeros(1, 1)}, "has no bias: expected fused or tiled"),
        ({"dropout_p": 0.1}, "has no dropout: expected eager or fused"),
        ({"mask": torch.ones(3, 3, dtype=torch.bool)},
         "needs a Mask and mask is a Tensor: expected fused or tiled"),
        ({"mask": Documents(torch.tensor([[0, 1, 0]]))},
         "takes 6 stretches of keys a query at most, and Documents(ids=tensor([…])) gives "
         "none, or more: expected fused or tiled"),
        ({"mask": OfHeads()},
         "has one plan for all heads, and OfHeads() tells them apart: expected fused or tiled"),
    ],
)  # fmt: skip
def test_what_it_refuses(given: dict, why: str) -> None:
    x = drawn(1, 2, 3, 4)
    with pytest.raises(ValueError, match="^" + re.escape("backend 'onednn' " + why) + "$"):
        dot_product_attention(x, x, x, **given, backend="onednn")


def test_elsewhere_and_without_values() -> None:
    x = drawn(1, 2, 3, 4)
    for given, why in (
        (x.to("meta"), "is for the CPU: expected fused"),
        (x.double(), "takes float32 and query has torch.float64: expected fused"),
    ):
        with pytest.raises(ValueError, match=f"^backend 'onednn' {re.escape(why)}$"):
            dot_product_attention(given, given, given, backend="onednn")
    why = "backend 'onednn' plans with values, which are not there yet: expected fused"
    with FakeTensorMode():
        like = torch.empty(1, 2, 3, 4)
        with pytest.raises(ValueError, match=f"^{why}$"):
            dot_product_attention(like, like, like, Causal(), backend="onednn")


# Threads

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


# Slabs


def shapes(mask: Mask | None, queries: int, keys: int) -> list[tuple[int, ...]]:
    """Of each slab of the last sequence, its rows and keys, and its edges."""
    made = slabs.slabs(mask, queries, keys)
    assert made is not None
    return [
        (s.rows.start, s.rows.stop, s.columns.start, s.columns.stop)
        + tuple((edge.start, edge.stop) for edge, _ in s.edges)
        for s in made.parts[-1][2]
    ]


def test_slabs_have_the_keys_that_are_seen_and_hide_the_rest() -> None:
    first, second = (0, 256), (256, 512)
    assert shapes(None, 512, 512) == [(*first, 0, 512), (*second, 0, 512)]
    assert shapes(Causal(), 512, 512) == [(*first, 0, 256, (1, 256)), (*second, 0, 512, (257, 512))]
    window = Causal() & SlidingWindow(300)
    left, right = (0, 212), (257, 512)
    assert shapes(window, 512, 512) == [(*first, 0, 256, (1, 256)), (*second, 0, 512, left, right)]
    narrow = Causal() & SlidingWindow(200)
    assert shapes(narrow, 512, 512)[1] == (*second, 57, 512, (0, 455))  # no key is seen by all
    texts = Documents(torch.arange(512)[None] // 256)
    assert shapes(texts, 512, 512) == [(*first, 0, 256), (*second, 256, 512)]
    # A prefix is two stretches, one behind the other: what all see between them is not hidden.
    assert shapes(PrefixLM(100), 512, 512)[1] == (*second, 0, 512, (257, 512))
    # The last query sees nothing.
    assert shapes(~Causal(), 256, 256) == [(*first, 1, 256, (0, 254))]


def test_with_many_keys_slabs_have_fewer_queries() -> None:
    assert len(shapes(None, 512, 8192)) == 2
    assert len(shapes(None, 512, 16384)) == 4
    assert len(shapes(None, 512, 1 << 20)) == 8
    assert len(shapes(Causal() & SlidingWindow(9), 512, 1 << 20)) == 2
    # By the widest row; and one that sees nothing is of no width.
    assert len(shapes(Causal(), 512, 16384)) == 4
    assert len(shapes(Padding(torch.tensor([9])), 512, 16384)) == 2
    assert len(shapes(Causal() & Padding(torch.tensor([9]), side="left"), 512, 16384)) == 2


def test_slabs_are_kept_for_an_equal_mask() -> None:
    assert slabs.slabs(Causal(), 300, 300) is slabs.slabs(Causal(), 300, 300)
    made = slabs.slabs(Causal(), 300, 300)
    assert made is not None
    assert made.nbytes == 4 * (256 * 255 + 44 * 43)


def test_equal_tables_are_one() -> None:
    made = slabs.slabs(Causal() & SlidingWindow(300), 2048, 2048)
    assert made is not None
    tables = [table for *_, part in made.parts for slab in part for _, table in slab.edges]
    assert len({id(table) for table in tables}) <= 4 < len(tables)
    assert made.nbytes < 4 * 256 * 256 * 4


def test_of_too_many_tables_there_are_none() -> None:
    assert slabs.slabs(Causal(), 256, 256, 256 * 255) is not None
    assert slabs.slabs(Causal(), 256, 256, 256 * 255 - 1) is None


def test_what_is_hidden_is_of_single_precision() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        made = slabs.make(Causal(), 10, 10)
    finally:
        torch.set_default_dtype(torch.float32)
    assert made is not None
    assert made.parts[0][2][0].edges[0][1].dtype is torch.float32


# What auto takes


@pytest.fixture
def sooner(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """As on two threads of a processor where MKL is narrow: the backend that auto takes."""
    monkeypatch.setattr("attention.processor.narrow_mkl", lambda: True)
    monkeypatch.setattr(dispatch, "narrow_mkl", lambda: True)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)

    def taken(queries=2048, keys=2048, width=64, heads=8, kv=8, wide=None, **given: Any) -> str:
        like = {
            "dtype": given.pop("dtype", torch.float32),
            "requires_grad": given.pop("grad", False),
        }
        query = torch.zeros(1, heads, queries, width, **like)
        key, value = (torch.zeros(1, kv, keys, w, **like) for w in (width, wide or width))
        return choice.auto(Call(query, key, value, **given))[0]

    return taken


WINDOW = Causal() & SlidingWindow(256)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "onednn"),
        ({"mask": Causal()}, "onednn"),
        ({"mask": WINDOW}, "spans"),
        ({"mask": PrefixLM(512), "queries": 4096, "keys": 4096}, "onednn"),
        ({"mask": Padding(torch.tensor([1280]))}, "onednn"),
        ({"mask": Causal() & Documents(torch.arange(8192)[None] // 1024), "queries": 8192,
          "keys": 8192}, "onednn"),
        ({"queries": 1024, "keys": 1024}, "fused"),  # the threads cost more
        ({"queries": 1024, "keys": 1024, "grad": True}, "onednn"),  # of a longer call
        ({"queries": 1024, "keys": 1024, "heads": 32, "width": 128}, "onednn"),
        ({"queries": 16, "keys": 8192}, "fused"),
        ({"width": 63}, "fused"),
        ({"width": 129}, "fused"),
        ({"wide": 128}, "fused"),
        ({"kv": 1}, "fused"),  # one head is for one thread
        ({"heads": 9, "kv": 9}, "fused"),
        ({"dtype": torch.bfloat16}, "fused"),
        ({"mask": torch.ones(2048, 2048, dtype=torch.bool)}, "fused"),
        ({"mask": Documents(torch.arange(2048)[None] % 2)}, "fused"),  # no stretches
        ({"bias": torch.zeros(1, 1)}, "fused"),
        ({"softcap": 1.0}, "tiled"),
        ({"dropout_p": 0.1}, "eager"),
    ],
)  # fmt: skip
def test_auto_takes_it_only_where_it_can_and_gains(sooner, given: dict, name: str) -> None:
    assert sooner(**given) == name


def test_auto_takes_it_on_no_other_processor(sooner, monkeypatch) -> None:
    monkeypatch.setattr("attention.processor.narrow_mkl", lambda: False)
    assert sooner() == "fused"


@pytest.mark.parametrize(("threads", "name"), [(1, "onednn"), (8, "onednn"), (16, "fused")])
def test_of_many_threads_python_runs_one_at_a_time(sooner, threads, name, monkeypatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    assert sooner(heads=16, kv=16) == name


def test_the_usual_call_comes_to_it_too(sooner, monkeypatch) -> None:
    """A call without a mask goes straight to torch's kernel where it has few scores."""
    asked = []

    def counted(call: Call) -> None:
        asked.append(call.scores)

    monkeypatch.setattr(dispatch, "plan", counted)
    for tokens in (1023, 1024):
        x = torch.zeros(1, 8, tokens, 1)
        dot_product_attention(x, x, x)
    assert asked == [1 << 23]


def test_without_onednn_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    x = drawn(2, 3, 4)
    with pytest.raises(ValueError, match="needs oneDNN, without which this PyTorch was built: exp"):
        dot_product_attention(x, x, x, backend="onednn")


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
