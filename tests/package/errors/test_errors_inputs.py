"""Each bad query, key or value, and the one sentence that it gets."""

import pytest
import torch

from attention import dot_product_attention

from .bad_calls import K, Q, V, nested, said

pytestmark = pytest.mark.untyped

HEADS = "expected query (…, H, T, D), key (…, K, S, D) and value (…, K, S, E), H a multiple of K"
EXPECTED = "expected query (…, T, D), key (…, S, D) and value (…, S, E)"
GOT = "got query (2, 8, 5, 64), key {}, value {}"


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
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, error, message = CASES[name]
    assert said(given, error, monkeypatch) == message


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
