"""Positions against their definitions written out, and the law that distances are all there is."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from attention import (
    ALiBi,
    Causal,
    KVCache,
    Mask,
    MultiHeadAttention,
    Padding,
    Rotary,
    SlidingWindow,
    sinusoidal,
)
from attention.positions import Positions, tables
from attention.positions.alibi import slopes

LAYOUTS = ["half", "interleaved"]


def pairs(layout: str, width: int) -> list[tuple[int, int]]:
    """Which two numbers turn together."""
    if layout == "half":
        return [(i, i + width // 2) for i in range(width // 2)]
    return [(2 * i, 2 * i + 1) for i in range(width // 2)]


def by_matrices(x: Tensor, at: Tensor, layout: str, width: int, base: float) -> Tensor:
    """Equation 15 of the paper: one rotation matrix a position, filled in number by number."""
    rows = []
    for row, p in zip(x, at.tolist(), strict=True):
        matrix = torch.eye(x.shape[-1], dtype=torch.float64, device=x.device)
        for i, (a, b) in enumerate(pairs(layout, width)):
            angle = p / base ** (2 * i / width)
            matrix[a, a] = matrix[b, b] = math.cos(angle)
            matrix[b, a], matrix[a, b] = math.sin(angle), -math.sin(angle)
        rows.append(matrix @ row)
    return torch.stack(rows)


def by_complex_numbers(x: Tensor, at: Tensor, layout: str, width: int, base: float) -> Tensor:
    """Equation 12: a pair is a complex number, and turns by a product."""
    first, second = (list(side) for side in zip(*pairs(layout, width), strict=True))
    powers = torch.arange(width // 2, dtype=torch.float64) * (2 / width)
    angle = at[:, None].cpu().double() * torch.exp(-powers * math.log(base))
    turned = torch.complex(x[:, first], x[:, second]) * torch.exp(1j * angle).to(x.device)
    out = x.clone()
    out[:, first], out[:, second] = turned.real, turned.imag
    return out


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("width", "base"), [(None, 10_000.0), (4, 500_000.0), (10, 100.0)])
def test_rotary_written_out(layout: str, width: int | None, base: float, draw) -> None:
    """All of a head and a part of it, in both layouts, against matrices and complex numbers."""
    x, at = draw(3, 10, grad=False), torch.tensor([0, 7, 123_456])
    rotary = Rotary(base=base, width=width, layout=layout)
    got = rotary.rotate(x, at.to(x.device))
    for written_out in (by_matrices, by_complex_numbers):
        # An angle of 123,456 in float64 is right to 1e-11.
        want = written_out(x, at, layout, width or 10, base)
        torch.testing.assert_close(got, want, atol=1e-9, rtol=0)
    torch.testing.assert_close(got.norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(got[0], x[0])  # at position 0 nothing turns


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", [0, 100_000, 999_000])
def test_a_score_depends_on_the_distance_alone(layout: str, start: int, draw) -> None:
    """Up to position 1,000,000 in float32, for normal queries and keys of width 64.

    Rounding 64 products in float32 costs up to 6e-6; angles in float32 would cost 0.05.
    """
    query, key = draw(200, 1, 64, dtype=torch.float32), draw(200, 1, 64, dtype=torch.float32)
    distance = torch.randint(0, 1000, (200, 1), generator=torch.Generator().manual_seed(0))
    distance, rotary = distance.to(query.device), Rotary(layout=layout)

    def score(shift: int, dtype: torch.dtype = torch.float32) -> Tensor:
        at = torch.full_like(distance, shift)
        q, k = rotary.rotate(query.to(dtype), at + distance), rotary.rotate(key.to(dtype), at)
        return (q * k).sum(-1)

    exact = score(0, torch.float64).float()
    torch.testing.assert_close(score(start), exact, atol=2e-5, rtol=0)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31 - 1), st.integers(0, 10**6), st.integers(-(10**6), 10**6),
       st.sampled_from(LAYOUTS), st.sampled_from([2, 6, 64]))  # fmt: skip
def test_the_relative_law(seed: int, at: int, shift: int, layout: str, width: int) -> None:
    x = torch.randn(2, 64, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    rotary = Rotary(width=width, layout=layout)

    def score(p: int, q: int) -> Tensor:
        rotated = rotary.rotate(x, torch.tensor([p, q]))
        return rotated[0] @ rotated[1]

    # An angle of 2,000,000 in float64 is right to 2e-10, and there are 64 products of size 1.
    torch.testing.assert_close(score(at + shift, shift), score(at, 0), atol=1e-7, rtol=0)


@pytest.mark.untyped
def test_a_number_without_a_name_is_neither_a_width_nor_a_base() -> None:
    with pytest.raises(TypeError, match="positional argument"):
        Rotary(64)


@pytest.mark.untyped
def test_a_base_may_be_a_whole_number_of_any_size() -> None:
    x, at = torch.randn(5, 4), torch.arange(5)
    torch.testing.assert_close(Rotary(base=10**30).rotate(x, at), Rotary(base=1e30).rotate(x, at))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_half_precision_is_rounded_once(dtype: torch.dtype, layout: str, draw) -> None:
    x = draw(2, 3, 8, dtype=dtype)
    at = torch.tensor([5, 70, 900], device=x.device)
    rotary = Rotary(layout=layout)
    got = rotary.rotate(x, at)
    assert got.dtype == dtype
    assert torch.equal(got, rotary.rotate(x.float(), at).to(dtype))


class NoFloat64(TorchDispatchMode):
    """A device without float64, played by the meta device."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.ops.aten._to_copy.default and args[0].is_meta and kwargs.get("device"):
            return torch.zeros(args[0].shape, dtype=args[0].dtype)  # others have numbers to copy
        out = func(*args, **kwargs)
        for tensor in out if isinstance(out, tuple | list) else [out]:
            wide = isinstance(tensor, Tensor) and tensor.dtype == torch.float64
            assert not (wide and tensor.is_meta), f"{func} in float64"
        return out


def test_a_device_without_float64_takes_its_tables_from_the_cpu(monkeypatch) -> None:
    x = torch.empty(2, 3, 4, device="meta")
    with NoFloat64():
        with pytest.raises(AssertionError, match="in float64"):
            Rotary().place(x, x)
        assert "mps" in tables.WITHOUT_FLOAT64  # whose place meta takes
        monkeypatch.setattr(tables, "WITHOUT_FLOAT64", {"meta"})
        query, _ = Rotary().place(x, x)
    assert query.is_meta


@pytest.mark.parametrize(("dtype", "digits"), [(torch.float64, 53), (torch.bfloat16, 8)])
def test_alibi_is_exact_before_it_is_rounded_once(dtype: torch.dtype, digits: int) -> None:
    """With slopes that are no powers of 2, and distances that half precision does not have."""
    heads, keys = 12, 700
    got = ALiBi().bias(torch.zeros(heads, 2, 4, dtype=dtype), keys).double()
    steep = torch.tensor(slopes(heads), dtype=torch.float64)[:, None, None]
    at = torch.arange(keys, dtype=torch.float64)
    want = -steep * (torch.tensor([[698.0], [699.0]]) - at).abs()
    assert steep[8].log2() % 1 != 0
    # One rounding to that many digits; before it, for bfloat16, one to the 24 of float32.
    torch.testing.assert_close(got, want, rtol=1.01 * 2.0**-digits, atol=0)


@pytest.mark.parametrize("width", [2, 6])
def test_sinusoidal_written_out(width: int, device: str) -> None:
    at = torch.tensor([[0, 1, 50], [-3, 7, 40_000]], device=device)
    got = sinusoidal(at, width, base=1000.0, dtype=torch.float64)
    for b, i, j in ((b, i, j) for b in range(2) for i in range(3) for j in range(width)):
        angle = at[b, i].item() / 1000 ** ((j - j % 2) / width)
        want = math.cos(angle) if j % 2 else math.sin(angle)
        assert abs(got[b, i, j].item() - want) < 1e-9
    assert torch.equal(sinusoidal(at, width, base=1000.0), got.float())


@settings(deadline=None, max_examples=70)
@given(st.integers(1, 130))
def test_slopes_are_those_of_the_paper_s_code(heads: int) -> None:
    """The recursion that the authors published, in their words."""

    def get_slopes(n: int) -> list[float]:
        if math.log2(n).is_integer():
            start = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [start * start**i for i in range(n)]
        closest = 2 ** math.floor(math.log2(n))
        return get_slopes(closest) + get_slopes(2 * closest)[0::2][: n - closest]

    torch.testing.assert_close(torch.tensor(slopes(heads)), torch.tensor(get_slopes(heads)))


def test_alibi_written_out(device: str) -> None:
    query = torch.zeros(2, 3, 2, 4, dtype=torch.float64, device=device)
    bias = ALiBi().bias(query, keys=5)
    assert bias.shape == (3, 2, 5)
    for h, slope in enumerate([1 / 16, 1 / 256, 1 / 4]):
        for i in range(2):
            for j in range(5):
                assert bias[h, i, j].item() == -slope * abs(i + 3 - j)


WAYS = {
    "none": None,
    "nothing": Positions(),
    "rotary": Rotary(),
    "partial": Rotary(width=2, layout="interleaved"),
    "alibi": ALiBi(),
}


@pytest.mark.parametrize("keys", [5, 2])
@pytest.mark.parametrize("name", WAYS)
def test_a_module_with_positions_written_out(name: str, keys: int, draw) -> None:
    """Norm, then rotation, then scale, then cap, then bias: each by its definition.

    With 2 keys, the first of the 3 queries stands at position -1.
    """
    x, memory = draw(2, 3, 12), draw(2, keys, 12)
    query_at, key_at = torch.arange(keys - 3, keys), torch.arange(keys)
    options = {"positions": WAYS[name], "qk_norm": 1e-3, "softcap": 0.7, "scale": 0.9}
    attend = MultiHeadAttention(12, 6, num_kv_heads=3, head_dim=4, **options)
    attend = attend.to(x.device, torch.float64)
    torch.nn.init.normal_(attend.query_norm.weight)
    torch.nn.init.normal_(attend.key_norm.weight)
    parts = []
    for linear, norm, tokens, heads in (
        (attend.query_proj, attend.query_norm, x, 6),
        (attend.key_proj, attend.key_norm, memory, 3),
    ):
        part = linear(tokens).reshape(2, -1, heads, 4)
        part = part / (part.square().mean(-1, keepdim=True) + 1e-3).sqrt() * norm.weight
        parts.append(part.repeat_interleave(6 // heads, dim=2))
    query, key = parts
    if name in ("rotary", "partial"):
        how = ("half", 4) if name == "rotary" else ("interleaved", 2)
        for part, at in ((query, query_at), (key, key_at)):
            for b, h in ((b, h) for b in range(2) for h in range(6)):
                part[b, :, h] = by_matrices(part[b, :, h].clone(), at, *how, 10_000.0)
    scores = torch.einsum("bihd,bjhd->bhij", query, key) * 0.9
    scores = 0.7 * torch.tanh(scores / 0.7)
    if name == "alibi":
        distance = (query_at[:, None] - key_at).abs().to(x.device)
        scores = scores - torch.tensor(slopes(6)).to(scores)[:, None, None] * distance
    _, weights = attend(x, memory, return_weights=True)
    torch.testing.assert_close(weights, scores.softmax(-1))


@pytest.mark.parametrize("name", ["rotary", "partial", "alibi"])
@pytest.mark.parametrize("batch", [(2,), (3, 2)])
def test_positions_count_from_the_first_real_token(name: str, batch: tuple[int, ...], draw) -> None:
    """Padding on the left moves no token: each sequence gives what it gives alone."""
    attend = MultiHeadAttention(12, 6, num_kv_heads=2, head_dim=4, positions=WAYS[name])
    attend, lengths = attend.to(draw(1).device, torch.float64), torch.tensor([7, 4])
    x = draw(*batch, 7, 12)
    padding = Padding(lengths, side="left").to(x.device)
    mask = SlidingWindow(5) & (Causal() & padding)
    got = attend(x, mask=mask)
    short = attend(x[..., 1, 3:, :], mask=Causal() & SlidingWindow(5))
    torch.testing.assert_close(got[..., 1, 3:, :], short)
    other = attend(x, mask=padding & Causal() & SlidingWindow(5) & padding)
    torch.testing.assert_close(other, got)


def test_what_a_mask_calls_first() -> None:
    left, right = Padding(torch.tensor([2, 5]), side="left"), Padding(torch.tensor([2, 5]))
    assert (
        (Causal() & SlidingWindow(2)).first(9) == right.first(9) == (left | Causal()).first(9) == 0
    )
    other = Padding(torch.tensor([4, 1]), side="left")
    for mask, want in ((left, [7, 4]), (left & right, [7, 4]), (right & left, [7, 4]),
                       (left & other, [7, 8]), (left & From(5), [7, 5]),
                       (From(5) & left, [7, 5])):  # fmt: skip
        assert mask.first(9).tolist() == want
        with torch.device("meta"):  # which is for new tensors
            assert mask.first(9).tolist() == want
    whole = Padding(torch.tensor([9, 5]), side="left")
    assert (From(1) & whole).first(9).tolist() == (whole & From(1)).first(9).tolist() == [1, 4]
    assert (From(5) & Causal()).first(9) == (Causal() & From(5)).first(9) == 5


@dataclass(frozen=True)
class From(Mask):
    at: int

    def __call__(self, batch: Any, head: Any, query: Any, key: Any) -> Any:
        return key >= self.at

    def first(self, keys: int) -> int:
        return self.at


def test_a_number_says_where_all_begin_as_a_tensor_does(draw) -> None:
    query, key = draw(2, 6, 7, 4, dtype=torch.float32), draw(2, 3, 7, 4, dtype=torch.float32)
    each = Rotary().place(query, key, first=torch.full((2,), 3, device=query.device))
    for one, other in zip(Rotary().place(query, key, first=3), each, strict=True):
        assert torch.equal(one, other)
    assert not torch.equal(Rotary().place(query, key)[0], each[0])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rotary_placed_from_the_first_token_turns_by_small_angles(layout: str, draw) -> None:
    """The very numbers of an unpadded sequence: where it begins leaves no trace, not one bit."""
    query, key = draw(2, 6, 7, 4, dtype=torch.float32), draw(2, 3, 7, 4, dtype=torch.float32)
    rotary, first = Rotary(layout=layout), torch.tensor([0, 3], device=query.device)
    got = rotary.place(query, key, past=0, first=first)
    alone = rotary.place(query[1, :, 3:], key[1, :, 3:])
    for one, other in zip(got, alone, strict=True):
        assert torch.equal(one[1, :, 3:], other)
    got = rotary.place(query[:, :, 5:], key[:, :, 4:], past=4, first=first)
    assert torch.equal(got[0][1], alone[0][:, 2:])
    assert torch.equal(got[1][1], alone[1][:, 1:])


class Told(Positions):
    """Positions that write down where they are told that tokens stand."""

    def __init__(self) -> None:
        self.calls = []

    def place(self, query, key, past=0, first=0):
        self.calls.append((past, torch.as_tensor(first).tolist()))
        return query, key


def test_positions_of_one_s_own_are_told_where_tokens_stand() -> None:
    told = Told()
    attend, cache = MultiHeadAttention(8, 2, positions=told), KVCache()
    left = Causal() & Padding(torch.tensor([5, 2, 9]), side="left")
    attend(torch.randn(2, 3, 5, 8), mask=left)  # two batch axes
    attend(torch.randn(5, 8))
    for count in (3, 1):
        attend(torch.randn(1, count, 8), mask=Causal(), cache=cache)
    assert told.calls == [(0, [0, 3, 0]), (0, 0), (0, 0), (3, 0)]


def test_one_length_stands_for_all_sequences() -> None:
    attend, x = MultiHeadAttention(8, 2, positions=Rotary()), torch.randn(3, 5, 8)
    one, each = (Padding(torch.tensor([3] * count), side="left") for count in (1, 3))
    torch.testing.assert_close(attend(x, mask=Causal() & one), attend(x, mask=Causal() & each))
