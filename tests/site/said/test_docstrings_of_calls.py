"""What the docstrings of `dot_product_attention` say, and of its dropout in a module."""

import copy
from typing import Any

import pytest
import torch
from sentences import Cases, fails, is_so, saying
from torch import Tensor

from attention import SelfAttention, dot_product_attention

NAN, INF = float("nan"), float("inf")
Q, K, V = torch.randn(3, 1, 4, 8, generator=torch.Generator().manual_seed(0)).double()
FUNCTION = "functional.dot_product_attention"
CASES: Cases = {}
says = saying(CASES)


def weights(mask: Any = None, **more: Any) -> Tensor:
    return dot_product_attention(Q, K, V, mask, return_weights=True, **more)[1]


@says(FUNCTION, "`True` means *attend*")
def _() -> bool:
    keep = torch.tensor([[True, False, False, False]]).expand(4, 4)
    return bool((weights(keep)[..., 0] == 1).all())


@says(FUNCTION, "A query that may attend to nothing gets a context of zeros, weights of zero")
def _() -> bool:
    both = dot_product_attention(Q, K, V, torch.zeros(4, 4).bool(), return_weights=True)
    return not any(part.any() for part in both)


@says(FUNCTION, "Keys and values that no query may attend to can hold anything.")
def _() -> bool:
    value = V.clone()
    value[:, 0] = NAN
    hidden = torch.tensor([[False, True, True, True]]).expand(4, 4)
    return bool(dot_product_attention(Q, K, value, hidden).isfinite().all())


@says(FUNCTION, "NaN in what a query sees makes its context NaN")
def _() -> bool:
    value = V.clone()
    value[:, 0] = NAN
    return bool(dot_product_attention(Q, K, value).isnan().all())


@says(FUNCTION, "−∞ masks")
def _() -> bool:
    bias = torch.zeros(4, 4).double()
    bias[:, 0] = -INF
    return not weights(bias=bias)[..., 0].any()


@says(FUNCTION, "The largest score in size, before the bias")
def _() -> bool:
    bias = torch.zeros(4, 4).double()
    bias[:, 0] = 9
    capped = weights(softcap=2.0, scale=1e6).log()
    raised = weights(softcap=2.0, scale=1e6, bias=bias).log()
    far = (capped[..., 1:] - capped[..., :1]).abs().max()
    shift = (raised - raised[..., 1:2] - capped + capped[..., 1:2])[..., 0]
    return bool(3.9 < far <= 4.0001) and bool((shift - 9).abs().max() < 1e-6)


@says(FUNCTION, "Unlike a module's, it is always on", "those that were used, after dropout")
@says("self_attention.SelfAttention", "Dropout is on the weights, and only in training.")
def _() -> bool:
    module, x = SelfAttention(8, dropout=0.5).double(), torch.randn(1, 9, 8).double()
    training, still = (f(x, return_weights=True)[1] for f in (module, copy.deepcopy(module).eval()))
    dropped = weights(dropout_p=0.5)
    return bool((dropped == 0).any() and (training == 0).any() and not (still == 0).any())


@says(FUNCTION, "To differentiate twice, name `tiled`, `eager` or `loops`.")
def _() -> bool:
    def twice(backend: Any) -> None:
        x = Q.clone().requires_grad_()
        out = dot_product_attention(x, K, V, backend=backend).sum()
        (once,) = torch.autograd.grad(out, x, create_graph=True)
        torch.autograd.grad(once.sum(), x)

    return fails(lambda: twice("fused")) and not any(
        fails(lambda name=name: twice(name)) for name in ("tiled", "eager", "loops")
    )


@pytest.mark.parametrize(("name", "words"), CASES)
def test_a_sentence_is_so(name: str, words: str) -> None:
    is_so(name, words, CASES[name, words])
