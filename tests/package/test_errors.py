"""Each bad call, and the one sentence that it gets."""

import math

import pytest
import torch

from attention import Causal, Mask, dot_product_attention

pytestmark = pytest.mark.untyped

Q, K, V = torch.ones(2, 8, 5, 64), torch.ones(2, 8, 6, 64), torch.ones(2, 8, 6, 32)
EXPECTED = "expected query (…, T, D), key (…, S, D) and value (…, S, E)"
GOT = "got query (2, 8, 5, 64), key {}, value {}"


class Rule(Mask):
    def __init__(self, rule) -> None:
        self.rule = rule

    def __call__(self, batch, head, query, key):
        return self.rule(query, key)


def got(key=K, value=V) -> str:
    return GOT.format(tuple(key.shape), tuple(value.shape))


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
        f"key has batch axes (1, 8) but query has (2, 8): {EXPECTED}, {got(key=K[:1])}",
    ),
    "no batch": (
        {"value": V[0, 0]},
        ValueError,
        f"value has batch axes () but query has (2, 8): {EXPECTED}, {got(value=V[0, 0])}",
    ),
    "another width": (
        {"key": K[..., :63]},
        ValueError,
        f"key has width 63 but query has 64: {EXPECTED}, {got(key=K[..., :63])}",
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
        "mask has dtype torch.float32: expected torch.bool, where True means attend",
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
        "scale is a Tensor: expected a number or None",
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
        "Rule gives NoneType: expected torch.bool, where True means attend",
    ),
    "a mask whose rule gives one row too many": (
        {"mask": Rule(lambda query, key: torch.ones(6, 6, dtype=torch.bool))},
        ValueError,
        "Rule gives shape (6, 6): expected (5, 6)",
    ),
    "a mask whose rule is elsewhere": (
        {"mask": Rule(lambda query, key: torch.ones(5, 6, dtype=torch.bool, device="meta"))},
        ValueError,
        "Rule gives a mask on meta: expected cpu",
    ),
    "an unknown backend": (
        {"backend": "flash"},
        ValueError,
        "backend 'flash' is unknown: expected one of auto, eager, loops",
    ),
    "a backend that is no name": (
        {"backend": ["eager"]},
        ValueError,
        "backend ['eager'] is unknown: expected one of auto, eager, loops",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, error, message = CASES[name]

    def reached(*arguments: object) -> None:
        raise AssertionError("a backend was reached")

    for backend in ("auto", "eager", "loops"):
        monkeypatch.setitem(dot_product_attention.__globals__["BACKENDS"], backend, reached)
    with pytest.raises(error) as raised:
        dot_product_attention(**{"query": Q, "key": K, "value": V, **change})
    assert str(raised.value) == message


def test_loops_refuse_what_has_no_values() -> None:
    with pytest.raises(ValueError, match="^backend 'loops' reads values and query is on meta: exp"):
        dot_product_attention(*torch.empty(3, 2, 4, device="meta"), backend="loops")
