"""Each bad module or call of one, and the one sentence that it gets."""

import numpy as np
import pytest
import torch
from torch import nn

from attention import ALiBi, Causal, MultiHeadAttention, Padding, SelfAttention

from .bad_calls import Q, nested

pytestmark = pytest.mark.untyped

X = torch.ones(2, 5, 32)
ONE = SelfAttention(32, 8)
MANY = MultiHeadAttention(32, 4)


def hidden(module):
    module.query_proj = nn.Sequential(module.query_proj)
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
}


@pytest.mark.parametrize("name", MODULES)
def test_a_bad_module_or_call_gets_one_sentence(name: str) -> None:
    make, error, message = MODULES[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message


def test_a_mask_in_the_place_of_a_key_is_not_taken_for_tokens() -> None:
    attend, x = MultiHeadAttention(64, 8), Q[:, 0]
    with pytest.raises(TypeError, match="expected numbers; a mask is given by its name, mask=$"):
        attend(x, torch.ones(5, 5, dtype=torch.bool))
