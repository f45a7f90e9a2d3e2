"""A linear layer as a convolution: the same to within rounding."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear

from attention import SelfAttention
from attention import affine as path
from attention.affine import affine, rounded_up

from .layers import drawn, multi_head, parts


def whole(shape: tuple[int, ...], width: int) -> list[Tensor]:
    """The same of small whole numbers, whose sums nothing rounds."""
    return [(4 * part).round() for part in parts(shape, width)]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("shape", "width"), [
    ((256, 256), 256), ((4, 64, 384), 192), ((2, 3, 50, 400), 150), ((777, 150), 333),
    ((300, 1024), 64), ((256, 4096), 16),
])  # fmt: skip
def test_as_exact_as_a_sum_in_order(shape, width, bias, taken) -> None:
    """At most five times as far as MKL is, which cuts long sums; 1.5 times at a width of 400."""
    x, weight, shift = parts(shape, width)
    given = (x, weight, shift if bias else None)
    exact = linear(*(None if part is None else part.double() for part in given))
    far, torch_far = (
        (compute(*given) - exact).square().mean().sqrt() for compute in (affine, linear)
    )
    assert len(taken) == 1
    assert far <= (5 if shape[-1] > 400 else 1.5) * torch_far


@pytest.mark.parametrize("rows", [*range(256, 520, 3), 1000, 1024, 1025, 3001, 8192])
def test_any_number_of_rows(rows: int, taken) -> None:
    """Filled up by at most a quarter, to a whole number of 16 pictures."""
    assert rows <= rounded_up(rows) < 1.25 * rows
    assert rounded_up(rows) % 16 == 0
    inputs = whole((rows, 256), 256)
    assert torch.equal(affine(*inputs), linear(*inputs))
    assert taken == [rounded_up(rows)]


def test_of_few_sizes() -> None:
    found = {rounded_up(rows) for rows in range(256, 8193)}
    assert found == {part << k for part in (4, 5, 6, 7) for k in range(6, 11)} | {8192}


def test_a_result_is_laid_out_as_torchs_and_is_no_view(taken) -> None:
    for shape in ((2, 128, 256), (300, 256), (2, 2, 75, 256)):
        inputs = parts(shape, 256)
        for bias in (inputs[2], None):
            made = affine(*inputs[:2], bias)
            assert made.stride() == linear(*inputs).stride()
            assert not made._is_view()
    assert len(taken) == 6


def test_a_result_may_be_changed_in_place(taken) -> None:
    """Also where gradients are recorded again."""
    learnt, attend = torch.ones(256, requires_grad=True), multi_head(bias=False)
    for tokens in (256, 300):
        with torch.no_grad():
            made = attend(drawn(1, tokens, 256))
        made += learnt
        made.sum().backward()
    assert learnt.grad is not None
    assert learnt.grad.tolist() == [556.0] * 256
    assert taken


@pytest.mark.parametrize("turn", [
    lambda x, weight: (x.mT.contiguous().mT, weight),
    lambda x, weight: (x.repeat_interleave(2, -1)[..., ::2], weight),
    lambda x, weight: (x[:1].expand_as(x), weight),
    lambda x, weight: (x, weight.mT.contiguous().mT),
    lambda x, weight: (x, torch.cat([weight, weight])[64:320]),
])  # fmt: skip
def test_any_layout(turn: Callable[..., tuple[Tensor, Tensor]], taken) -> None:
    x, weight, bias = whole((2, 128, 256), 256)
    x, weight = turn(x, weight)
    made = affine(x, weight, bias)
    assert torch.equal(made, linear(x, weight, bias))
    assert made.is_contiguous()
    assert len(taken) == 1


@pytest.mark.parametrize(("rows", "in_width", "width", "many"), [
    (256, 256, 256, True), (256, 256, 255, False), (255, 300, 300, False),
    (4096, 256, 16, True), (5000, 256, 15, False), (0, 256, 256, False),
    (256, 2048, 2048, True), (256, 2048, 2049, False),
])  # fmt: skip
def test_from_how_many_on(rows: int, in_width: int, width: int, many: bool, taken) -> None:
    """256 rows, 2²⁴ products, 16 outputs, and at most 2¹⁴ numbers of the matrix to a row."""
    inputs = whole((rows, in_width), width)
    assert torch.equal(affine(*inputs), linear(*inputs))
    assert bool(taken) is many


@pytest.mark.parametrize(("shape", "width", "many"), [
    ((5, 50, 300), 300, False), ((8, 32, 300), 300, True),
    ((2, 128, 2048), 2048, True), ((2, 128, 2048), 2049, False),
])  # fmt: skip
def test_rows_are_those_of_all_texts(shape, width: int, many: bool, taken) -> None:
    inputs = whole(shape, width)
    assert torch.equal(affine(*inputs), linear(*inputs))
    assert bool(taken) is many


@pytest.mark.untyped  # of other shapes
def test_a_bias_that_broadcasts(taken) -> None:
    x, weight, _ = parts((256, 256), 256)
    for bias in (torch.ones(1), torch.ones(()), torch.ones(256, 256)):
        torch.testing.assert_close(affine(x, weight, bias), linear(x, weight) + 1)
    assert not taken
    torch.testing.assert_close(affine(drawn(3, 0), drawn(4, 0), None), torch.zeros(3, 4))


@torch.no_grad()
@pytest.mark.parametrize("weights", [False, True])
def test_a_module_gives_the_same(weights: bool, taken, monkeypatch) -> None:
    attend, x = multi_head(), drawn(2, 320, 256)  # too long for torch's call for short texts
    got = attend(x, return_weights=weights)
    assert taken == [640, 640]  # queries, keys and values; the outputs
    monkeypatch.setattr(path, "MIN_ROWS", 1 << 40)
    torch.testing.assert_close(got, attend(x, return_weights=weights))
    assert len(taken) == 2


@torch.no_grad()
def test_so_does_cross_attention_and_one_head(taken, monkeypatch) -> None:
    attend, single = multi_head(), SelfAttention(256)
    x, encoded = drawn(2, 128, 256), drawn(2, 140, 256, seed=1)
    got = attend(x, encoded), single(x)
    assert taken == [256, 320, 320, 256, 256, 256, 256]
    monkeypatch.setattr(path, "MIN_ROWS", 1 << 40)
    torch.testing.assert_close(got, (attend(x, encoded), single(x)))
