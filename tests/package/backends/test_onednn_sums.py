"""Sums over many numbers, as oneDNN is given them."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention import Causal, Mask, PrefixLM, dot_product_attention
from attention.backends import onednn as backend

from .built import needs_onednn
from .exact import drawn, exact, found, torchs_own

pytestmark = needs_onednn


@pytest.mark.parametrize(
    ("inner", "most", "parts"),
    [(1024, 1024, [1024]), (1025, 1024, [513, 512]), (300, 128, [100, 100, 100]), (0, 128, [])],
)
def test_a_long_sum_is_made_of_shorter_ones(inner: int, most: int, parts: list[int], monkeypatch):
    asked = []

    def linear(left: Tensor, right: Tensor, *others: Any) -> Tensor:
        asked.append(left.size(1))
        return left @ right.T

    monkeypatch.setattr(backend, "LINEAR", linear)
    left, right = drawn(5, inner), drawn(7, inner, seed=1)
    torch.testing.assert_close(
        backend.product(left, right, most), left @ right.T, rtol=1e-4, atol=1e-4
    )
    assert asked == parts


def test_how_long_the_sums_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(backend, "LINEAR", lambda a, b, *_: (asked.append(a.shape[1]), a @ b.T)[1])
    query, key = drawn(64, 128), drawn(256, 128, seed=1).requires_grad_()
    context = dot_product_attention(query, key, key, backend="onednn")
    assert asked == [128, 256]
    context.sum().backward()  # the weights once more, and of them four gradients
    assert asked[2:] == [128, 64, 128, 64, 256]
    asked.clear()
    query, key = drawn(65, 129), drawn(257, 129, seed=1).requires_grad_()
    context = dot_product_attention(query, key, key, backend="onednn")
    assert asked == [65, 64, 129, 128]
    context.sum().backward()
    assert asked[4:] == [65, 64, 33, 32, 65, 64, 33, 32, 129, 128]


def test_what_lies_apart_is_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rows with gaps, as modules give them, oneDNN multiplies one number at a time."""
    asked = []

    def linear(left: Tensor, right: Tensor, *others: Any) -> Tensor:
        asked.append((left.is_contiguous(), right.is_contiguous() or right.T.is_contiguous()))
        return left @ right.T

    monkeypatch.setattr(backend, "LINEAR", linear)
    together = drawn(1, 300, 3, 2, 200)  # as a projection of all three gives them
    inputs = [x.requires_grad_() for x in together.permute(2, 0, 3, 1, 4).unbind()]
    for learns in (False, True):
        with torch.set_grad_enabled(learns):
            context = dot_product_attention(*inputs, Causal(), backend="onednn")
    torch.autograd.grad(context.sin().sum(), inputs)
    assert len(asked) > 20
    assert {*asked} == {(True, True)}


@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("mask", [None, PrefixLM(512)], ids=repr)
def test_sums_over_many_keys_err_no_more_than_twice_as_much(mask: Mask | None, shift: float):
    """Also of values that do not average 0, whose sums grow large on their way."""
    query, key, value = (drawn(1, 2, 1024, 64, seed=n) for n in range(3))
    value = value + shift
    want = exact(query, key, value, mask)
    keep = torch.ones(1024, 1024, dtype=torch.bool) if mask is None else mask.to_tensor(1024, 1024)
    ours = found(query, key, value, mask, "onednn")
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        torchs = torchs_own(query, key, value, keep)
    off = [
        [(x - true).norm() for x, true in zip(each, want, strict=True)] for each in (ours, torchs)
    ]
    for one, other in list(zip(*off, strict=True))[:3]:
        assert one <= 1.5 * other
    most = [(x[3] - want[3]).abs().max() for x in (ours, torchs)]  # of the values' gradients
    assert most[0] <= 2 * most[1]
