"""Each call that its backend does not take, and the one sentence that it gets."""

import pytest
import torch

from attention import Causal, Documents, Mask, Padding

from .bad_calls import K, Q, V, said

pytestmark = pytest.mark.untyped


class Odd(Mask):
    def __call__(self, batch, head, query, key):
        return key % 2 == 1

    def __repr__(self) -> str:
        return "Odd()"


class OfHeads(Mask):
    heads = 8

    def __call__(self, batch, head, query, key):
        return key >= head

    def __repr__(self) -> str:
        return "OfHeads()"


CASES = {
    "weights from the kernel": (
        {"backend": "fused", "return_weights": True},
        ValueError,
        "backend 'fused' does not return weights: expected eager",
    ),
    "a softcap in the kernel": (
        {"backend": "fused", "softcap": 50.0},
        ValueError,
        "backend 'fused' has no softcap: expected eager or tiled",
    ),
    "loops without values": (
        {"backend": "loops", "query": Q.to("meta"), "key": K.to("meta"), "value": V.to("meta")},
        ValueError,
        "backend 'loops' reads values and query is on meta: expected eager",
    ),
    "weights from tiles": (
        {"backend": "tiled", "return_weights": True},
        ValueError,
        "backend 'tiled' does not return weights: expected eager",
    ),
    "dropout in tiles": (
        {"backend": "tiled", "dropout_p": 0.1},
        ValueError,
        "backend 'tiled' has no dropout: expected eager or fused",
    ),
    "weights from blocks": (
        {"backend": "spans", "return_weights": True},
        ValueError,
        "backend 'spans' does not return weights: expected eager",
    ),
    "a softcap in blocks": (
        {"backend": "spans", "softcap": 50.0},
        ValueError,
        "backend 'spans' has no softcap: expected eager or tiled",
    ),
    "a bias in blocks": (
        {"backend": "spans", "bias": torch.zeros(1, 1)},
        ValueError,
        "backend 'spans' has no bias: expected fused or tiled",
    ),
    "dropout in blocks": (
        {"backend": "spans", "dropout_p": 0.1},
        ValueError,
        "backend 'spans' has no dropout: expected eager or fused",
    ),
    "oneDNN in double precision": (
        {"backend": "onednn", "query": Q.double(), "key": K.double(), "value": V.double()},
        ValueError,
        "backend 'onednn' takes float32 and query has torch.float64: expected fused",
    ),
    "blocks elsewhere": (
        {"backend": "spans", "query": Q.to("meta"), "key": K.to("meta"), "value": V.to("meta")},
        ValueError,
        "backend 'spans' is for the CPU: expected fused",
    ),
    "blocks without a mask": (
        {"backend": "spans", "value": K},
        ValueError,
        "backend 'spans' needs a Mask and mask is None: expected fused or tiled",
    ),
    "blocks of a tensor": (
        {"backend": "spans", "value": K, "mask": torch.ones(1, 1, dtype=torch.bool)},
        ValueError,
        "backend 'spans' needs a Mask and mask is a Tensor: expected fused or tiled",
    ),
    "blocks of a rule without stretches": (
        {"backend": "spans", "value": K, "mask": Documents(torch.tensor([[0, 1, 0, 0, 0, 0]]))},
        ValueError,
        "backend 'spans' takes 6 stretches of keys a query at most, and "
        "Documents(ids=tensor([…])) gives none, or more: expected fused or tiled",
    ),
    "blocks of such a rule on three axes": (
        {"backend": "spans", "query": Q[0], "key": K[0], "value": K[0], "mask": Causal() & Odd()},
        ValueError,
        "backend 'spans' takes 6 stretches of keys a query at most, and (Causal() & Odd()) gives "
        "none, or more: expected fused or tiled",
    ),
    "blocks of a mask of each head": (
        {"backend": "spans", "value": K, "mask": OfHeads()},
        ValueError,
        "backend 'spans' has one plan for all heads, and OfHeads() tells them apart: expected "
        "fused or tiled",
    ),
    "blocks of sequences on five axes": (
        {
            "backend": "spans",
            "query": Q[None],
            "key": K[None],
            "value": K[None],
            "mask": Padding(torch.tensor([4, 6])),
        },
        ValueError,
        "backend 'spans' tells sequences apart on four axes, batch, heads, T and D, and query has "
        "5: expected fused or tiled",
    ),
    "tiles of another batch": (
        {"backend": "tiled", "mask": Padding(torch.tensor([1, 1, 1, 1, 1]))},
        ValueError,
        "mask is for a batch of 5 but query has batch axes (2,): expected as many sequences",
    ),
    "an unknown backend": (
        {"backend": "flash"},
        ValueError,
        "backend 'flash' is unknown: expected one of auto, eager, fused, loops, onednn, "
        "spans, tiled, triton",
    ),
    "a backend that is no name": (
        {"backend": ["eager"]},
        ValueError,
        "backend ['eager'] is unknown: expected one of auto, eager, fused, loops, onednn, "
        "spans, tiled, triton",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, error, message = CASES[name]
    assert said(given, error, monkeypatch) == message
