"""Our GPU kernels at the edges: nothing to see, nothing there, odd strides, and the same bits."""

import math

import pytest
import torch
from interpreter import DEVICE, backend, small_tiles
from torch._subclasses.fake_tensor import FakeTensorMode

from attention import (
    Causal,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.dispatch import choice, kernels, saving
from attention.dispatch.call import Call

# Not under jaxtyping's hook: it wraps each function of the package, and Triton's interpreter then
# looks for what a kernel calls in the wrong place. test_triton_launch.py checks the annotations.
pytestmark = [pytest.mark.slow, pytest.mark.untyped]
HALF = {"dtype": torch.float16, "device": DEVICE}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    small_tiles(monkeypatch)
    torch.manual_seed(0)


def found(*inputs: torch.Tensor, **given) -> list[torch.Tensor]:
    inputs = tuple(x.detach().requires_grad_() for x in inputs)
    context = dot_product_attention(*inputs, **{"backend": "triton", **given})
    return [context, *torch.autograd.grad(context, inputs, context.detach().sin())]


@pytest.mark.parametrize("queries", [40, 1])
def test_what_nobody_sees_may_be_anything(queries: int) -> None:
    """NaN in padding, before a window, and in queries that see nothing: not one gets out."""
    query = torch.randn(2, 2, queries, 64, **HALF)
    key, value = torch.randn(2, 2, 2, 50, 64, **HALF)
    lengths = torch.tensor([50, 5], device=DEVICE)  # the window of most queries lies beyond 5
    mask = Causal() & SlidingWindow(8) & Padding(lengths)
    want = found(query, key, value, mask=mask)
    keep = mask.to_tensor(queries, 50, device=DEVICE)
    idle, unread = ~keep.any(dim=-1), ~keep.any(dim=-2)
    assert idle.any()
    assert unread.any()
    query = query.masked_fill(idle[..., None], math.nan)
    key = key.masked_fill(unread[..., None], math.nan)
    value = value.masked_fill(unread[..., None], math.inf)
    got = found(query, key, value, mask=mask)
    assert not got[0].masked_select(idle[..., None]).any()
    assert not got[1].masked_select(idle[..., None]).any()
    assert not got[2].masked_select(unread[..., None]).any()
    for one, other in zip(got, want, strict=True):
        assert torch.equal(one, other)
    inputs = [x.requires_grad_() for x in (query, key, value)]
    context = dot_product_attention(*inputs, mask=mask, backend="triton")
    some = context.detach().sin().masked_fill(idle[..., None], math.nan)
    for one, other in zip(torch.autograd.grad(context, inputs, some), got[1:], strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(("queries", "keys"), [(0, 3), (2, 0), (20, 0), (0, 0)])
def test_nothing_to_attend_to(queries: int, keys: int) -> None:
    got = found(*(torch.ones(2, 1, n, 64, **HALF) for n in (queries, keys, keys)))
    assert got[0].shape == (2, 1, queries, 64)
    assert not any(tensor.any() for tensor in got)


def test_the_same_bits_twice() -> None:
    for queries in (40, 2):
        query = torch.randn(1, 2, queries, 64, **HALF)
        key, value = torch.randn(2, 1, 1, 50, 64, **HALF)
        once, again = (found(query, key, value, mask=Causal()) for _ in range(2))
        assert all(torch.equal(one, other) for one, other in zip(once, again, strict=True))


def test_strides_and_missing_axes_do_not_matter() -> None:
    wide = torch.randn(40, 3, 2, 64, **HALF)  # as a projection of all three gives it
    query, key, value = wide.permute(1, 2, 0, 3)
    want = found(query.contiguous(), key.contiguous(), value.contiguous(), mask=Causal())
    for inputs in (
        (query, key, value),
        tuple(x.mT.contiguous().mT for x in (query, key, value)),
        tuple(x.repeat_interleave(2, dim=-1)[..., ::2] for x in (query, key, value)),
        tuple(x[None, None] for x in (query, key, value)),
    ):
        for one, other in zip(found(*inputs, mask=Causal()), want, strict=True):
            assert torch.equal(one.view_as(other), other)
    one = dot_product_attention(query[0], key[0], value[0], Causal(), backend="triton")
    assert torch.equal(one, want[0][0])


@pytest.mark.parametrize("scale", [-0.3, 0.0, 1e-50, -1e-50])  # float32 takes the last two for 0
def test_a_scale_not_above_zero(scale: float) -> None:
    inputs = [torch.randn(1, 2, 20, 64, **HALF) for _ in range(3)]
    ours = found(*inputs, mask=Causal(), scale=scale)
    true = found(*inputs, mask=Causal(), scale=scale, backend="eager")
    for one, other in zip(ours, true, strict=True):
        torch.testing.assert_close(one, other, rtol=4e-3, atol=4e-3)


@pytest.mark.parametrize("queries", [20, 1])
def test_large_scores_do_not_overflow(queries: int) -> None:
    # Powers of 2: a GPU scales and lowers in one multiply-add, and of other scores above 2^31 what
    # the scaled maximum was rounded by would be a power that overflows.
    query = torch.full((1, 1, queries, 64), 2.0**15, **HALF)
    key = torch.full((1, 1, 20, 64), 2.0**15, **HALF)
    value = torch.ones(1, 1, 20, 64, **HALF)
    got = dot_product_attention(query, key, value, backend="triton")
    assert torch.equal(got, torch.ones_like(got))


def test_a_second_derivative_names_a_backend_that_has_one() -> None:
    query = torch.randn(1, 1, 20, 64, **HALF).requires_grad_()
    context = dot_product_attention(query, query, query, backend="triton")
    (grad,) = torch.autograd.grad(context.sum(), query, create_graph=True)
    with pytest.raises(RuntimeError, match="twice: expected backend eager, tiled or loops"):
        torch.autograd.grad(grad.sum(), query)


X = torch.zeros(1, 1, 3, 64, **HALF)
REFUSED = {
    "weights": ({"return_weights": True}, "does not return weights: expected eager"),
    "a softcap": ({"softcap": 2.0}, "has no softcap: expected eager or tiled"),
    "dropout": ({"dropout_p": 0.1}, "has no dropout: expected eager or fused"),
    "a tensor": (
        {"mask": torch.ones(3, 3, dtype=torch.bool, device=DEVICE)},
        "needs a Mask and mask is a Tensor: expected fused or tiled",
    ),
    "two stretches": (
        {"mask": PrefixLM(1)},
        "knows a window and one stretch of keys for each sequence, and not PrefixLM(length=1): "
        "expected fused or tiled",
    ),
    "float32": (
        {"query": X.float(), "key": X.float(), "value": X.float()},
        "takes float16 and bfloat16 and query has torch.float32: expected fused",
    ),
    "a width": (
        {"query": X[..., :7], "key": X[..., :7], "value": X[..., :7]},
        "takes heads of width 64, 128, 256 and query has 7: expected fused",
    ),
    "narrow values": (
        {"value": X[..., :7]},
        "takes values as wide as keys: expected fused or tiled",
    ),
    "elsewhere": (
        {"query": X.to("meta"), "key": X.to("meta"), "value": X.to("meta")},
        "is for NVIDIA GPUs and query is on meta: expected fused",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_they_cannot_do_names_what_can(name: str) -> None:
    given, message = REFUSED[name]
    call = {"query": X, "key": X, "value": X, **given}
    with pytest.raises(ValueError, match="^backend 'triton' ") as error:
        dot_product_attention(**call, backend="triton")
    assert str(error.value) == f"backend 'triton' {message}"


def test_without_triton_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "INSTALLED", False)
    with pytest.raises(ValueError, match="not installed .for Linux: pip install triton.: expected"):
        dot_product_attention(X, X, X, backend="triton")


def test_not_for_a_cpu_that_interprets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "INTERPRETED", False)
    x = X.cpu()
    with pytest.raises(ValueError, match="is for NVIDIA GPUs and query is on cpu: expected fused"):
        dot_product_attention(x, x, x, backend="triton")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"mask": Causal() & SlidingWindow(64)}, "triton"),
        ({"queries": 512}, "triton"),  # lower-right causal
        ({}, "fused"),  # torch knows the square one
        ({"mask": SlidingWindow(5000)}, "fused"),  # leaves out nothing
        ({"queries": 1, "heads": 256, "mask": Causal() & SlidingWindow(64)}, "fused"),  # a slice
        ({"mask": PrefixLM(8)}, "fused"),
        ({"queries": 512, "dtype": torch.float32}, "fused"),
        ({"queries": 512, "width": 32}, "fused"),
        ({"queries": 512, "capability": (7, 5)}, "fused"),
    ],
)
def test_auto_takes_them_only_where_torch_would_need_a_tensor(
    given: dict, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On tensors that only say they are on a GPU."""
    call = {
        "queries": 1024, "heads": 2, "width": 64, "mask": Causal(), "dtype": torch.bfloat16,
        "capability": (9, 0), **given,
    }  # fmt: skip
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: call["capability"])
    monkeypatch.setattr(saving, "traced", lambda: False)  # as if they held something
    heads, width = call["heads"], call["width"]
    with FakeTensorMode():
        query = torch.zeros(1, heads, call["queries"], width, dtype=call["dtype"], device="cuda")
        key = torch.zeros(1, heads, 1024, width, dtype=call["dtype"], device="cuda")
        taken, _ = choice.auto(Call(query, key, key, call["mask"]))
    assert taken == name


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_rows_that_overlap(which: int, axis: int) -> None:
    """Each begins one number after the last, in its head or in the head before.

    Torch lays out no copy of them in the same order.
    """
    inputs = list(torch.randn(3, 1, 20, 20, 64, **HALF))
    apart = torch.randn(1, 20, 83, **HALF).unfold(-1, 64, 1)  # (1, 20, 20, 64)
    inputs[which] = apart if axis == 2 else apart.transpose(1, 2)
    assert torch.empty_like(inputs[which]).stride(-1) != 1
    want = found(*(x.contiguous() for x in inputs), mask=Causal())
    for one, other in zip(found(*inputs, mask=Causal()), want, strict=True):
        assert torch.equal(one, other)
