"""Each bad way to tell positions, and the one sentence that it gets."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from attention import ALiBi, Causal, MultiHeadAttention, Padding, Rotary, sinusoidal
from attention.positions.alibi import slopes

pytestmark = pytest.mark.untyped

X, AT = torch.ones(2, 5, 12), torch.arange(5)
ROTATED = MultiHeadAttention(12, 3, positions=Rotary())
NORMED = {"qk_norm": True}


def padded(count: int, **where) -> Causal:
    return Causal() & Padding(torch.ones(count, dtype=torch.int64, **where), side="left")


CASES = {
    "sparse tokens": (
        lambda: Rotary().rotate(torch.ones(5, 4).to_sparse(), AT),
        TypeError,
        "x has layout torch.sparse_coo: expected torch.strided",
    ),
    "a base of zero": (lambda: Rotary(base=0), ValueError, "base is 0: expected a number above 0"),
    "an endless base": (
        lambda: Rotary(base=math.inf),
        ValueError,
        "base is inf: expected a finite number of float32",
    ),
    "a string for a base": (
        lambda: Rotary(base="10000"),
        TypeError,
        "base is a str: expected a number",
    ),
    "three numbers that turn": (
        lambda: Rotary(width=3),
        ValueError,
        "width is 3: expected an even count, since numbers turn in pairs",
    ),
    "nothing that turns": (
        lambda: Rotary(width=0),
        ValueError,
        "width is 0: expected a count of at least 2",
    ),
    "a share that turns": (
        lambda: Rotary(width=0.25),
        TypeError,
        "width is a float: expected an int",
    ),
    "layouts": (
        lambda: Rotary(layout=torch.ones(2)),
        ValueError,
        "layout is tensor([…]): expected 'half' or 'interleaved'",
    ),
    "another layout": (
        lambda: Rotary(layout="neox"),
        ValueError,
        "layout is 'neox': expected 'half' or 'interleaved'",
    ),
    "more that turns than there is": (
        lambda: MultiHeadAttention(12, 3, positions=Rotary(width=6)),
        ValueError,
        "head_dim is 4: expected the width that turns, 6, or more",
    ),
    "odd heads": (
        lambda: MultiHeadAttention(12, 4, positions=Rotary()),
        ValueError,
        "head_dim is 3: expected an even count, since numbers turn in pairs",
    ),
    "odd heads to rotate": (
        lambda: Rotary().rotate(torch.ones(5, 3), AT),
        ValueError,
        "head_dim is 3: expected an even count, since numbers turn in pairs",
    ),
    "a name for positions": (
        lambda: MultiHeadAttention(12, 3, positions="rotary"),
        TypeError,
        "positions is a str: expected Rotary(), ALiBi(), Positions of your own or None",
    ),
    "the class of positions": (
        lambda: MultiHeadAttention(12, 3, positions=ALiBi),
        TypeError,
        "positions is the class ALiBi: expected an instance, ALiBi()",
    ),
    "a norm of zero": (
        lambda: MultiHeadAttention(12, 3, qk_norm=0.0),
        ValueError,
        "qk_norm is 0: expected a number above 0",
    ),
    "a norm as a module": (
        lambda: MultiHeadAttention(12, 3, qk_norm=nn.RMSNorm(4)),
        TypeError,
        "qk_norm is an RMSNorm: expected True, False, or a float such as 1e-6",
    ),
    "a negative softcap": (
        lambda: MultiHeadAttention(12, 3, softcap=-1),
        ValueError,
        "softcap is -1: expected a number above 0, or None for no cap",
    ),
    "a scale of nan": (
        lambda: MultiHeadAttention(12, 3, scale=math.nan),
        ValueError,
        "scale is nan: expected a finite number of float32",
    ),
    "padding for another batch": (
        lambda: ROTATED(X, mask=padded(3)),
        ValueError,
        "mask is for a batch of 3 but query has batch axes (2,): expected as many sequences",
    ),
    "padding without a batch": (
        lambda: ROTATED(X[0], mask=padded(1)),
        ValueError,
        "mask is for a batch of 1 but query has batch axes (): expected as many sequences",
    ),
    "padding elsewhere": (
        lambda: ROTATED(X, mask=padded(2, device="meta")),
        ValueError,
        "mask holds lengths on meta but query is on cpu: expected one device",
    ),
    "a count of positions": (
        lambda: sinusoidal(5, 4),
        TypeError,
        "at is an int: expected a torch.Tensor of integers",
    ),
    "positions between positions": (
        lambda: sinusoidal(AT + 0.5, 4),
        TypeError,
        "at has dtype torch.float32: expected integers, as in torch.int64",
    ),
    "waves in integers": (
        lambda: sinusoidal(AT, 4, dtype=torch.int64),
        TypeError,
        "dtype is torch.int64: expected one of floating point, as torch.float32",
    ),
    "turned integers": (
        lambda: Rotary().rotate(torch.ones(3, 4, dtype=torch.int64), AT),
        TypeError,
        "x has dtype torch.int64: expected a torch.Tensor of float64, float32, float16 or bfloat16",
    ),
    "turned words": (
        lambda: Rotary().rotate(["light"], AT),
        TypeError,
        "x is a list: expected a torch.Tensor of float64, float32, float16 or bfloat16",
    ),
    "turned without tokens": (
        lambda: Rotary().rotate(torch.ones(4), AT[0]),
        ValueError,
        "x has 1 axis, too few: expected (…, T, D)",
    ),
    "turned without axes": (
        lambda: Rotary().rotate(torch.tensor(1.0), AT[0]),
        ValueError,
        "x has 0 axes, too few: expected (…, T, D)",
    ),
    "turned by a number": (
        lambda: Rotary().rotate(torch.ones(3, 4), 5),
        TypeError,
        "at is an int: expected a torch.Tensor of integers",
    ),
    "positions elsewhere": (
        lambda: Rotary().rotate(torch.ones(5, 4), AT.to("meta")),
        ValueError,
        "at is on meta but x is on cpu: expected one device",
    ),
    "positions of sequences, without heads": (
        lambda: Rotary().rotate(torch.ones(2, 6, 5, 4), torch.ones(2, 5, dtype=torch.int64)),
        ValueError,
        "at has shape (2, 5): expected one that broadcasts to (2, 6, 5), the axes of x "
        "(2, 6, 5, 4) but the last; with heads, (batch, 1, T)",
    ),
    "more positions than axes": (
        lambda: Rotary().rotate(torch.ones(5, 4), torch.ones(2, 5, dtype=torch.int64)),
        ValueError,
        "at has shape (2, 5): expected one that broadcasts to (5,), the axes of x (5, 4) but the "
        "last; with heads, (batch, 1, T)",
    ),
    "a norm of one": (
        lambda: MultiHeadAttention(12, 3, qk_norm=1),
        TypeError,
        "qk_norm is 1: expected True, False, or a float such as 1e-6",
    ),
    "a norm of numpy's one": (
        lambda: MultiHeadAttention(12, 3, qk_norm=np.int64(1)),
        TypeError,
        "qk_norm is 1: expected True, False, or a float such as 1e-6",
    ),
    "an odd wave": (
        lambda: sinusoidal(AT, 5),
        ValueError,
        "width is 5: expected an even count, since numbers turn in pairs",
    ),
    "a wave without a base": (
        lambda: sinusoidal(AT, 4, base=-1),
        ValueError,
        "base is -1: expected a number above 0",
    ),
    "no slope": (lambda: slopes(0), ValueError, "heads is 0: expected a count of at least 1"),
    "half a slope": (lambda: slopes(0.5), TypeError, "heads is a float: expected an int"),
    "positions to torch": (
        lambda: ROTATED.to_torch(),
        ValueError,
        "the module has positions: nn.MultiheadAttention has none",
    ),
    "norms to torch": (
        lambda: MultiHeadAttention(12, 3, **NORMED).to_torch(),
        ValueError,
        "the module has qk_norm: nn.MultiheadAttention has none",
    ),
    "a cap to torch": (
        lambda: MultiHeadAttention(12, 3, softcap=50.0).to_torch(),
        ValueError,
        "the module has softcap: nn.MultiheadAttention has none",
    ),
    "a scale to torch": (
        lambda: MultiHeadAttention(12, 3, scale=1.0).to_torch(),
        ValueError,
        "the module has scale: nn.MultiheadAttention has none",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_positions_get_one_sentence(name: str) -> None:
    make, error, message = CASES[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message
