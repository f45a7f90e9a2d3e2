"""What torch's CPU kernel is given where it is slow with what came: the results stay the same."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, Padding, SlidingWindow, dot_product_attention
from attention.absent import sound
from attention.backends import fused, names, sdpa, suited
from attention.dispatch import choice, route
from attention.dispatch.call import Call

LONG, SHORT = suited.ROWS, suited.ROWS - 1
WINDOW = Causal() & SlidingWindow(70)


@pytest.fixture
def device() -> str:
    """A GPU has kernels of its own, to which nothing of this is done."""
    return "cpu"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Tensor, ...]]:
    """What torch's function is given, call by call."""
    calls = []

    def kernel(query: Tensor, key: Tensor, value: Tensor, *others: object, **named: object):
        calls.append((query, key, value))
        return scaled_dot_product_attention(query, key, value, *others, **named)

    monkeypatch.setattr(sdpa, "scaled_dot_product_attention", kernel)
    return calls


def learned(call, *inputs: Tensor) -> list[Tensor]:
    context = call(*inputs)
    return [context, *torch.autograd.grad(context, inputs, context.detach().sin())]


@pytest.mark.parametrize("mask", [None, Causal(), WINDOW, Padding(torch.tensor([3, LONG]))])
@pytest.mark.parametrize("heads", [(4, 4), (4, 2), (1, 1)])
@pytest.mark.parametrize("widths", [(8, 5), (5, 8), (8, 0), (0, 8)])
@pytest.mark.parametrize("backend", ["auto", "fused"])
def test_values_of_another_width_are_filled_with_zeros(
    backend: str, widths: tuple, heads: tuple, mask, draw, given
) -> None:
    (width, wide), (many, few) = widths, heads
    dtype = torch.float64
    inputs = [
        draw(2, many, LONG, width, dtype=dtype),
        draw(2, few, LONG, width, dtype=dtype),
        draw(2, few, LONG, wide, dtype=dtype),
    ]
    found, want = (
        learned(lambda *x, by=by: dot_product_attention(*x, mask, scale=0.3, backend=by), *inputs)
        for by in (backend, "eager")
    )
    for one, other in zip(found, want, strict=True):
        torch.testing.assert_close(one, other)
    assert all(q.size(-1) == v.size(-1) == max(widths) for q, _, v in given)
    assert given or mask is WINDOW or isinstance(mask, Padding)  # by blocks


def test_a_bias_and_dropout_are_as_without_zeros(draw, given) -> None:
    query, key, value = draw(2, LONG, 8), draw(2, LONG, 8), draw(2, LONG, 5)
    bias = draw(2, LONG, LONG)
    got, want = (
        dot_product_attention(query, key, value, bias=bias, backend=backend)
        for backend in ("fused", "eager")
    )
    torch.testing.assert_close(got, want)
    assert given[0][2].size(-1) == 8
    dot_product_attention(query, key, value, dropout_p=0.1, backend="fused")
    assert given[1][2].size(-1) == 5  # torch holds all scores then, of any width


@pytest.mark.parametrize("mask", [None, WINDOW])
def test_few_queries_are_not_worth_zeros(mask, draw, given) -> None:
    query, key, value = draw(2, SHORT, 8), draw(2, SHORT, 8), draw(2, SHORT, 5)
    dot_product_attention(query, key, value, mask, backend="fused")
    assert given[0][2].size(-1) == 5


@pytest.mark.parametrize(
    ("queries", "keys", "width", "wide", "pays"),
    [
        (LONG, LONG, 64, 1, True),
        (LONG, LONG, 1, 64, True),
        (LONG, LONG, 64, 65, True),
        (LONG, LONG, 64, 128, True),
        (LONG, LONG, 128, 64, True),
        (LONG, LONG, 64, 129, False),
        (LONG, LONG, 32, 65, False),
        (LONG, SHORT, 64, 32, False),
        (SHORT, LONG, 64, 32, False),
        (LONG, LONG, 64, 64, False),
    ],
)
def test_where_zeros_pay(queries: int, keys: int, width: int, wide: int, pays: bool) -> None:
    query, value = torch.zeros(queries, width), torch.zeros(keys, wide)
    assert suited.uneven(query, value) is pays
    assert not suited.uneven(query.to("meta"), value.to("meta"))


@pytest.mark.parametrize("layers", [(2, 4), (8,)])
@pytest.mark.parametrize("mask", [None, Causal(), SlidingWindow(3), torch.ones(9, 9).tril().bool()])
@pytest.mark.parametrize("coarse", [True, False])
def test_halves_are_computed_in_single_precision_where_those_are_faster(
    coarse: bool, mask, layers: tuple, draw, given, monkeypatch
) -> None:
    monkeypatch.setattr(suited, "WITHOUT_HALVES", coarse)
    halves = [draw(*layers, 9, 16, dtype=torch.float16) for _ in range(3)]
    found = learned(lambda *x: dot_product_attention(*x, mask), *halves)
    assert all(x.dtype is torch.float16 for x in found)
    assert all(q.dtype is (torch.float32 if coarse else torch.float16) for q, _, _ in given)
    single = [x.detach().float().requires_grad_() for x in halves]
    want = learned(lambda *x: dot_product_attention(*x, mask), *single)
    if coarse:
        assert given
        assert torch.equal(found[0], want[0].half())
    for one, other in zip(found, want, strict=True):
        torch.testing.assert_close(one.float(), other, atol=4e-3, rtol=4e-3)


@pytest.mark.parametrize(
    ("available", "supported", "without"),
    [(True, False, True), (True, True, False), (False, False, False), (False, True, False)],
)
def test_a_processor_is_asked_for_its_instructions(
    available: bool, supported: bool, without: bool, monkeypatch
) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: available)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_fp16_supported", lambda: supported)
    assert suited.without_halves() is without


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_other_numbers_stay_what_they_are(dtype: torch.dtype, monkeypatch) -> None:
    monkeypatch.setattr(suited, "WITHOUT_HALVES", True)
    assert not suited.coarse(torch.zeros(1, dtype=dtype))
    assert not suited.coarse(torch.zeros(1, dtype=torch.float16, device="meta"))


def test_numbers_that_are_added_are_single_too(draw, monkeypatch) -> None:
    monkeypatch.setattr(suited, "WITHOUT_HALVES", True)
    inputs = [draw(2, 4, 9, 16, dtype=torch.float16, grad=False) for _ in range(3)]
    bias = draw(4, 9, 9, dtype=torch.float16)
    for mask in (None, Causal()):
        got = dot_product_attention(*inputs, mask, bias=bias)
        wide = dot_product_attention(*(x.float() for x in inputs), mask, bias=bias.float())
        assert torch.equal(got, wide.half())
        (slope,) = torch.autograd.grad(got.sum(), bias)
        assert slope.dtype is torch.float16


@pytest.mark.untyped  # beartype's checks are not to be traced
@pytest.mark.parametrize("tokens", [SHORT, LONG])
def test_compiled_code_is_for_any_length(tokens: int) -> None:
    """Whether zeros pay is not asked: the answer would hold for one length alone."""
    attend = torch.compile(dot_product_attention, fullgraph=True, dynamic=True, backend="eager")
    query, key, value = (
        torch.randn(2, tokens, 8),
        torch.randn(2, tokens, 8),
        torch.randn(2, tokens, 5),
    )
    want = dot_product_attention(query, key, value)
    torch.testing.assert_close(attend(query, key, value), want)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("shape", [(9, 9), (1, 9), (9, 1), (4, 9, 9), (2, 1, 9, 9)])
def test_a_bias_that_is_finite_is_given_to_the_kernel_as_it_is(shape, dtype, draw) -> None:
    """It hides nothing, so no table is made of what it hides."""
    inputs = [draw(2, 4, 9, 16, dtype=dtype, grad=False) for _ in range(3)]
    bias = draw(*shape, dtype=dtype, grad=False)
    seen = []
    whole = fused.sdpa
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fused, "sdpa", lambda *given: seen.append(given[3]) or whole(*given))
        got = dot_product_attention(*inputs, bias=bias)
    assert seen[0] is bias
    wide = dot_product_attention(*inputs, bias=bias, backend="eager")
    torch.testing.assert_close(got, wide, atol=2e-3 if dtype is torch.float16 else 1e-5, rtol=1e-5)


def test_so_is_one_whose_sum_no_half_can_hold() -> None:
    bias = torch.full((40, 40), 1e3, dtype=torch.float16)
    assert bias.sum().isinf()
    assert sound(bias)
    assert not sound(bias.masked_fill(bias > 0, float("nan")))
    assert not sound(bias.to("meta"))


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_a_bias_that_is_not_is_not(odd: float, draw) -> None:
    inputs = [draw(2, 4, 9, 16, grad=False) for _ in range(3)]
    bias = draw(9, 9, grad=False)
    bias[:, 3] = odd
    mask = torch.ones(9, 9, dtype=torch.bool)
    mask[:, 3] = False
    for backend in ("auto", "fused", "eager"):
        got = dot_product_attention(*inputs, mask, bias=bias, backend=backend)
        torch.testing.assert_close(
            got, dot_product_attention(*inputs, mask, bias=bias.nan_to_num(0, 0, 0))
        )


@pytest.mark.parametrize(("weights", "keys"), [(False, 5), (True, 40)])
def test_two_products_are_given_the_keys_in_sight(
    weights: bool, keys: int, draw, monkeypatch
) -> None:
    given = []
    eager = names.LOADED["eager"]
    monkeypatch.setitem(names.LOADED, "eager", lambda *x: given.append(x[1]) or eager(*x))
    inputs = draw(2, 3, 8), draw(2, 40, 8), draw(2, 40, 8)
    mask = Causal() & SlidingWindow(3)
    dot_product_attention(*inputs, mask, dropout_p=0.1, return_weights=weights)
    assert given[0].size(-2) == keys


@pytest.mark.parametrize("mask", [Causal(), WINDOW, torch.ones(80, 80).tril().bool()])
def test_tiles_ask_the_mask_in_each_call(mask, draw, monkeypatch) -> None:
    """Also where the way was found before."""
    monkeypatch.setattr(choice, "LARGE", 1)
    inputs = draw(2, 3, 80, 8), draw(2, 3, 80, 8), draw(2, 3, 80, 5)
    assert choice.auto(Call(*inputs, mask))[0] == "tiled"
    want = dot_product_attention(*inputs, mask, backend="eager")
    for _ in range(3):
        torch.testing.assert_close(dot_product_attention(*inputs, mask), want)


@pytest.mark.parametrize(
    ("dtype", "wide", "bare"),
    [
        (torch.float32, 16, True),
        (torch.float16, 16, False),
        (torch.float32, 9, False),
        (torch.float16, 9, False),
    ],
)
def test_what_is_changed_before_is_not_given_to_torch_at_once(
    dtype: torch.dtype, wide: int, bare: bool, draw, monkeypatch
) -> None:
    monkeypatch.setattr(suited, "WITHOUT_HALVES", True)
    monkeypatch.setattr(suited, "ROWS", 4)
    shapes = (2, 4, 20, 16), (2, 4, 20, 16), (2, 4, 20, wide)
    inputs = [draw(*shape, dtype=dtype, grad=False) for shape in shapes]
    dot_product_attention(*inputs, WINDOW)
    found = route.kept.known(route.signature(*inputs, WINDOW, route.MASK_ALONE))
    assert found is not None
    assert (found.name, found.bare) == ("fused", bare)


def test_what_torchs_kernel_is_given_at_once(monkeypatch) -> None:
    """On four axes, of one width, a key head a query head, entries side by side."""
    four = torch.randn(3, 2, 4, 6, 8)
    query, key, value = four
    turned = query.mT.contiguous().mT
    assert suited.as_it_is(query, key, value)
    assert suited.as_it_is(query[..., 1:, :], key, value)
    for other in (
        (query[0], key[0], value[0]),
        (query[:1], key, value),
        (query, key[:, :1], value[:, :1]),
        (query, key, value[..., :4]),
        (query[..., :0, :], key, value),
        (query, key[..., :0, :], value[..., :0, :]),
        (turned, key, value),
        (query, turned, value),
        (query, key, turned),
        (turned, turned, turned),
        (query.half(), key.half(), value.half()),
    ):
        monkeypatch.setattr(suited, "WITHOUT_HALVES", True)
        assert not suited.as_it_is(*other)
    monkeypatch.setattr(suited, "WITHOUT_HALVES", False)
    assert suited.as_it_is(query.half(), key.half(), value.half())
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        assert not suited.as_it_is(query, key, value)


@pytest.mark.parametrize("bare", [True, False])
def test_a_padded_call_is_looked_at_by_its_log_sum_exp(bare: bool, monkeypatch) -> None:
    calls, kernel = [], fused.FORWARD
    monkeypatch.setattr(
        fused, "FORWARD", lambda *x, **given: calls.append(given) or kernel(*x, **given)
    )
    query, key, value = torch.randn(3, 2, 2, 20, 8)
    mask = Padding(torch.tensor([20, 13])).to_tensor(20, 20)
    context = dot_product_attention(query, key if bare else key[:, :1], value[:, : bare + 1], mask)
    assert len(calls) == bare
    exact = (x.double() for x in (query, key if bare else key[:, :1], value[:, : bare + 1]))
    want = dot_product_attention(*exact, mask, backend="eager")
    torch.testing.assert_close(context.double(), want, atol=1e-6, rtol=1e-5)


def test_idle_queries_are_looked_for_where_the_scores_do_not_tell(monkeypatch, draw) -> None:
    """Not where the kernel's log-sum-exp is asked: of short texts that took a fifth of the time."""
    asked, idle = [], fused.idle_queries
    monkeypatch.setattr(fused, "idle_queries", lambda keep: asked.append(keep) or idle(keep))
    four = [draw(2, 4, 20, 16, grad=False) for _ in range(3)]
    keep = torch.ones(20, 20, dtype=torch.bool).tril()[None, None]
    dot_product_attention(*four, keep, backend="fused")
    assert not asked
    dot_product_attention(*(x[0] for x in four), keep[0], backend="fused")
    assert len(asked) == 1
