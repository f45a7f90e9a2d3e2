"""Where products of oneDNN are sooner and taken, and where they cannot be."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.dispatch import choice
from attention.dispatch import onednn as dispatch
from attention.dispatch.call import Call

from .built import needs_onednn
from .exact import drawn

pytestmark = needs_onednn

TWICE = "twice: expected backend eager, tiled or loops"


def test_a_second_derivative_names_a_backend_that_has_one() -> None:
    query = drawn(1, 2, 64, 8).requires_grad_()
    context = dot_product_attention(query, query, query, backend="onednn")
    of_context = torch.ones_like(context).requires_grad_()
    (grad,) = torch.autograd.grad(context, query, of_context, create_graph=True)
    for leaf in (query, of_context):
        with pytest.raises(RuntimeError, match=TWICE):
            torch.autograd.grad(grad.sum(), leaf, retain_graph=True)


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
