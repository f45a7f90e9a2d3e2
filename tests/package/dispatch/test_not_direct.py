"""What the direct way does not take finds its way as ever, or is told what is wrong."""

import pytest
import torch

from attention import Causal, Mask, Padding, SlidingWindow, dot_product_attention
from attention.dispatch import direct

from .usual import MASKS, draw, given


@pytest.mark.untyped
@pytest.mark.parametrize("mask", [None, Causal(), Causal() & SlidingWindow(4)])
def test_vectors_alone_are_refused(mask: Mask | None) -> None:
    x = draw(20)
    with pytest.raises(ValueError, match="query has 1 axis, too few"):
        dot_product_attention(x, x, x, mask)


@pytest.mark.untyped
def test_what_only_looks_like_a_tensor_is_refused() -> None:
    class Alike:
        shape, dtype, device, is_cpu = torch.Size((2, 3, 20, 8)), torch.float32, "cpu", True

        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return torch.zeros(2, 3, 20, 8)

    x = given((2, 3, 20, 8), (2, 3, 20, 8))
    for mask in (None, Causal(), MASKS["window"]):
        dot_product_attention(*x, mask)
        with pytest.raises(TypeError, match="query is an Alike: expected a torch.Tensor"):
            dot_product_attention(Alike(), *x[1:], mask)


@pytest.mark.parametrize("name", ["none", "causal", "prefix"])
def test_who_differentiates_twice_is_told_who_could(name: str, slow) -> None:
    query, key, value = given((2, 3, 20, 8), (2, 3, 20, 8))
    query.requires_grad_()
    mask = MASKS[name]
    dot_product_attention(query, key, value, mask)  # what it finds is kept for the next
    before = len(slow)
    context = dot_product_attention(query, key, value, mask)
    assert len(slow) == before
    [grad] = torch.autograd.grad(context.square().sum(), query, create_graph=True)
    with pytest.raises(RuntimeError, match="cannot be differentiated twice"):
        grad.square().sum().backward()


def test_a_call_that_fails_fails_once(monkeypatch) -> None:
    calls = []

    def full(*arguments, **options):
        calls.append(arguments)
        raise RuntimeError("out of memory")

    monkeypatch.setattr(direct, "scaled_dot_product_attention", full)
    with pytest.raises(RuntimeError, match="out of memory"):
        dot_product_attention(*given((2, 3, 20, 8), (2, 3, 20, 8)))
    assert len(calls) == 1


@pytest.mark.untyped
@pytest.mark.parametrize("mask", [None, Causal(), Causal() & SlidingWindow(4)])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_what_does_not_go_together_is_told_as_ever(at: int, mask: Mask | None) -> None:
    x = given((2, 3, 20, 8), (2, 3, 20, 8))
    dot_product_attention(*x, mask)  # a call that is right, and kept
    wrong = {
        "dtype": x[at].double(),
        "is on meta": x[at].to("meta"),
        "layout torch.sparse_coo": x[at].to_sparse(),
        "layout torch._mkldnn": x[at].to_mkldnn(),
        "nested tensor": torch.nested.nested_tensor(list(x[at])),
        "axes": x[at][0],
        "0 axes|1 axis": x[at][0, 0, 0] if at else x[at][0, 0, 0, 0],
        "a list": x[at].tolist(),
        "batch axes": x[at][:1],
        "heads": x[at][:, :2],
    }
    if at > 0:
        wrong["positions"] = x[at][:, :, :19]
    if at < 2:
        wrong["width"] = x[at][..., :7]
    for words, part in wrong.items():
        arguments = [*x[:at], part, *x[at + 1 :]]
        with pytest.raises((TypeError, ValueError), match=words):
            dot_product_attention(*arguments, mask)


@pytest.mark.untyped
@pytest.mark.parametrize("at", [0, 1, 2])
def test_nor_is_it_left_to_our_backends(at: int) -> None:
    """Hidden keys: what is kept is not torch's kernel alone."""
    x, mask = given((2, 3, 20, 8), (2, 3, 20, 8)), Padding(torch.tensor([17, 20]))
    dot_product_attention(*x, mask)
    for words, part in {"dtype": x[at].double(), "is on meta": x[at].to("meta")}.items():
        with pytest.raises((TypeError, ValueError), match=words):
            dot_product_attention(*x[:at], part, *x[at + 1 :], mask)


@pytest.mark.untyped
@pytest.mark.parametrize("dtype", [torch.int64, torch.complex64, torch.bool])
def test_no_other_numbers_go_directly(dtype: torch.dtype) -> None:
    x = given((2, 3, 20, 8), (2, 3, 20, 8), dtype=dtype)
    with pytest.raises(TypeError, match="query has dtype"):
        dot_product_attention(*x)


@pytest.mark.untyped
@pytest.mark.parametrize("mask", [None, Causal() & SlidingWindow(4)])
@pytest.mark.parametrize(
    "wrong",
    [
        {"scale": "1"},
        {"scale": float("nan")},
        {"scale": float("inf")},
        {"scale": True},
        {"dropout_p": False},
        {"dropout_p": -1.0},
        {"backend": "fast"},
        {"softcap": 0.0},
    ],
)
def test_wrong_options_do_not_go_directly(wrong: dict, mask: Mask | None) -> None:
    x = given((2, 3, 20, 8), (2, 3, 20, 8))
    dot_product_attention(*x, mask)
    (name,) = wrong
    with pytest.raises((TypeError, ValueError), match=name):
        dot_product_attention(*x, mask, **wrong)


@pytest.mark.untyped  # a whole number is no float
@pytest.mark.parametrize("mask", [None, Causal(), Causal() & SlidingWindow(4)])
@pytest.mark.parametrize("scale", [0.0, -0.5, 1, 2])
def test_odd_scales_are_right_all_the_same(scale: float, mask: Mask | None) -> None:
    x = given((2, 3, 20, 8), (2, 3, 20, 8), dtype=torch.float64)
    want = dot_product_attention(*x, mask, scale=scale, backend="eager")
    for _ in range(2):
        torch.testing.assert_close(dot_product_attention(*x, mask, scale=scale), want)


@pytest.mark.parametrize("mask", [None, Causal(), Causal() & SlidingWindow(4)])
def test_autocast_lowers_as_ever(mask: Mask | None) -> None:
    x = given((2, 3, 20, 8), (2, 3, 20, 8))
    dot_product_attention(*x, mask)
    with torch.autocast("cpu", torch.bfloat16):
        assert dot_product_attention(*x, mask).dtype is torch.bfloat16


@pytest.mark.parametrize("mask", [None, Causal(), Causal() & SlidingWindow(4)])
def test_torch_func_finds_a_backend_that_can(mask: Mask | None) -> None:
    x = given((4, 2, 3, 20, 8), (4, 2, 3, 20, 8), dtype=torch.float64)
    dot_product_attention(*(part[0] for part in x), mask)
    got = torch.func.vmap(lambda *each: dot_product_attention(*each, mask))(*x)
    torch.testing.assert_close(got, dot_product_attention(*x, mask))
