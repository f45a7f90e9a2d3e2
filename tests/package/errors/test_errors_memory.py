"""Each bad memory or call with one, and the one sentence that it gets."""

import pytest
import torch

from attention import Memory, MultiHeadAttention, Rotary

from .bad_caches import ATTEND, FIRST, KEY, VALUE, X, elsewhere

pytestmark = pytest.mark.untyped

CASES = {
    "a value beside a memory": (
        lambda: ATTEND(X, ATTEND.remember(X), X),
        ValueError,
        "value is given with a Memory: expected none, since it holds the values",
    ),
    "a memory of another batch": (
        lambda: ATTEND(X[:1], ATTEND.remember(X)),
        ValueError,
        "memory has keys with batch axes (2,): expected (1,), as query has",
    ),
    "a memory of another module": (
        lambda: ATTEND(X, MultiHeadAttention(12, 6).remember(X)),
        ValueError,
        "memory has keys of 6 heads of width 2: expected 3 of width 2, as this module's remember "
        "makes it",
    ),
    "a memory for a module with positions": (
        lambda: MultiHeadAttention(12, 6, num_kv_heads=3, positions=Rotary())(
            X, ATTEND.remember(X)
        ),
        ValueError,
        "positions is Rotary(base=10000.0, width=None, layout='half'): expected None to remember "
        "another sequence, from which there is no distance",
    ),
    "a memory with positions": (
        lambda: MultiHeadAttention(12, 6, positions=Rotary()).remember(X),
        ValueError,
        "positions is Rotary(base=10000.0, width=None, layout='half'): expected None to remember "
        "another sequence, from which there is no distance",
    ),
    "a memory of values for fewer sequences": (
        lambda: ATTEND.remember(X, X[:1]),
        ValueError,
        "value has batch axes (1,) but key has (2,): expected the same, "
        "got key (2, 6, 12) and value (1, 6, 12)",
    ),
    "a memory of words": (
        lambda: ATTEND.remember(["light"]),
        TypeError,
        "key is a list: expected a torch.Tensor",
    ),
    "a memory of wider values": (
        lambda: ATTEND(X, Memory(KEY[..., :2], VALUE)),
        ValueError,
        "memory has values of 3 heads of width 5: expected 3 of width 2, as this module's remember "
        "makes it",
    ),
    "a memory without heads": (
        lambda: Memory(KEY[0, 0], VALUE[0, 0]),
        ValueError,
        "key and value do not go together: expected key (…, K, T, D) and value (…, K, T, E), got "
        f"key {tuple(KEY[0, 0].shape)} and value {tuple(VALUE[0, 0].shape)}",
    ),
    "a memory of numbers": (
        lambda: Memory(3, 4),
        TypeError,
        "key is an int: expected a torch.Tensor",
    ),
    "a memory of others": (
        lambda: Memory(KEY, VALUE).reorder(torch.tensor([0, 5])),
        ValueError,
        "index goes from 0 to 5: expected 0 to 1, the sequences of the memory",
    ),
    "a memory elsewhere": (
        lambda: Memory(KEY, VALUE).reorder(elsewhere(FIRST)),
        ValueError,
        "index is on meta but the memory is on cpu: expected one device",
    ),
    "a memory without a batch": (
        lambda: Memory(KEY[0], VALUE[0]).reorder(FIRST),
        ValueError,
        "memory holds one sequence, without a batch axis: expected a batch to reorder",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_cache_or_call_gets_one_sentence(name: str) -> None:
    make, error, message = CASES[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message
