"""Each mask that does not fit its call, and the one sentence that it gets."""

import pytest
import torch

from attention import Causal, Documents, Mask, Padding, dot_product_attention

from .bad_calls import K, Q, V, said

pytestmark = pytest.mark.untyped


class Looped(Mask):
    keys = 5

    def __init__(self) -> None:
        self.mask = self

    def __call__(self, batch, head, query, key):
        return key <= query


CASES = {
    "a sparse mask": (
        {"mask": torch.ones(K.shape[-2], K.shape[-2]).bool().to_sparse()},
        TypeError,
        "mask has layout torch.sparse_coo: expected torch.strided",
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
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given, error, message = CASES[name]
    assert said(given, error, monkeypatch) == message


@pytest.mark.parametrize("held", [torch.arange(64), torch.zeros(64, 128, dtype=torch.int64)])
def test_a_mask_elsewhere_is_named_however_many_scores_there_are(held: torch.Tensor) -> None:
    """Before what it holds is read."""
    x = torch.zeros(64, 4, 128, 16)
    mask = (Padding if held.ndim == 1 else Documents)(held.to("meta"))
    with pytest.raises(ValueError, match=r"on meta: expected cpu, as mask.to\('cpu'\)"):
        dot_product_attention(x, x, x, mask)
