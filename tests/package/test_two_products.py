"""Two products in place of torch's kernel: when, and that they give the same."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, Padding, dot_product_attention
from attention.backends import fused, products
from attention.heads import fold

Inputs = tuple[Tensor, Tensor, Tensor]


def given(batch: int = 1, size: int = 4, queries: int = 1, keys: int = 96) -> Inputs:
    """Two heads of keys, which `size` heads of queries share."""
    query = torch.randn(batch, 2 * size, queries, 16)
    key, value = torch.randn(2, batch, 2, keys, 16)
    return query, key, value


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[torch.Size]:
    """The shapes of the keys that the products were given, of however few bytes."""
    made: list[torch.Size] = []
    once = products.products

    def count(query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        made.append(key.shape)
        return once(query, key, value, scale)

    monkeypatch.setattr(products, "MIN_BYTES", 0)
    monkeypatch.setattr(products, "products", count)
    return made


@pytest.mark.parametrize("scale", [None, 2.0])
@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("batch", [1, 3])
def test_they_err_no_more_than_the_kernel(
    calls: list[torch.Size], batch: int, mask: Causal | None, scale: float | None
) -> None:
    query, key, value = given(batch)
    context = dot_product_attention(query, key, value, mask, scale=scale)
    assert calls == [key.shape]
    exact = scaled_dot_product_attention(
        query.double(), key.double(), value.double(), scale=scale, enable_gqa=True
    )
    kernel = scaled_dot_product_attention(fold(query, 4), key, value, scale=scale)
    allowed = 2 * (kernel.reshape(exact.shape) - exact).abs().max() + 1e-7
    assert (context - exact).abs().max() <= allowed


def test_a_cache_with_room_is_read_where_it_lies(calls: list[torch.Size]) -> None:
    query, key, value = given(batch=2)
    room = [torch.cat([x, x.new_full((2, 2, 32, 16), torch.nan)], dim=2) for x in (key, value)]
    held = [x[:, :, :96] for x in room]
    context = dot_product_attention(query, *held)
    assert len(calls) == 1
    torch.testing.assert_close(context, dot_product_attention(query, key, value))


def test_keys_that_padding_leaves(calls: list[torch.Size]) -> None:
    query, key, value = given()
    context = dot_product_attention(query, key, value, Padding(torch.tensor([50])))
    assert calls == [(1, 2, 50, 16)]
    left = dot_product_attention(query, key[:, :, :50], value[:, :, :50])
    torch.testing.assert_close(context, left, rtol=0, atol=0)


def test_one_text_is_read_where_it_lies_too(calls: list[torch.Size]) -> None:
    query, key, value = given()
    context = dot_product_attention(query, tokens_first(key), tokens_first(value))
    assert len(calls) == 1
    torch.testing.assert_close(context, dot_product_attention(query, key, value))


def test_nan_is_not_lost(calls: list[torch.Size]) -> None:
    query, key, value = given()
    key[0, 1, 5, 3] = torch.nan
    context = dot_product_attention(query, key, value)
    assert len(calls) == 1
    assert context[0, 4:].isnan().all()
    assert context[0, :4].isfinite().all()


def tokens_first(x: Tensor) -> Tensor:
    """The same, laid out as (batch, tokens, heads, width)."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def width_first(x: Tensor) -> Tensor:
    """The same, laid out as (batch, heads, width, tokens)."""
    return x.mT.contiguous().mT


LEFT: dict[str, Callable[[], Tensor]] = {
    "groups of three": lambda: dot_product_attention(*given(size=3)),
    "groups of eight": lambda: dot_product_attention(*given(size=8)),
    "two queries": lambda: dot_product_attention(*given(size=2, queries=2)),
    "four queries of one head": lambda: dot_product_attention(*given(size=1, queries=4)),
    "double precision": lambda: dot_product_attention(*(x.double() for x in given())),
    "another device": lambda: dot_product_attention(*(x.to("meta") for x in given())),
    "a mask": lambda: dot_product_attention(*given(), torch.arange(96)[None] % 3 > 0),
    "dropout": lambda: dot_product_attention(*given(), dropout_p=0.5),
    "a query that learns": lambda: learning(0),
    "a key that learns": lambda: learning(1),
    "a value that learns": lambda: learning(2),
    "keys beside one another": lambda: laid(1, tokens_first),
    "values beside one another": lambda: laid(2, tokens_first),
    "keys in columns": lambda: laid(1, width_first),
    "values in columns": lambda: laid(2, width_first),
    "fake tensors": lambda: faked(),
}


def learning(which: int) -> Tensor:
    inputs = given()
    inputs[which].requires_grad_()
    context = dot_product_attention(*inputs)
    [grad] = torch.autograd.grad(context.sum(), inputs[which])
    assert grad.isfinite().all()
    return context


def laid(which: int, lay: Callable[[Tensor], Tensor]) -> Tensor:
    inputs = list(given(batch=2))
    inputs[which] = lay(inputs[which])
    return dot_product_attention(*inputs)


def faked() -> Tensor:
    with torch._subclasses.FakeTensorMode():
        return dot_product_attention(*given())


@pytest.mark.parametrize("name", LEFT)
def test_all_else_is_left_to_the_kernel(calls: list[torch.Size], name: str) -> None:
    LEFT[name]()
    assert calls == []


def test_few_keys_are_left_to_the_kernel() -> None:
    query = torch.empty(1, 2, 4, 16)
    rows = products.MIN_BYTES // (2 * 2 * 16 * 4)  # both, two heads, 16 numbers of 4 bytes
    assert products.pays(query, *torch.empty(2, 1, 2, rows, 16))
    assert not products.pays(query, *torch.empty(2, 1, 2, rows - 1, 16))


@pytest.mark.parametrize(
    ("like", "masked", "folded"),
    [
        ({"device": "cuda", "dtype": torch.bfloat16}, False, False),
        ({"device": "cuda", "dtype": torch.bfloat16}, True, True),
        ({"device": "cuda", "dtype": torch.float32}, False, True),
        ({"device": "cpu", "dtype": torch.bfloat16}, False, True),
    ],
)
def test_kernels_that_know_groups_get_them(
    like: dict, masked: bool, folded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those for halves on a GPU, which split the keys of few heads; under a mask not all do."""
    asked: list[tuple[torch.Size, bool]] = []

    def kernel(query: Tensor, *given: object, enable_gqa: bool, **rest: object) -> Tensor:
        asked.append((query.shape, enable_gqa))
        return query

    monkeypatch.setattr(fused, "scaled_dot_product_attention", kernel)
    with FakeTensorMode():
        query, key = torch.empty(1, 8, 1, 16, **like), torch.empty(1, 2, 96, 16, **like)
        over = torch.ones(1, 1, 1, 96, dtype=torch.bool, device=like["device"]) if masked else None
        fused.kernel(query, key, key, over, 0.25, 0.0)
    assert asked == [((1, 2, 4, 16), False) if folded else ((1, 8, 1, 16), True)]
