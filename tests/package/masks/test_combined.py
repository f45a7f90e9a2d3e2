"""Masks with &, | and ~."""

import operator
from dataclasses import dataclass

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention.flex_attention import create_mask

from attention import Causal, Documents, Mask, Padding, SlidingWindow, dot_product_attention

from .kinds import IDS, LENGTHS, MASKS


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(sorted(MASKS)), st.sampled_from(sorted(MASKS)), st.integers(1, 7))
def test_boolean_algebra(one: str, other: str, queries: int) -> None:
    """De Morgan's laws and the double negation, and that each sign is the tensors' own."""
    a, b = MASKS[one], MASKS[other]
    if {a.batch, b.batch} == {1, 3}:
        return  # one row for all and a row each: tested below
    left, right = a.to_tensor(queries, 5), b.to_tensor(queries, 5)
    assert torch.equal((a & b).to_tensor(queries, 5), left & right)
    assert torch.equal((a | b).to_tensor(queries, 5), left | right)
    assert torch.equal((~(a & b)).to_tensor(queries, 5), (~a | ~b).to_tensor(queries, 5))
    assert torch.equal((~(a | b)).to_tensor(queries, 5), (~a & ~b).to_tensor(queries, 5))
    assert torch.equal((~~a).to_tensor(queries, 5), left)


def test_one_row_for_all_sequences() -> None:
    both = (Documents(IDS[:1]) & Padding(LENGTHS)).to_tensor(5, 5)
    parts = Documents(IDS[:1]).to_tensor(5, 5) & Padding(LENGTHS).to_tensor(5, 5)
    assert torch.equal(both, parts)


def test_a_mask_denied_twice_is_the_mask() -> None:
    """What it says of its rule is not lost on the way."""
    window = Causal() & SlidingWindow(2)
    assert ~~window is window
    assert (~~window).span(5, 5, 9) == (4, 6)


@dataclass(frozen=True, eq=False)
class OwnRows(Mask):
    """A rule that has a row for each of its sequences and heads, and asks for no other."""

    seen: torch.Tensor  # (batch, heads, keys)

    @property
    def batch(self) -> int:
        return self.seen.shape[0]

    @property
    def heads(self) -> int:
        return self.seen.shape[1]

    def __call__(self, batch, head, query, key):
        return self.seen[batch, head, key] & (query >= 0)


@pytest.mark.untyped  # as in test_one_rule_in_every_form
@pytest.mark.parametrize("combine", [operator.and_, operator.or_])
@pytest.mark.parametrize("turned", [False, True])
def test_one_sequence_and_one_head_of_ones_own_rule_stand_for_all(combine, turned: bool) -> None:
    torch.manual_seed(0)
    one, many = torch.rand(1, 1, 5) > 0.5, torch.rand(2, 3, 5) > 0.5
    pair = OwnRows(one), OwnRows(many)
    mask = combine(*pair[::-1] if turned else pair)
    want = combine(one, many)[:, :, None].expand(2, 3, 4, 5)
    assert torch.equal(mask.to_tensor(4, 5), want)
    x = torch.randn(3, 2, 3, 5, 8)
    got = dot_product_attention(x[0, :, :, :4], x[1], x[2], mask)
    torch.testing.assert_close(got, dot_product_attention(x[0, :, :, :4], x[1], x[2], want))
    told = create_mask(mask.mask_mod(4, 5), 2, 3, 4, 5, device="cpu")  # as FlexAttention asks
    assert torch.equal(told, want)


class Always(Mask):
    """A rule that says one thing of all pairs."""

    def __call__(self, batch, head, query, key):
        return True


def test_one_truth_for_all_pairs_combines() -> None:
    causal = Causal().to_tensor(4, 5)
    for mask in (Causal() & Always(), Always() & Causal(), Causal() | ~Always()):
        assert torch.equal(mask.to_tensor(4, 5), causal)
