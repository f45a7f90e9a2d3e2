"""Each bad call, and the one sentence that it gets."""

import math
import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils import prune
from torch.nn.utils.parametrizations import weight_norm

from attention import (
    ALiBi,
    Causal,
    Documents,
    Mask,
    MultiHeadAttention,
    Padding,
    PrefixLM,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)
from attention.backends import names

pytestmark = pytest.mark.untyped

Q, K, V = torch.ones(2, 8, 5, 64), torch.ones(2, 8, 6, 64), torch.ones(2, 8, 6, 32)
HEADS = "expected query (…, H, T, D), key (…, K, S, D) and value (…, K, S, E), H a multiple of K"
EXPECTED = "expected query (…, T, D), key (…, S, D) and value (…, S, E)"
GOT = "got query (2, 8, 5, 64), key {}, value {}"


class Rule(Mask):
    def __init__(self, rule) -> None:
        self.rule = rule

    def __call__(self, batch, head, query, key):
        return self.rule(query, key)


def nested(layout: torch.layout) -> torch.Tensor:
    with warnings.catch_warnings(action="ignore"):  # that its ways may change
        return torch.nested.nested_tensor([K[0], V[0]], layout=layout)


def got(key=K, value=V) -> str:
    return GOT.format(tuple(key.shape), tuple(value.shape))


class Texts(Mask):
    """It tells sequences apart, and does not say so."""

    def __call__(self, batch, head, query, key):
        return key < torch.tensor([4, 6])[batch]


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


class Looped(Mask):
    keys = 5

    def __init__(self) -> None:
        self.mask = self

    def __call__(self, batch, head, query, key):
        return key <= query


class Stretched(Mask):
    """What it gives as its stretches is whatever it is made with."""

    def __init__(self, stop) -> None:
        self.stop = stop

    def __call__(self, batch, head, query, key):
        return key <= query

    def intervals(self, query, keys):
        return [(0, self.stop)]


class Bare(Stretched):
    """The same, not as a pair in a list."""

    def intervals(self, query, keys):
        return self.stop


CASES = {
    "list for a tensor": (
        {"query": [[1.0]]},
        TypeError,
        "query is a list: expected a torch.Tensor",
    ),
    "integers": (
        {"key": K.long()},
        TypeError,
        "key has dtype torch.int64: expected float64, float32, float16 or bfloat16",
    ),
    "sequences of several lengths": (
        {"query": nested(torch.jagged), "key": nested(torch.jagged)},
        TypeError,
        "query is a nested tensor: expected one tensor of all sequences, with Padding or Documents "
        "as the mask",
    ),
    "sequences of several lengths, kept apart": (
        {"key": nested(torch.strided)},
        TypeError,
        "key is a nested tensor: expected one tensor of all sequences, with Padding or Documents "
        "as the mask",
    ),
    "numbers that are not 0 alone": (
        {"key": K.to_sparse()},
        TypeError,
        "key has layout torch.sparse_coo: expected torch.strided",
    ),
    "a rule that gives sequences of several lengths": (
        {"mask": Causal() & ~Rule(lambda query, key: nested(torch.strided).bool())},
        TypeError,
        "what Rule gives is a nested tensor: expected one tensor of all sequences, with Padding or "
        "Documents as the mask",
    ),
    "stretches of several lengths": (
        {"mask": Stretched(nested(torch.jagged).long()), "value": K, "backend": "spans"},
        TypeError,
        "what Stretched gives is a nested tensor: expected one tensor of all sequences, with "
        "Padding or Documents as the mask",
    ),
    "a nested bias": (
        {"bias": nested(torch.strided)},
        TypeError,
        "bias is a nested tensor: expected one tensor of all sequences, with Padding or Documents "
        "as the mask",
    ),
    "a sparse mask": (
        {"mask": torch.ones(K.shape[-2], K.shape[-2]).bool().to_sparse()},
        TypeError,
        "mask has layout torch.sparse_coo: expected torch.strided",
    ),
    "two dtypes": (
        {"value": V.double()},
        TypeError,
        "value has dtype torch.float64 but query has torch.float32: expected one dtype",
    ),
    "two devices": (
        {"key": K.to("meta")},
        ValueError,
        "key is on meta but query is on cpu: expected one device",
    ),
    "a vector": (
        {"query": Q[0, 0, 0]},
        ValueError,
        f"query has 1 axis, too few: {EXPECTED}, got query (64,), key (2, 8, 6, 64), "
        "value (2, 8, 6, 32)",
    ),
    "another batch": (
        {"key": K[:1]},
        ValueError,
        f"key has batch axes (1,) but query has (2,): {HEADS}, {got(key=K[:1])}",
    ),
    "no batch": (
        {"value": V[0]},
        ValueError,
        f"value has 3 axes but query has 4: {EXPECTED}, {got(value=V[0])}",
    ),
    "no heads": (
        {"key": K[0, 0]},
        ValueError,
        f"key has 2 axes but query has 4: {EXPECTED}, {got(key=K[0, 0])}",
    ),
    "heads and tokens swapped": (
        {"key": K.transpose(1, 2), "value": V.transpose(1, 2)},
        ValueError,
        f"key has 6 heads but query has 8: {HEADS}, "
        f"{got(key=K.transpose(1, 2), value=V.transpose(1, 2))}",
    ),
    "key heads that do not divide": (
        {"key": K[:, :3], "value": V[:, :3]},
        ValueError,
        f"key has 3 heads but query has 8: {HEADS}, {got(key=K[:, :3], value=V[:, :3])}",
    ),
    "more key heads than query heads": (
        {"query": Q[:, :4]},
        ValueError,
        f"key has 8 heads but query has 4: {HEADS}, "
        "got query (2, 4, 5, 64), key (2, 8, 6, 64), value (2, 8, 6, 32)",
    ),
    "no key head": (
        {"key": K[:, :0], "value": V[:, :0]},
        ValueError,
        f"key has 0 heads but query has 8: {HEADS}, {got(key=K[:, :0], value=V[:, :0])}",
    ),
    "no query head": (
        {"query": Q[:, :0]},
        ValueError,
        f"key has 8 heads but query has 0: {HEADS}, "
        "got query (2, 0, 5, 64), key (2, 8, 6, 64), value (2, 8, 6, 32)",
    ),
    "one value head for many key heads": (
        {"value": V[:, :1]},
        ValueError,
        f"value has 1 head but key has 8: {HEADS}, {got(value=V[:, :1])}",
    ),
    "another width": (
        {"key": K[..., :63]},
        ValueError,
        f"key has width 63 but query has 64: {EXPECTED}, {got(key=K[..., :63])}",
    ),
    "another width, of heads that share keys": (
        {"key": K[:, :4, :, :63], "value": V[:, :4]},
        ValueError,
        f"key has width 63 but query has 64: {EXPECTED}, {got(K[:, :4, :, :63], V[:, :4])}",
    ),
    "another width, of heads that share one": (
        {"query": Q[0], "key": K[0, :1, :, :63], "value": V[0, :1]},
        ValueError,
        f"key has width 63 but query has 64: {EXPECTED}, "
        "got query (8, 5, 64), key (1, 6, 63), value (1, 6, 32)",
    ),
    "a value too few": (
        {"value": V[..., :4, :]},
        ValueError,
        f"value has 4 positions but key has 6: {EXPECTED}, {got(value=V[..., :4, :])}",
    ),
    "one value": (
        {"value": V[..., :1, :]},
        ValueError,
        f"value has 1 position but key has 6: {EXPECTED}, {got(value=V[..., :1, :])}",
    ),
    "a float mask": (
        {"mask": torch.zeros(5, 6)},
        TypeError,
        "mask has dtype torch.float32: expected torch.bool, where True means attend; "
        "numbers to add to the scores are a bias, or positions in a module",
    ),
    "a mask of ones and zeros": (
        {"mask": torch.ones(5, 6, dtype=torch.int64)},
        TypeError,
        "mask has dtype torch.int64: expected torch.bool, where True means attend; "
        "numbers to add to the scores are a bias, or positions in a module",
    ),
    "a string for a mask": (
        {"mask": "causal"},
        TypeError,
        "mask is a str: expected a Mask, a boolean torch.Tensor or None",
    ),
    "the class of a mask": (
        {"mask": Causal},
        TypeError,
        "mask is the class Causal: expected an instance, Causal()",
    ),
    "a mask turned over": (
        {"mask": torch.ones(6, 5, dtype=torch.bool)},
        ValueError,
        "mask has shape (6, 5): expected (…, T, S), which broadcasts to (2, 8, 5, 6), "
        "and at least two axes",
    ),
    "a mask of keys alone": (
        {"mask": torch.ones(6, dtype=torch.bool)},
        ValueError,
        "mask has shape (6,): expected (…, T, S), which broadcasts to (2, 8, 5, 6), "
        "and at least two axes",
    ),
    "a mask with too many axes": (
        {"mask": torch.ones(1, 2, 8, 5, 6, dtype=torch.bool)},
        ValueError,
        "mask has shape (1, 2, 8, 5, 6): expected (…, T, S), which broadcasts to (2, 8, 5, 6), "
        "and at least two axes",
    ),
    "a mask elsewhere": (
        {"mask": torch.ones(5, 6, dtype=torch.bool, device="meta")},
        ValueError,
        "mask is on meta but query is on cpu: expected one device",
    ),
    "a tensor for a scale": (
        {"scale": torch.tensor(1.0)},
        TypeError,
        "scale is a Tensor: expected a number or None; multiply the query by it, with scale=1.0",
    ),
    "a yes for a scale": (
        {"scale": True},
        TypeError,
        "scale is a bool: expected a number or None",
    ),
    "a scale of nan": (
        {"scale": math.nan},
        ValueError,
        "scale is nan: expected a finite number of float32",
    ),
    "a scale that float32 cannot hold": (
        {"scale": 1e39},
        ValueError,
        "scale is 1e+39: expected a finite number of float32",
    ),
    "an integer that no float can hold": (
        {"scale": 10**400},
        ValueError,
        "scale is inf: expected a finite number of float32",
    ),
    "float8": (
        {"query": Q.to(torch.float8_e4m3fn)},
        TypeError,
        "query has dtype torch.float8_e4m3fn: expected float64, float32, float16 or bfloat16",
    ),
    "complex numbers": (
        {"query": Q.to(torch.complex64)},
        TypeError,
        "query has dtype torch.complex64: expected float64, float32, float16 or bfloat16",
    ),
    "a mask whose rule gives floats": (
        {"mask": Rule(lambda query, key: (key <= query).float())},
        TypeError,
        "Rule gives torch.float32: expected torch.bool, where True means attend",
    ),
    "a mask whose rule gives nothing": (
        {"mask": Rule(lambda query, key: None)},
        TypeError,
        "Rule gives None: expected torch.bool, where True means attend",
    ),
    "the contrary of a mask whose rule gives 1": (
        {"mask": ~Rule(lambda query, key: 1)},
        TypeError,
        "Rule gives an int: expected torch.bool, where True means attend",
    ),
    "a mask of which one rule gives floats": (
        {"mask": Causal() & Rule(lambda query, key: (key <= query).float())},
        TypeError,
        "Rule gives torch.float32: expected torch.bool, where True means attend",
    ),
    "a mask of which one rule gives nothing": (
        {"mask": Rule(lambda query, key: None) | Causal()},
        TypeError,
        "Rule gives None: expected torch.bool, where True means attend",
    ),
    "a mask of which one rule gives too few keys": (
        {"mask": Causal() & Rule(lambda query, key: torch.ones(5, dtype=torch.bool))},
        ValueError,
        "Causal gives shape (5, 6) and Rule (5,): expected shapes that broadcast",
    ),
    "a mask of which one rule gives too few queries": (
        {"mask": Causal() & Rule(lambda query, key: torch.ones(4, 6, dtype=torch.bool))},
        ValueError,
        "Causal gives shape (5, 6) and Rule (4, 6): expected shapes that broadcast",
    ),
    "a mask of which one rule gives what lies elsewhere": (
        {"mask": Causal() & Rule(lambda query, key: (key <= query).to("meta"))},
        ValueError,
        "Causal gives a mask on cpu and Rule on meta: expected one device",
    ),
    "a mask whose rule gives one row too many": (
        {"mask": Rule(lambda query, key: torch.ones(6, 6, dtype=torch.bool))},
        ValueError,
        "Rule gives shape (6, 6): expected (5, 6)",
    ),
    "a mask that does not say how many sequences it tells apart": (
        {"mask": Causal() & Texts()},
        ValueError,
        "Texts gives shape (1, 1, 1, 6): expected (5, 6); one that tells sequences or heads apart "
        "needs the property batch or heads",
    ),
    "the contrary of a rule that gives one row too many": (
        {"mask": Causal() | ~Rule(lambda query, key: torch.ones(1, 5, 6, dtype=torch.bool))},
        ValueError,
        "Rule gives shape (1, 5, 6): expected (5, 6); one that tells sequences or heads apart "
        "needs the property batch or heads",
    ),
    "the contrary of a rule that is elsewhere": (
        {"mask": ~Rule(lambda query, key: (key <= query).to("meta"))},
        ValueError,
        "Rule gives a mask on meta: expected cpu",
    ),
    "a mask whose stretches are floats": (
        {"mask": Stretched(torch.ones(5)), "value": K, "backend": "spans"},
        TypeError,
        "Stretched gives intervals of torch.float32: expected integers",
    ),
    "masks of which one has stretches of a string": (
        {"mask": Causal() & ~Stretched("a"), "value": K, "backend": "spans"},
        TypeError,
        "Stretched gives intervals of a str: expected integers",
    ),
    "masks of which one has too few stretches": (
        {
            "mask": Causal() & Stretched(torch.ones(4, dtype=torch.long)),
            "value": K,
            "backend": "spans",
        },
        ValueError,
        "Stretched gives intervals of shape (4,): expected (batch, T), (1, 5)",
    ),
    "a mask whose stretches are no tensors": (
        {"mask": Stretched(1.0), "value": K, "backend": "spans"},
        TypeError,
        "Stretched gives intervals of a float: expected integers",
    ),
    "a mask whose stretches are too few": (
        {"mask": Stretched(torch.ones(4, dtype=torch.long)), "value": K, "backend": "spans"},
        ValueError,
        "Stretched gives intervals of shape (4,): expected (batch, T), (1, 5)",
    ),
    "a mask whose stretch stands in no list": (
        {"mask": Bare((0, torch.ones(5))), "value": K, "backend": "spans"},
        TypeError,
        "Bare gives an int as an interval: expected a list of pairs, each a start and a stop",
    ),
    "a mask whose stretches are none": (
        {"mask": Bare(torch.ones(5)), "value": K, "backend": "spans"},
        TypeError,
        "Bare gives a Tensor as an interval: expected a list of pairs, each a start and a stop",
    ),
    "a mask whose stretch has three ends": (
        {"mask": Bare([(0, 1), (2, 3, 4)]), "value": K, "backend": "spans"},
        TypeError,
        "Bare gives a tuple of 3 as an interval: expected a list of pairs, each a start and a stop",
    ),
    "a mask whose rule is elsewhere": (
        {"mask": Rule(lambda query, key: torch.ones(5, 6, dtype=torch.bool, device="meta"))},
        ValueError,
        "Rule gives a mask on meta: expected cpu",
    ),
    "a padding mask as nn.MultiheadAttention takes it": (
        {"mask": torch.ones(2, 6, dtype=torch.bool)},
        ValueError,
        "mask has shape (2, 6): expected (…, T, S), which broadcasts to (2, 8, 5, 6), "
        "and at least two axes; a table of padding, (batch, S), needs [:, None, None]",
    ),
    "a padding mask where sequences have no heads": (
        {"query": Q[0], "key": K[0], "value": V[0], "mask": torch.ones(8, 6, dtype=torch.bool)},
        ValueError,
        "mask has shape (8, 6): expected (…, T, S), which broadcasts to (8, 5, 6), "
        "and at least two axes; a table of padding, (batch, S), needs [:, None]",
    ),
    "a mask for each sequence, without an axis for heads": (
        {"mask": torch.ones(2, 5, 6, dtype=torch.bool)},
        ValueError,
        "mask has shape (2, 5, 6): expected (…, T, S), which broadcasts to (2, 8, 5, 6), "
        "and at least two axes; one for each sequence, (batch, T, S), needs [:, None]",
    ),
    "a padding mask for another batch": (
        {"mask": Padding(torch.tensor([6, 6, 6]))},
        ValueError,
        "mask is for a batch of 3 but query has batch axes (2,): expected as many sequences",
    ),
    "a padding mask without a batch": (
        {"query": Q[0], "key": K[0], "value": V[0], "mask": Padding(torch.tensor([6]))},
        ValueError,
        "mask has shape (1, 1, 5, 6): expected (…, T, S), which broadcasts to (8, 5, 6), "
        "and at least two axes; query may lack an axis, that of the heads or that of the batch",
    ),
    "padding lengths elsewhere": (
        {"mask": Causal() & Padding(torch.ones(2, dtype=torch.int64, device="meta"))},
        ValueError,
        "Padding holds lengths on meta: expected cpu, as mask.to('cpu')",
    ),
    "documents of another length": (
        {"mask": Documents(torch.ones(2, 5, dtype=torch.int64)) & Causal()},
        ValueError,
        "Documents is made for 5 keys: got 6",
    ),
    "a mask that holds itself": (
        {"mask": Causal() & Looped()},
        ValueError,
        "Looped is made for 5 keys: got 6",
    ),
    "a list for a bias": (
        {"bias": [0.0]},
        TypeError,
        "bias is a list: expected a torch.Tensor or None",
    ),
    "a boolean bias": (
        {"bias": torch.ones(5, 6, dtype=torch.bool)},
        TypeError,
        "bias has dtype torch.bool: expected numbers to add; booleans are a mask",
    ),
    "a bias of another dtype": (
        {"bias": torch.ones(5, 6).double()},
        TypeError,
        "bias has dtype torch.float64 but query has torch.float32: expected one dtype",
    ),
    "a bias turned over": (
        {"bias": torch.ones(6, 5)},
        ValueError,
        "bias has shape (6, 5): expected (…, T, S), which broadcasts to (2, 8, 5, 6), "
        "and at least two axes",
    ),
    "a bias elsewhere": (
        {"bias": torch.ones(5, 6, device="meta")},
        ValueError,
        "bias is on meta but query is on cpu: expected one device",
    ),
    "a softcap of zero": (
        {"softcap": 0},
        ValueError,
        "softcap is 0: expected a number above 0, or None for no cap",
    ),
    "a negative softcap": (
        {"softcap": -30.0},
        ValueError,
        "softcap is -30: expected a number above 0, or None for no cap",
    ),
    "a string for a softcap": (
        {"softcap": "50"},
        TypeError,
        "softcap is a str: expected a number or None",
    ),
    "an endless softcap": (
        {"softcap": math.inf},
        ValueError,
        "softcap is inf: expected a finite number of float32",
    ),
    "a percentage for dropout": (
        {"dropout_p": 10},
        ValueError,
        "dropout_p is 10: expected a share of at least 0 and below 1",
    ),
    "all dropped": (
        {"dropout_p": 1.0},
        ValueError,
        "dropout_p is 1: expected a share of at least 0 and below 1",
    ),
    "a negative dropout": (
        {"dropout_p": -0.1},
        ValueError,
        "dropout_p is -0.1: expected a share of at least 0 and below 1",
    ),
    "no dropout as None": (
        {"dropout_p": None},
        TypeError,
        "dropout_p is None: expected a number",
    ),
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
    "weights by what is true": (
        {"return_weights": 1},
        TypeError,
        "return_weights is an int: expected True or False",
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
    change, error, message = CASES[name]

    def reached(*arguments: object) -> None:
        raise AssertionError("a backend was reached")

    for backend in ("eager", "fused", "loops"):
        monkeypatch.setitem(names.LOADED, backend, reached)
    with pytest.raises(error) as raised:
        dot_product_attention(**{"query": Q, "key": K, "value": V, **change})
    assert str(raised.value) == message


NUMBERS = torch.tensor([3, 2])
MASKS = {
    "no width": (
        lambda: SlidingWindow(0),
        ValueError,
        "width is 0: expected a count of at least 1",
    ),
    "no end": (
        lambda: SlidingWindow(1 << 63),
        ValueError,
        "width is 9223372036854775808: expected a count below 2 ** 63",
    ),
    "half a width": (lambda: SlidingWindow(1.5), TypeError, "width is a float: expected an int"),
    "a yes": (lambda: SlidingWindow(True), TypeError, "width is a bool: expected an int"),
    "a yes of numpy": (
        lambda: SlidingWindow(np.bool_(True)),
        TypeError,
        "width is a numpy.bool: expected an int",
    ),
    "before": (lambda: PrefixLM(-1), ValueError, "length is -1: expected a count of at least 0"),
    "a tensor": (lambda: PrefixLM(NUMBERS), TypeError, "length is a Tensor: expected an int"),
    "a list": (
        lambda: Padding([3, 2]),
        TypeError,
        "lengths is a list: expected a torch.Tensor of integers",
    ),
    "lengths of several lengths": (
        lambda: Padding(nested(torch.strided).long()),
        TypeError,
        "lengths is a nested tensor: expected one tensor of all sequences, with Padding or "
        "Documents as the mask",
    ),
    "the padding itself": (
        lambda: Padding(torch.ones(2, 5, dtype=torch.bool)),
        ValueError,
        "lengths has shape (2, 5): expected (batch,), as attention_mask.sum(dim=-1)",
    ),
    "too many axes": (
        lambda: Padding(NUMBERS[None]),
        ValueError,
        "lengths has shape (1, 2): expected (batch,), as attention_mask.sum(dim=-1)",
    ),
    "sides": (
        lambda: Padding(NUMBERS, side=np.array(["left", "right"])),
        ValueError,
        "side is array([…], dtype='<U5'): expected 'left' or 'right'",
    ),
    "another side": (
        lambda: Padding(NUMBERS, side="top"),
        ValueError,
        "side is 'top': expected 'left' or 'right'",
    ),
    "the left side before the keys are known": (
        lambda: Padding(NUMBERS, side="left")(0, 0, 1, 1),
        ValueError,
        "padding on the left ends with the keys: first tell it, over(keys)",
    ),
    "one axis": (
        lambda: Documents(NUMBERS),
        ValueError,
        "ids has shape (2,): expected (batch, S)",
    ),
    "weights": (
        lambda: Documents(NUMBERS[None] / 2),
        TypeError,
        "ids has dtype torch.float32: expected integers, as in torch.int64",
    ),
    "another number of keys": (
        lambda: Documents(NUMBERS[None]).mask_mod(3, 3),
        ValueError,
        "Documents is made for 2 keys: got 3",
    ),
    "a negative count": (
        lambda: Causal().to_tensor(1, -1),
        ValueError,
        "keys is -1: expected a count of at least 0",
    ),
    "half a count": (
        lambda: Causal().to_tensor(2.0, 2),
        TypeError,
        "queries is a float: expected an int",
    ),
    "a mask and a tensor": (
        lambda: Causal() & torch.ones(2, 2, dtype=torch.bool),
        TypeError,
        "& got a Tensor: expected a Mask on both sides; "
        "a tensor combines with to_tensor(queries, keys)",
    ),
    "a mask and a class": (
        lambda: Causal() | Padding,
        TypeError,
        "| got the class Padding: expected an instance, Padding()",
    ),
    "a mask and nothing": (
        lambda: Causal() & None,
        TypeError,
        "& got None: expected a Mask on both sides; "
        "a tensor combines with to_tensor(queries, keys)",
    ),
    "two batches": (
        lambda: Padding(NUMBERS) & Padding(torch.tensor([1, 2, 3])),
        ValueError,
        "& got masks made for batch 2 and 3: expected one",
    ),
    "two lengths": (
        lambda: Documents(NUMBERS[None]) | Documents(NUMBERS[None, :1]),
        ValueError,
        "| got masks made for keys 2 and 1: expected one",
    ),
    "no rule": (
        lambda: Mask().to_tensor(1, 1),
        NotImplementedError,
        "Mask does not define __call__",
    ),
}


@pytest.mark.parametrize("name", MASKS)
def test_a_bad_mask_gets_one_sentence(name: str) -> None:
    make, error, message = MASKS[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message


X = torch.ones(2, 5, 32)
ONE = SelfAttention(32, 8)
MANY = MultiHeadAttention(32, 4)


def theirs(**options) -> nn.MultiheadAttention:
    return nn.MultiheadAttention(32, 4, **{"batch_first": True, **options})


class Other(nn.MultiheadAttention):
    def forward(self, query, key, value):
        return value


class Own(nn.Linear):
    """Another layer, whose weights alone say too little."""


def ending(module, layer: nn.Linear):
    module.out_proj = layer
    return module


def hidden(module):
    module.query_proj = nn.Sequential(module.query_proj)
    return module


def pruned(module):
    prune.random_unstructured(module, "in_proj_weight", 0.5)
    return module


def wrapped(module):
    module.out_proj = nn.Sequential(module.out_proj)
    return module


def normed(module, name="out_proj"):
    if name == "out_proj":
        weight_norm(module.out_proj)
    else:
        weight_norm(module, name)
    return module


MODULES = {
    "no width": (
        lambda: SelfAttention(0),
        ValueError,
        "embed_dim is 0: expected a count of at least 1",
    ),
    "a head without width": (
        lambda: SelfAttention(32, 0),
        ValueError,
        "head_dim is 0: expected a count of at least 1",
    ),
    "half a head": (
        lambda: MultiHeadAttention(32, 0.5),
        TypeError,
        "num_heads is a float: expected an int",
    ),
    "5 heads for 32": (
        lambda: MultiHeadAttention(32, 5),
        ValueError,
        "embed_dim is 32 and num_heads 5: expected a multiple of num_heads, or a head_dim",
    ),
    "groups that do not come out": (
        lambda: MultiHeadAttention(32, 4, num_kv_heads=3),
        ValueError,
        "num_heads is 4 and num_kv_heads 3: expected a multiple of num_kv_heads",
    ),
    "no key head": (
        lambda: MultiHeadAttention(32, 4, num_kv_heads=0),
        ValueError,
        "num_kv_heads is 0: expected a count of at least 1",
    ),
    "all dropped": (
        lambda: MultiHeadAttention(32, 4, dropout=1.0),
        ValueError,
        "dropout is 1: expected a share of at least 0 and below 1",
    ),
    "dropout as a module": (
        lambda: SelfAttention(32, dropout=nn.Dropout(0.1)),
        TypeError,
        "dropout is a Dropout: expected a number",
    ),
    "a list for tokens": (lambda: ONE([[1.0]]), TypeError, "x is a list: expected a torch.Tensor"),
    "one token alone": (
        lambda: ONE(X[0, 0]),
        ValueError,
        "x has 1 axis: expected (…, tokens, 32), got (32,)",
    ),
    "tokens of another width": (
        lambda: MANY(X[..., :31]),
        ValueError,
        "query has width 31: expected (…, tokens, 32), got (2, 5, 31)",
    ),
    "a memory of another width": (
        lambda: MANY(X, X[..., :16]),
        ValueError,
        "key has width 16: expected (…, tokens, 32), got (2, 5, 16)",
    ),
    "token ids": (
        lambda: ONE(torch.ones(2, 5, dtype=torch.long)),
        TypeError,
        "x has dtype torch.int64: expected vectors of floating point, as nn.Embedding gives",
    ),
    "a tokenizer's mask as the key": (
        lambda: MANY(X, torch.ones(2, 5, dtype=torch.long)),
        TypeError,
        "key has dtype torch.int64: expected vectors of floating point, as nn.Embedding gives; "
        "a mask is given by its name, mask=",
    ),
    "tokens in double precision": (
        lambda: MANY(X.double()),
        TypeError,
        "query has dtype torch.float64 but the module has torch.float32: expected one dtype",
    ),
    "tokens elsewhere": (
        lambda: MANY(X.to("meta")),
        ValueError,
        "query is on meta but the module is on cpu: expected one device",
    ),
    "a memory for another batch": (
        lambda: MANY(X, X[:1]),
        ValueError,
        "key has batch axes (1,) but query has (2,): expected the same, "
        "got query (2, 5, 32) and key (1, 5, 32)",
    ),
    "a value too few": (
        lambda: MANY(X, X, X[:, :1]),
        ValueError,
        "value has 1 token but key has 5: expected as many, "
        "got key (2, 5, 32) and value (2, 1, 32)",
    ),
    "a value without a key": (
        lambda: MANY(X, value=X),
        ValueError,
        "value is given without key: expected key, or neither",
    ),
    "a bias of another shape, beside that of positions": (
        lambda: MultiHeadAttention(32, 4, positions=ALiBi())(X, bias=torch.zeros(4, 5)),
        ValueError,
        "bias has shape (4, 5): expected (…, T, S), which broadcasts to (2, 4, 5, 5), and at least "
        "two axes",
    ),
    "a bias of words, beside that of positions": (
        lambda: MultiHeadAttention(32, 4, positions=ALiBi())(X, bias="T5"),
        TypeError,
        "bias is a str: expected a torch.Tensor or None",
    ),
    "a precise bias, beside that of positions": (
        lambda: MultiHeadAttention(32, 4, positions=ALiBi())(X, bias=torch.zeros(5, 5).double()),
        TypeError,
        "bias has dtype torch.float64 but query has torch.float32: expected one dtype",
    ),
    "a mask as torch's module takes it": (
        lambda: MANY(X, mask=torch.zeros(5, 5)),
        TypeError,
        "mask has dtype torch.float32: expected torch.bool, where True means attend; "
        "numbers to add to the scores are a bias, or positions in a module",
    ),
    "the class of a mask": (
        lambda: SelfAttention(32, causal=True)(X, Causal),
        TypeError,
        "mask is the class Causal: expected an instance, Causal()",
    ),
    "not torch's module": (
        lambda: MultiHeadAttention.from_torch(nn.Linear(32, 32)),
        TypeError,
        "module is a Linear: expected nn.MultiheadAttention",
    ),
    "torch's module by another way": (
        lambda: MultiHeadAttention.from_torch(Other(32, 4, batch_first=True)),
        TypeError,
        "Other has a forward of its own: expected torch's",
    ),
    "tokens first": (
        lambda: MultiHeadAttention.from_torch(theirs(batch_first=False)),
        ValueError,
        "module has batch_first=False: expected batch_first=True, as it is here",
    ),
    "a width of its own for keys": (
        lambda: MultiHeadAttention.from_torch(theirs(kdim=16)),
        ValueError,
        "module has kdim 16 and vdim 32: expected both to be embed_dim, 32",
    ),
    "a key of its own": (
        lambda: MultiHeadAttention.from_torch(theirs(add_bias_kv=True)),
        ValueError,
        "module has add_bias_kv=True: expected False, since it adds a key of its own",
    ),
    "a key of zeros": (
        lambda: MultiHeadAttention.from_torch(theirs(add_zero_attn=True)),
        ValueError,
        "module has add_zero_attn=True: expected False, since it adds a key of its own",
    ),
    "grouped heads to torch": (
        lambda: MultiHeadAttention(32, 4, num_kv_heads=2).to_torch(),
        ValueError,
        "num_kv_heads is 2: nn.MultiheadAttention has no grouped heads, expected num_heads, 4",
    ),
    "wide heads to torch": (
        lambda: MultiHeadAttention(32, 4, head_dim=16).to_torch(),
        ValueError,
        "head_dim is 16: nn.MultiheadAttention expects embed_dim / num_heads, 32 / 4",
    ),
    "a wrapped layer from torch": (
        lambda: MultiHeadAttention.from_torch(wrapped(theirs())),
        TypeError,
        "out_proj is a Sequential: expected nn.Linear itself",
    ),
    "a wrapped layer to torch": (
        lambda: wrapped(MultiHeadAttention(32, 4)).to_torch(),
        TypeError,
        "out_proj is a Sequential: expected nn.Linear itself",
    ),
    "a computed matrix to torch": (
        lambda: normed(MultiHeadAttention(32, 4), "in_proj_weight").to_torch(),
        TypeError,
        "in_proj_weight of the module is parametrized: expected a plain nn.Parameter",
    ),
    "a computed matrix from torch": (
        lambda: MultiHeadAttention.from_torch(normed(theirs(), "in_proj_weight")),
        TypeError,
        "in_proj_weight of the module is parametrized: expected a plain nn.Parameter",
    ),
    "a pruned matrix from torch": (
        lambda: MultiHeadAttention.from_torch(pruned(theirs(bias=False))),
        TypeError,
        "the module differs by in_proj_weight, in_proj_weight_mask, in_proj_weight_orig: "
        "expected in_proj_weight, out_proj.weight",
    ),
    "a layer without a bias, to torch": (
        lambda: ending(MultiHeadAttention(32, 4), nn.Linear(32, 32, bias=False)).to_torch(),
        TypeError,
        "the module differs by out_proj.bias: "
        "expected in_proj_weight, out_proj.weight, in_proj_bias, out_proj.bias",
    ),
    "a layer of another width, to torch": (
        lambda: ending(MultiHeadAttention(32, 4), nn.Linear(32, 16)).to_torch(),
        ValueError,
        "out_proj.weight has shape (16, 32): expected (32, 32)",
    ),
    "a layer of a class of its own, from torch": (
        lambda: MultiHeadAttention.from_torch(ending(theirs(), Own(32, 32))),
        TypeError,
        "out_proj is an Own: expected nn.Linear itself",
    ),
    "a bias that is none": (
        lambda: MultiHeadAttention(32, 4, bias=None),
        TypeError,
        "bias is None: expected True or False",
    ),
    "a bias that is a number": (
        lambda: SelfAttention(32, bias=0),
        TypeError,
        "bias is an int: expected True or False",
    ),
    "a bias by a boolean of numpy": (
        lambda: SelfAttention(32, bias=np.bool_(True)),
        TypeError,
        "bias is a numpy.bool: expected True or False",
    ),
    "a mask as what says whether": (
        lambda: SelfAttention(32, causal=Causal()),
        TypeError,
        "causal is a Causal: expected True or False",
    ),
    "a mask in the place of the key": (
        lambda: MultiHeadAttention(32, 4)(torch.ones(2, 5, 32), Causal()),
        TypeError,
        "key is a Causal: expected a torch.Tensor; a mask is given by its name, mask=",
    ),
    "a tensor and a mask": (
        lambda: torch.ones(5, 5, dtype=torch.bool) & Causal(),
        TypeError,
        "& got a Tensor: expected a Mask on both sides; a tensor combines with "
        "to_tensor(queries, keys)",
    ),
    "a tensor or a mask": (
        lambda: torch.ones(5, 5, dtype=torch.bool) | Causal(),
        TypeError,
        "| got a Tensor: expected a Mask on both sides; a tensor combines with "
        "to_tensor(queries, keys)",
    ),
    "tokens of several lengths": (
        lambda: MultiHeadAttention(32, 4)(nested(torch.jagged)),
        TypeError,
        "query is a nested tensor: expected one tensor of all sequences, with Padding or Documents "
        "as the mask",
    ),
    "sparse lengths": (
        lambda: Padding(torch.tensor([1, 2]).to_sparse()),
        TypeError,
        "lengths has layout torch.sparse_coo: expected torch.strided",
    ),
    "one vector for a layer that is wrapped": (
        lambda: hidden(SelfAttention(32))(torch.ones(32)),
        ValueError,
        "x has 1 axis: expected (…, tokens, width), got (32,)",
    ),
    "sparse tokens": (
        lambda: SelfAttention(32)(torch.ones(2, 5, 32).to_sparse()),
        TypeError,
        "x has layout torch.sparse_coo: expected torch.strided",
    ),
    "a layer that is computed, to torch": (
        lambda: normed(MultiHeadAttention(32, 4)).to_torch(),
        TypeError,
        "out_proj is a ParametrizedLinear: expected nn.Linear itself",
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_bad_module_or_call_gets_one_sentence(name: str) -> None:
    make, error, message = MODULES[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message


def test_autocast_changes_no_sentence() -> None:
    with (
        torch.autocast("cpu", torch.bfloat16),
        pytest.raises(TypeError, match="^key is a list: expected a torch.Tensor$"),
    ):
        dot_product_attention(Q, [[1.0]], V)
    with (
        torch.autocast("cpu", torch.bfloat16),
        pytest.raises(TypeError, match=r"^key has dtype torch.float32 but query has torch.float64"),
    ):
        dot_product_attention(Q.double(), K.float(), V.float())


def test_the_contrary_of_a_rule_that_gives_nothing_hides_nothing_in_silence() -> None:
    with pytest.raises(TypeError, match="Rule gives None"):
        (Causal() & ~Rule(lambda query, key: None)).to_tensor(2, 2)


def test_an_array_beside_a_mask_is_named_as_a_whole() -> None:
    for both in (lambda x: x & Causal(), lambda x: Causal() & x):
        with pytest.raises(TypeError, match="^& got an ndarray: expected a Mask on both sides"):
            both(torch.eye(2, dtype=torch.bool).numpy())


@pytest.mark.parametrize("name", ["batch", "heads", "keys", "relative"])
def test_what_a_mask_says_of_itself_is_a_property(name: str) -> None:
    """A method would be true, and no count."""
    with pytest.raises(TypeError, match=f"^Said has a method {name}: expected a property$"):
        type("Said", (Mask,), {name: lambda self: 2})
    assert getattr(type("Said", (Mask,), {name: property(lambda self: 2)})(), name) == 2
    assert getattr(type("Said", (Mask,), {name: 2})(), name) == 2


def test_a_mask_in_the_place_of_a_key_is_not_taken_for_tokens() -> None:
    attend, x = MultiHeadAttention(64, 8), Q[:, 0]
    with pytest.raises(TypeError, match="expected numbers; a mask is given by its name, mask=$"):
        attend(x, torch.ones(5, 5, dtype=torch.bool))


@pytest.mark.parametrize("held", [torch.arange(64), torch.zeros(64, 128, dtype=torch.int64)])
def test_a_mask_elsewhere_is_named_however_many_scores_there_are(held: torch.Tensor) -> None:
    """Before what it holds is read."""
    x = torch.zeros(64, 4, 128, 16)
    mask = (Padding if held.ndim == 1 else Documents)(held.to("meta"))
    with pytest.raises(ValueError, match=r"on meta: expected cpu, as mask.to\('cpu'\)"):
        dot_product_attention(x, x, x, mask)
