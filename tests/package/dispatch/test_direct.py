"""The usual call goes directly to torch's kernel; another finds its way as ever."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
    functional,
)
from attention.backends import sdpa
from attention.backends.suited import REGISTER
from attention.dispatch import dense, direct, route
from attention.kept import Kept

MASKS = {
    "none": None,
    "causal": Causal(),
    "window": Causal() & SlidingWindow(4),
    "prefix": PrefixLM(5),
    "documents": Documents((torch.arange(20) // 7)[None]) & Causal(),
    "padding": Padding(torch.tensor([17, 20])),
}


class Own(Mask):
    """Of which nobody knows what it shows."""

    def __call__(self, batch, head, query, key):
        return key >= 0


class Held(Own):
    """All keys, and a tensor that is never asked."""

    def __init__(self, number: Tensor) -> None:
        self.number = number

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return True


Shapes = tuple[tuple[int, ...], tuple[int, ...]]


def draw(*shape: int, seed: int = 0, **options) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(**options)


def given(query: tuple[int, ...], key: tuple[int, ...], **options) -> list[Tensor]:
    return [
        draw(*query, seed=1, **options),
        draw(*key, seed=2, **options),
        draw(*key, seed=3, **options),
    ]


@pytest.fixture
def slow(monkeypatch):
    """The calls for which it was found out how to compute them, or that did not go directly."""
    calls, found, later = [], route.new, functional.route

    def looked(*arguments):
        calls.append(arguments)
        return found(*arguments)

    def long(*arguments):
        calls.append(arguments)
        return later(*arguments)

    monkeypatch.setattr(route, "new", looked)
    monkeypatch.setattr(functional, "route", long)
    monkeypatch.setattr(route, "kept", Kept(8))
    return calls


@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("name", MASKS)
def test_a_usual_call_is_not_looked_at_twice(name: str, scale: float | None, slow) -> None:
    x = given((2, 3, 20, 8), (2, 3, 20, 8))
    first = dot_product_attention(*x, MASKS[name], scale=scale)
    before = len(slow)
    assert before == (0 if name in ("none", "causal") else 1)
    again = dot_product_attention(*x, MASKS[name], scale=scale)
    assert len(slow) == before
    want = dot_product_attention(*x, MASKS[name], scale=scale, backend="eager")
    for got in (first, again):
        torch.testing.assert_close(got, want)


def test_without_heads_the_kernel_is_not_asked(monkeypatch) -> None:
    """PyTorch 2.11 divides by the number of heads, and the process ends."""

    def asked(*arguments, **options):
        raise AssertionError("torch's kernel was called")

    monkeypatch.setattr(direct, "scaled_dot_product_attention", asked)
    monkeypatch.setattr(sdpa, "scaled_dot_product_attention", asked)
    x = given((2, 0, 20, 8), (2, 0, 20, 8))
    for mask in MASKS.values():
        for _ in range(2):  # the second finds what was kept
            assert dot_product_attention(*x, mask).shape == (2, 0, 20, 8)


@pytest.mark.parametrize("name", MASKS)
def test_what_is_kept_of_the_processor_is_for_the_processor(name: str, slow) -> None:
    mask, x = MASKS[name], given((2, 3, 20, 8), (2, 3, 20, 8))
    dot_product_attention(*x, mask)
    elsewhere = [tensor.to("meta") for tensor in x]
    if name in ("documents", "padding"):  # which hold tensors
        with pytest.raises(ValueError, match="on cpu: expected meta"):
            dot_product_attention(*elsewhere, mask)
    else:
        assert dot_product_attention(*elsewhere, mask).is_meta


@pytest.mark.parametrize(("batch", "looked"), [(1, 1), (3, 0)])
def test_a_mask_that_is_not_kept_is_not_looked_up(batch: int, looked: int, monkeypatch) -> None:
    """Its content would be read in each call."""
    monkeypatch.setattr(route, "SMALL", 2 * 4 * 40)
    monkeypatch.setattr(dense, "SMALL", 2 * 4 * 40)
    asked: list[object] = []
    label = route.label
    monkeypatch.setattr(route, "label", lambda mask: asked.append(mask) or label(mask))
    mask = Documents((torch.arange(40) // 7).expand(batch, 40))
    query, key, value = given((3, 2, 4, 8), (3, 2, 40, 8))
    assert (route.signature(query, key, value, mask, route.MASK_ALONE) is not None) == bool(looked)
    assert len(asked) == looked


def test_a_route_for_one_query_is_kept_apart(monkeypatch) -> None:
    """It serves the layers of one step; those of texts would be pushed out by it."""
    texts, steps = Kept(8), Kept(8)
    monkeypatch.setattr(route, "kept", texts)
    monkeypatch.setattr(route, "steps", steps)
    query, key, value = given((2, 3, 2, 8), (2, 3, 20, 8))
    asks = route.MASK_ALONE
    for _ in range(2):
        dot_product_attention(query[:, :, 1:], key, value, MASKS["padding"])
        assert (len(texts.made), len(steps.made)) == (0, 1)
    dot_product_attention(query, key, value, MASKS["padding"])
    assert (len(texts.made), len(steps.made)) == (1, 1)
    assert route.signature(query[:, :, 1:], key, value, Causal(), asks) is None
    assert route.signature(query, key, value, Causal(), asks) is not None


def test_few_keys_that_a_mask_leaves_lose_no_nan() -> None:
    """Ten of them, the last, which every query sees: torch's kernel would make zeros of the NaN."""
    query, key, value = given((1, 1, 40, 8), (1, 1, 40, 8))
    key[..., 30:, :] = torch.nan
    for _ in range(2):  # the second finds what was kept
        got = dot_product_attention(query, key, value, Padding(torch.tensor([10]), side="left"))
        assert got[..., 30:, :].isnan().all()


@pytest.mark.parametrize("keys", [20, 40])
@pytest.mark.parametrize(
    ("mask", "looked"),
    [
        (SlidingWindow(20), 0),
        (Causal() & SlidingWindow(20), 0),
        (PrefixLM(5), 0),
        (~SlidingWindow(20), 1),  # sees two stretches, and of 20 keys none
        (Causal() & Own(), 1),
    ],
)
def test_one_query_goes_directly_to_the_keys_that_it_sees(
    mask: Mask, looked: int, keys: int, slow
) -> None:
    query, key, value = given((2, 6, 1, 8), (2, 3, keys, 8))
    idle = ~mask.to_tensor(1, keys)[0, :, None]
    # What nobody sees may be anything.
    inputs = [query, *(torch.where(idle, torch.nan, x) for x in (key, value))]
    inputs = [x.requires_grad_(keys == 40) for x in inputs]
    got = dot_product_attention(*inputs, mask)
    assert (len(slow) > 0) == looked
    torch.testing.assert_close(got, dot_product_attention(*inputs, mask, backend="eager"))
    if keys == 40:
        found = torch.autograd.grad(got.sum(), inputs)
        assert not any(grad[idle.expand_as(grad)].any() for grad in found[1:])
        assert all(grad.isfinite().all() and grad.any() for grad in found)


def test_a_mask_for_a_batch_or_with_tensors_is_looked_at(slow) -> None:
    query, key, value = given((2, 3, 1, 8), (2, 3, 20, 8))
    for name in ("documents", "padding"):
        got = dot_product_attention(query, key, value, MASKS[name])
        want = dot_product_attention(query, key, value, MASKS[name], backend="eager")
        torch.testing.assert_close(got, want)
    assert slow
    with pytest.raises(ValueError, match="on cpu: expected meta"):
        dot_product_attention(*(x.to("meta") for x in (query, key, value)), Held(torch.ones(1)))


@pytest.mark.untyped
def test_one_query_whose_keys_and_values_differ_is_refused() -> None:
    """Also where as many are left of both."""
    query, key, value = given((2, 3, 1, 8), (2, 3, 20, 8))
    with pytest.raises(ValueError, match="value has 19 positions but key has 20"):
        dot_product_attention(query, key, value[:, :, 1:], SlidingWindow(4))


class Nothing(Mask):
    """Sees no key, and says so."""

    def __call__(self, batch, head, query, key):
        return (key < 0) & (query < 0)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return keys, keys

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return True


def test_one_query_that_sees_nothing_gets_zeros() -> None:
    query, key, value = given((2, 3, 1, 8), (2, 3, 20, 8))
    assert not dot_product_attention(query, key, value, Nothing()).any()


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


@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize(
    ("shapes", "directly"),
    [
        (((2, 3, 20, 8), (2, 3, 20, 8)), (True, True)),
        (((2, 3, 1, 8), (2, 3, 20, 8)), (True, True)),  # a token on a cache
        (((2, 3, 2, 8), (2, 3, 20, 8)), (True, False)),
        (((2, 3, 5, 8), (2, 3, 20, 8)), (True, False)),  # torch aligns the first with the first
        (((2, 3, 30, 8), (2, 3, 20, 8)), (True, False)),
        (((2, 3, REGISTER, 8), (2, 3, REGISTER, 8)), (True, True)),
        (((2, 3, 20, 8), (2, 3, REGISTER - 1, 8)), (True, False)),
        (((2, 3, REGISTER - 1, 8), (2, 3, REGISTER - 1, 8)), (True, True)),
        (((2, 3, 1, 8), (2, 3, 1, 8)), (True, True)),
        (((2, 3, 2, 8), (2, 3, 2, 8)), (True, True)),
        (((2, 3, 1, 8), (2, 3, 3, 8)), (True, True)),
        (((2, 6, 1, 8), (2, 3, 3, 8)), (False, False)),
        (((2, 3, 5, 8), (2, 3, 0, 8)), (False, False)),
        (((2, 6, 20, 8), (2, 3, 20, 8)), (True, True)),  # heads in groups
        (((2, 6, 1, 8), (2, 3, 20, 8)), (True, True)),
        (((3, 20, 8), (3, 20, 8)), (False, False)),
        (((2, 0, 20, 8), (2, 0, 20, 8)), (False, False)),
        (((2, 3, 20, 0), (2, 3, 20, 0)), (False, False)),
    ],
)
def test_which_shapes_go_directly(
    shapes: Shapes, directly: tuple[bool, bool], mask: Mask | None, slow
) -> None:
    x = given(*shapes, dtype=torch.float64)
    got = dot_product_attention(*x, mask)
    assert (not slow) == directly[mask is not None]
    torch.testing.assert_close(got, dot_product_attention(*x, mask, backend="eager"))


@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("at", [None, 0, 1, 2])
@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("where", [slice(None), 0, 4])
def test_of_few_keys_lost_nan_is_looked_for(
    where: Any, scale: float | None, at: int | None, mask: Mask | None, slow
) -> None:
    """Torch's kernel makes zeros of less than a register: then once more, in another way."""
    x = given((2, 3, 5, 8), (2, 3, 5, 8))
    if at is not None:
        x[at][1, 2, where, 0] = float("nan")
    got = dot_product_attention(*x, mask, scale=scale)
    assert slow or where != slice(None) or at not in (0, 1)
    assert not slow or at in (0, 1)
    query, key, value = (y.double() for y in x)
    keep = torch.ones(5, 5, dtype=torch.bool) if mask is None else mask.to_tensor(5, 5)
    scores = query @ key.mT * (scale or 8**-0.5)
    want = (scores.masked_fill(~keep, -torch.inf).softmax(dim=-1) @ value).float()
    assert want.isnan().any() == (at is not None)
    torch.testing.assert_close(got, want, equal_nan=True)


def test_few_keys_that_torchs_own_kernel_does_not_take_at_once(slow) -> None:
    x = given((2, 3, 5, 8), (2, 3, 5, 8))
    dot_product_attention(*x)
    assert not slow
    zero = x[0].clone()
    zero[:, :, 0] = 0  # alone, the first query has a log-sum-exp of 0
    dot_product_attention(zero, x[1], x[2], Causal())
    assert not slow
    with FakeTensorMode() as mode:
        fake = [mode.from_tensor(y) for y in x]
    assert dot_product_attention(*fake).shape == x[0].shape
    slow.clear()
    apart = x[0], x[1].mT.contiguous().mT, x[2]
    learning = [y.clone().requires_grad_() for y in x]
    for others in (apart, learning):
        slow.clear()
        dot_product_attention(*others)
        assert slow
    slow.clear()
    with sdpa_kernel(SDPBackend.MATH):
        dot_product_attention(*x)
    assert slow


@pytest.mark.parametrize("tokens", [511, 512])
def test_many_causal_scores_are_cut_into_blocks(tokens: int, slow) -> None:
    x = given((2, 4, tokens, 4), (2, 4, tokens, 4))
    got = dot_product_attention(*x, Causal())
    assert len(slow) == (tokens == 512)  # 2 · 4 · 512² = 2²¹
    torch.testing.assert_close(got, scaled_dot_product_attention(*x, is_causal=True))


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


def test_a_query_that_learns_learns(slow) -> None:
    x = [part.requires_grad_() for part in given((2, 3, 20, 8), (2, 3, 20, 8), dtype=torch.float64)]
    got = torch.autograd.grad(dot_product_attention(*x).square().sum(), x)
    assert not slow
    want = torch.autograd.grad(dot_product_attention(*x, backend="eager").square().sum(), x)
    torch.testing.assert_close(got, want)
    loss = dot_product_attention(*x).square().sum()
    (first, *_) = torch.autograd.grad(loss, x, create_graph=True)
    with pytest.raises(RuntimeError, match="expected backend eager, tiled or loops"):
        torch.autograd.grad(first.sum(), x)


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
