"""Masks by hand, and against what else says the same."""

import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention.bias import causal_lower_right

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)

from .kinds import IDS, LENGTHS


def rows(mask: Mask, queries: int, keys: int) -> list[str]:
    """As text, a word a row: so that a test shows what it expects."""
    grid = mask.to_tensor(queries, keys).int().tolist()
    return ["".join("x" if keep else "." for keep in row) for row in grid]


def test_by_hand() -> None:
    assert rows(Causal(), 2, 4) == ["xxx.", "xxxx"]
    assert rows(Causal(), 3, 1) == [".", ".", "x"]
    assert Causal().to_tensor(0, 3).shape == (0, 3)
    assert rows(SlidingWindow(2), 4, 4) == ["xx..", "xxx.", ".xxx", "..xx"]
    assert rows(Causal() & SlidingWindow(2), 2, 4) == [".xx.", "..xx"]
    assert rows(SlidingWindow(1), 2, 3) == [".x.", "..x"]
    assert rows(PrefixLM(2), 4, 4) == ["xx..", "xx..", "xxx.", "xxxx"]
    assert rows(PrefixLM(0), 2, 4) == rows(Causal(), 2, 4)
    assert rows(~Causal(), 2, 4) == ["...x", "...."]
    assert rows(Causal() | SlidingWindow(2), 3, 3) == ["xx.", "xxx", "xxx"]


def test_padding_by_hand() -> None:
    right = Padding(LENGTHS).to_tensor(2, 5)
    assert right.shape == (3, 1, 2, 5)
    assert right[:, 0, 0].int().tolist() == [[1, 1, 1, 0, 0], [0] * 5, [1] * 5]
    left = Padding(LENGTHS, side="left").to_tensor(2, 5)
    assert left[:, 0, 1].int().tolist() == [[0, 0, 1, 1, 1], [0] * 5, [1] * 5]
    # One more key, one more token a sequence: the padding stays where it was.
    assert torch.equal(Padding(LENGTHS + 1, side="left").to_tensor(2, 6)[..., :5], left)


def test_documents_by_hand() -> None:
    keep = Documents(IDS).to_tensor(2, 5)[:, 0].int().tolist()
    assert keep[0] == [[0, 0, 1, 1, 1], [0, 0, 1, 1, 1]]
    assert keep[1] == [[1, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    more = Documents(IDS[:1, :2]).to_tensor(4, 2)[0, 0]  # the first two stand before all keys
    assert more.int().tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]
    assert Documents(IDS[:, :0]).to_tensor(2, 0).shape == (3, 1, 2, 0)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_window_against_two_oracles(width: int, queries: int, keys: int) -> None:
    """A band between two triangles, and a list of `width` positions for each query."""
    offset = keys - queries
    ones = torch.ones(queries, keys, dtype=torch.bool)
    band = ones.tril(offset + width - 1) & ones.triu(offset - width + 1)
    assert torch.equal(SlidingWindow(width).to_tensor(queries, keys), band)
    causal = (Causal() & SlidingWindow(width)).to_tensor(queries, keys)
    for i in range(queries):
        own = i + offset
        near = [j for j in range(own - width + 1, own + 1) if 0 <= j < keys]
        assert causal[i].nonzero().flatten().tolist() == near
        if own >= width - 1:
            assert len(near) == width


@pytest.mark.parametrize(("queries", "keys"), [(3, 3), (2, 5), (1, 4)])
def test_causal_against_torch(queries: int, keys: int) -> None:
    theirs = causal_lower_right(queries, keys)._materialize()
    assert torch.equal(Causal().to_tensor(queries, keys), theirs)


@pytest.mark.parametrize("width", [1 << 62, sys.maxsize])
def test_a_window_without_a_limit_hides_nothing(width: int) -> None:
    x = torch.randn(1, 4, 512, 16)
    got = dot_product_attention(x, x, x, Causal() & SlidingWindow(width), backend="spans")
    torch.testing.assert_close(got, dot_product_attention(x, x, x, Causal()))


def test_an_entry_of_a_tensor_is_its_own() -> None:
    for mask in (Padding(torch.tensor([3])), PrefixLM(3), Causal()):
        keep, want = mask.to_tensor(3, 3), mask.to_tensor(3, 3).clone()
        keep[..., 0, 0] = want[..., 0, 0] = False
        assert torch.equal(keep, want)


@pytest.mark.untyped  # to jaxtyping, integers have a sign
def test_lengths_of_eight_bits_do_not_wrap() -> None:
    rule = Padding(torch.tensor([200, 100], dtype=torch.uint8)).mask_mod(1, 400)
    assert [bool(rule(0, 0, 0, key)) for key in (199, 200, 300)] == [True, False, False]
