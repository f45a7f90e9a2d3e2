"""Masks by hand, against FlexAttention's own rules, and as values."""

import copy
import operator
import pickle
import sys
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import create_mask
from torch.nn.functional import max_pool2d

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.holding import held
from attention.masks.shifted import Shifted

LENGTHS = torch.tensor([3, 0, 5])
IDS = torch.tensor([[0, 0, 1, 1, 1], [4, 2, 2, 4, 0], [7, 7, 7, 7, 7]])
MASKS = {
    "causal": Causal(),
    "window": SlidingWindow(2),
    "causal window": Causal() & SlidingWindow(3),
    "right": Padding(LENGTHS),
    "left": Padding(LENGTHS, side="left"),
    "documents": Documents(IDS),
    "one sequence": Documents(IDS[:1]),
    "packed": Documents(IDS.sort(descending=True).values),
    "prefix": PrefixLM(2),
    "not": ~Causal(),
    "or": SlidingWindow(1) | Padding(LENGTHS, side="left"),
    "all": Causal() & Documents(IDS) & ~Padding(LENGTHS) | PrefixLM(1),
}


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


@pytest.mark.untyped  # FlexAttention counts a rule's parameters, which beartype hides
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("queries", [2, 7])
def test_one_rule_in_every_form(name: str, queries: int, device: str) -> None:
    """Tensor, `mask_mod` under FlexAttention's vmap, block mask: the same."""
    mask = MASKS[name].to(device)
    dense = mask.to_tensor(queries, 5, device=device)
    batch = mask.batch or 1
    assert dense.shape == ((queries, 5) if mask.batch is None else (batch, 1, queries, 5))
    theirs = create_mask(mask.mask_mod(queries, 5), batch, 1, queries, 5, device=device)
    assert torch.equal(dense.expand(batch, 1, queries, 5), theirs)
    blocks = mask.block_mask(queries, 5, device=device, block_size=2)
    want = max_pool2d(dense.expand(batch, 1, queries, 5).float(), 2, ceil_mode=True)
    assert torch.equal(blocks.to_dense().float(), want)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(MASKS)), st.integers(1, 9), st.data())
def test_a_span_is_never_too_short(name: str, queries: int, data: st.DataObject) -> None:
    mask, keys = MASKS[name], 5
    dense = mask.to_tensor(queries, keys).expand(mask.batch or 1, 1, queries, keys)
    first = data.draw(st.integers(0, queries - 1))
    last = data.draw(st.integers(first, queries - 1))
    start, stop = mask.span(first + keys - queries, last + keys - queries, keys)
    assert 0 <= start <= stop <= keys
    seen = dense[:, :, first : last + 1].any(dim=(0, 1, 2)).nonzero().flatten().tolist()
    assert all(start <= j < stop for j in seen)
    start = data.draw(st.integers(0, keys))
    stop = data.draw(st.integers(start, keys))
    if mask.full(first + keys - queries, last + keys - queries, start, stop):
        assert dense[:, :, first : last + 1, start:stop].all()
    part = mask.tile(queries, keys, slice(first, last + 1), slice(start, stop))
    want = dense[:, :, first : last + 1, start:stop]
    assert torch.equal(part.expand(mask.batch or 1, 1, -1, -1), want)


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("queries", [1, 2, 5, 9])
@pytest.mark.parametrize("by", [0, 2])
def test_intervals_say_what_the_rule_says(name: str, queries: int, by: int) -> None:
    """Exactly, for every mask but those with a document in pieces, of which they say nothing."""
    mask, keys = Shifted(MASKS[name], by), 5 - by
    found = mask.over(keys).intervals(torch.arange(keys - queries, keys), keys)
    if name in {"documents", "all"}:
        assert found is None
        return
    assert found is not None
    key = torch.arange(keys)
    seen = torch.zeros(1, queries, keys, dtype=torch.bool)
    for start, stop in found:
        start, stop = (torch.as_tensor(x)[..., None] for x in (start, stop))
        seen = seen | ((key >= start) & (key < stop))
    want = mask.to_tensor(queries, keys).expand(mask.batch or 1, 1, queries, keys)[:, 0]
    assert torch.equal(seen.expand_as(want), want)


def test_a_new_rule_takes_over_nothing_that_was_said_of_an_old_one() -> None:
    class Later(Causal):
        def __call__(self, batch, head, query, key):
            return key >= query

    assert Later().span(2, 2, 5) == (0, 5)
    assert not Later().full(2, 2, 0, 1)
    assert Later().intervals(torch.tensor([2]), 5) is None
    assert Causal().relative
    assert not Later().relative

    class Even:
        def __call__(self, batch, head, query, key):
            return key % 2 == 0

    class Both(Even, Causal):
        """Its rule is that of a class that is no mask."""

    assert Both().to_tensor(1, 3).tolist() == [[True, False, True]]
    assert Both().span(0, 0, 3) == (0, 3)
    assert not Both().relative

    class Near(Causal):
        def span(self, first, last, keys):
            return 0, last + 1

    class All(Near):
        def __call__(self, batch, head, query, key):
            return key >= 0

    assert Near().span(2, 2, 9) == (0, 3)
    assert All().span(2, 2, 9) == (0, 9)

    class Short(Padding):
        def __call__(self, batch, head, query, key):
            return key < self.lengths[batch] - 1

    mask = Short(torch.tensor([3]), side="left")
    assert mask.to_tensor(1, 4).tolist() == [[[[True, True, False, False]]]]
    assert mask.first(4) == 0  # also where the tokens stand is said anew


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(MASKS)), st.integers(1, 9), st.integers(0, 4))
def test_a_mask_whose_first_keys_are_gone(name: str, queries: int, by: int) -> None:
    """It is what is left of the whole table, and says as much of spans."""
    mask, keys = MASKS[name], 5
    left = Shifted(mask, by)
    assert torch.equal(left.to_tensor(queries, keys - by), mask.to_tensor(queries, keys)[..., by:])
    start, stop = left.span(keys - by - queries, keys - by - 1, keys - by)
    dense = left.to_tensor(queries, keys - by).reshape(-1, keys - by).any(dim=0)
    assert not dense[:start].any()
    assert not dense[stop:].any()
    if mask.relative:
        count = keys - by
        assert torch.equal(mask.to_tensor(queries, count), left.to_tensor(queries, count))


def test_what_structured_masks_say_of_full_stretches_is_exact() -> None:
    assert Causal().full(10, 15, 0, 11)
    assert not Causal().full(10, 15, 0, 12)
    assert SlidingWindow(3).full(10, 11, 9, 13)
    assert not SlidingWindow(3).full(10, 11, 8, 13)
    assert not SlidingWindow(3).full(10, 11, 9, 14)
    assert (Causal() & SlidingWindow(3)).full(10, 10, 8, 11)
    assert not (Causal() & SlidingWindow(3)).full(10, 10, 8, 12)
    assert (Causal() | SlidingWindow(3)).full(10, 10, 0, 11)
    assert (Causal() | SlidingWindow(3)).full(10, 10, 8, 13)
    assert PrefixLM(20).full(3, 5, 0, 20)
    assert PrefixLM(2).full(3, 5, 0, 4)
    assert not PrefixLM(2).full(3, 5, 0, 5)
    assert not (~Causal()).full(3, 5, 0, 0)


def test_spans_of_structured_masks_are_exact() -> None:
    assert Causal().span(10, 15, 100) == (0, 16)
    assert SlidingWindow(3).span(10, 15, 100) == (8, 18)
    assert (Causal() & SlidingWindow(3)).span(10, 15, 100) == (8, 16)
    assert (Causal() | SlidingWindow(3)).span(10, 15, 100) == (0, 18)
    assert PrefixLM(20).span(10, 15, 100) == (0, 20)
    assert PrefixLM(20).span(90, 95, 94) == (0, 94)
    assert PrefixLM(2).span(10, 15, 100) == (0, 16)
    assert Shifted(Causal() & SlidingWindow(3), 2).span(10, 15, 98) == (8, 16)
    assert (~Causal()).span(10, 15, 100) == (0, 100)
    assert Causal().span(-5, -2, 3) == (0, 0)
    assert SlidingWindow(2).span(-5, -3, 3) == (0, 0)


def test_a_mask_that_every_count_of_keys_suits_is_not_made_anew() -> None:
    lengths = torch.tensor([3, 2])
    for mask in (Causal() & SlidingWindow(2) | Padding(lengths), ~(Causal() | PrefixLM(2))):
        assert mask.over(5) is mask
    left = Padding(lengths, side="left")
    at = torch.arange(5)
    real, past = (at >= 5 - lengths[:, None])[:, None, None], at <= at[:, None]
    for mask, want in (
        (~left, ~real),
        (Causal() & left, past & real),
        (left | Causal(), past | real),
    ):
        assert mask.over(5) is not mask
        assert torch.equal(mask.over(5).to_tensor(5, 5), want.expand(2, 1, 5, 5))


def test_what_padding_says_of_stretches_is_exact() -> None:
    lengths = torch.tensor([3, 2])
    right, left = Padding(lengths), Padding(lengths, side="left")
    assert right.span(0, 4, 5) == (0, 3)
    assert right.full(0, 4, 0, 2)
    assert not right.full(0, 4, 0, 3)
    assert left.over(5).span(0, 4, 5) == (2, 5)
    assert left.over(5).full(0, 4, 3, 5)
    assert not left.over(5).full(0, 4, 2, 5)
    # Whoever does not know how many keys there are, or what the lengths are, leaves out nothing.
    elsewhere = [Padding(lengths.to("meta"), side=side).over(5) for side in ("right", "left")]
    for mask in (left, *elsewhere):
        assert mask.span(0, 4, 5) == (0, 5)
        assert not mask.full(0, 4, 0, 1)
        assert not mask.full(0, 4, 4, 5)


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


def test_a_mask_is_a_mask_mod() -> None:
    """Called with single indices, as FlexAttention does, under vmap or not."""
    assert Causal()(0, 0, 3, 3)
    assert not Causal()(0, 0, 3, 4)
    assert (~Causal())(0, 0, 3, 4) is True
    assert Causal()(0, 0, torch.tensor(3), torch.tensor([3, 4])).tolist() == [True, False]
    assert not Documents(IDS)(1, 0, 3, 4)
    assert Documents(IDS)(1, 0, 3, 0)


def test_a_mask_is_a_value() -> None:
    assert Causal() == Causal()
    assert Causal() & SlidingWindow(2) == Causal() & SlidingWindow(2)
    assert Causal() & SlidingWindow(2) != Causal() | SlidingWindow(2)
    assert len({Causal(), Causal(), SlidingWindow(2), SlidingWindow(3)}) == 3
    assert repr(~(Causal() & PrefixLM(2) | SlidingWindow(3))) == (
        "~((Causal() & PrefixLM(length=2)) | SlidingWindow(width=3))"
    )
    padding = Padding(LENGTHS)
    assert padding == padding
    assert padding != Padding(LENGTHS)  # tensors have no single answer to ==
    assert len({padding, Padding(LENGTHS)}) == 2


@pytest.mark.parametrize("name", MASKS)
def test_copies_and_pickles(name: str) -> None:
    mask = MASKS[name]
    for other in (copy.deepcopy(mask), pickle.loads(pickle.dumps(mask))):
        assert torch.equal(other.to_tensor(4, 5), mask.to_tensor(4, 5))
        assert repr(other) == repr(mask)


def test_a_mask_of_ones_own() -> None:
    class Everything(Mask):
        def __call__(self, batch, head, query, key):
            return True

    assert Everything().to_tensor(2, 3).tolist() == [[True] * 3] * 2
    assert Everything().to_tensor(2, 3).device.type == "cpu"
    assert not (~Everything()).to_tensor(2, 3).any()


def test_a_mask_that_holds_its_tensor_keeps_it_to_itself() -> None:
    class Table(Mask):
        held = torch.ones(2, 3, dtype=torch.bool)

        def __call__(self, batch, head, query, key):
            return self.held

    Table().to_tensor(2, 3).zero_()
    assert Table.held.all()
    Table.held = torch.ones(3, 2, dtype=torch.bool).T
    assert Table().to_tensor(2, 3).is_contiguous()


@pytest.mark.parametrize("kind", [list, tuple])
def test_stretches_may_come_in_a_list_or_a_tuple(kind: type) -> None:
    class Sinks(Mask):
        def __call__(self, batch, head, query, key):
            return key < 4

        def intervals(self, query, keys):
            return kind([(0, 4)])

    x = torch.randn(1, 2, 40, 8)
    for mask in (Sinks(), Causal() & (SlidingWindow(8) | Sinks()), Causal() & ~Sinks()):
        got = dot_product_attention(x, x, x, mask, backend="spans")
        want = dot_product_attention(x, x, x, mask, backend="eager")
        torch.testing.assert_close(got, want)


def test_a_mask_that_tells_heads_apart() -> None:
    class Widths(Mask):
        heads = 2

        def __call__(self, batch, head, query, key):
            return query - key <= head

    keep = (Widths() & Causal()).to_tensor(3, 3)
    assert keep.shape == (2, 3, 3)
    assert keep[0].equal(torch.eye(3, dtype=torch.bool))
    assert keep[1].equal((Causal() & SlidingWindow(2)).to_tensor(3, 3))
    assert (~Widths() | Padding(LENGTHS)).to_tensor(2, 5).shape == (3, 2, 2, 5)


def test_a_rule_that_tells_apart_more_than_it_says_is_refused() -> None:
    class First(Mask):
        batch = 3

        def __call__(self, batch, head, query, key):
            return (batch < 3) & (head == 0) & (key <= query)

    keep = First().to_tensor(2, 3)
    assert torch.equal(keep, Causal().to_tensor(2, 3).expand(3, 1, 2, 3))
    with pytest.raises(ValueError, match="needs the property batch or heads$"):
        type("Silent", (First,), {"batch": None})().to_tensor(2, 3)


def test_a_picture_fills_what_is_seen() -> None:
    """One subpath for each True, in its row and column; one group for each sequence."""
    for name, (queries, keys) in product(MASKS, [(2, 5), (5, 5)]):
        mask = MASKS[name]
        picture = mask.svg(queries, keys)
        keep = mask.to_tensor(queries, keys)
        assert picture.count("h1v1h-1z") == keep.sum()
        assert picture.count("<g ") == (mask.batch or 1)
    assert "M2 0h1v1h-1z" in Causal().svg(2, 4)
    assert "M3 0h1v1h-1z" not in Causal().svg(2, 4)
    assert "<title>Causal(): a row for each query" in Causal().svg(2, 4)


def test_a_notebook_shows_the_picture() -> None:
    assert Causal()._repr_html_() == Causal().svg(8, 8)
    assert Documents(IDS)._repr_html_() == Documents(IDS).svg(5, 5)
    long = Documents(torch.zeros(1, 100, dtype=torch.int64))
    assert long._repr_html_() is None  # the notebook falls back to the text


class Spanned:
    """What a mask may take over beside its rule."""

    def span(self, first, last, keys):
        return 0, last + 1


def test_a_mask_may_have_other_bases_and_their_keywords() -> None:
    class Tagged:
        def __init_subclass__(cls, tag: str) -> None:
            cls.tag = tag

    class Early(Spanned, Mask, Tagged, tag="early"):
        def __call__(self, batch, head, query, key):
            return key <= query

    assert Early.tag == "early"
    assert Early().span(0, 1, 5) == (0, 2)
    assert Early().to_tensor(3, 3).equal(Causal().to_tensor(3, 3))

    class Every(Early, tag="every"):
        def __call__(self, batch, head, query, key):
            return key >= 0

    assert Every().span(0, 1, 5) == (0, 5)  # what was said of the old rule is not of the new one


class Until(Mask):
    """What it holds its slots say."""

    __slots__ = ()

    def __init__(self, lengths: torch.Tensor) -> None:
        self.lengths = lengths

    def __call__(self, batch, head, query, key):
        return key < self.lengths[0]


class Slotted(Until):
    __slots__ = ("lengths", "unset")


class _XPrivate(Mask):
    __slots__ = ("__lengths",)

    def __init__(self, lengths: torch.Tensor) -> None:
        self.__lengths = lengths

    def __call__(self, batch, head, query, key):
        return key < self.__lengths[0]


class One(Until):
    __slots__ = "lengths"


class Settings(NamedTuple):
    more: int


@dataclass
class Config:
    owner: Mask
    lengths: torch.Tensor


class Configured(Mask):
    """It holds itself, and a data class that holds it too, and the class of its settings."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.me, self.kind, self.config = self, Settings, Config(self, lengths)

    def __call__(self, batch, head, query, key):
        return key < self.config.lengths[0]


@dataclass(frozen=True)
class Derived(Mask):
    """It has another tensor of the one that it is given."""

    lengths: torch.Tensor

    def __post_init__(self) -> None:
        object.__setattr__(self, "pair", (self.lengths, self.lengths + 1))

    def __call__(self, batch, head, query, key):
        return key < self.pair[1][0]


def test_what_a_mask_holds_is_found_wherever_it_lies() -> None:
    query = torch.empty(1, 1, 3, 4, device="meta")
    with pytest.raises(ValueError, match=r"^Config holds lengths on cpu: expected meta"):
        dot_product_attention(query, query, query, Configured(torch.tensor([2])))
    x, lengths = torch.randn(1, 1, 3, 4).requires_grad_(), torch.tensor([2])
    context = dot_product_attention(x, x, x, Configured(lengths), backend="tiled")
    lengths.fill_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        context.sum().backward()


@dataclass(frozen=True)
class Made(Mask):
    """One tensor is no argument."""

    count: torch.Tensor
    lengths: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", self.count.clone())

    def __call__(self, batch, head, query, key):
        return key < self.lengths[0]


class Told(Padding):
    """It is made of something else than what its base holds."""

    def __init__(self, ids: torch.Tensor) -> None:
        super().__init__((ids != 0).sum(-1, keepdim=True))


class Both(Mask):
    """A pair, and a data class that is no mask and holds it."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.pair = Settings(2), {"lengths": [lengths]}
        self.size = lengths.shape
        self.config = Config(self, lengths)

    def __call__(self, batch, head, query, key):
        return key < self.config.lengths[0]


class Listed(Mask):
    """What it holds lies in a list, behind itself."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.tables = [self, lengths]

    def __call__(self, batch, head, query, key):
        return key < self.tables[1][0]


@pytest.mark.parametrize("kind", [_XPrivate, One, Derived, Made, Told, Configured, Both, Listed])
def test_a_mask_moves_whole(kind: type[Mask]) -> None:
    first = kind(torch.tensor([2]))
    mask = first.to("meta")
    assert {tensor.device.type for *_, tensor in held(first)} == {"cpu"}
    assert type(mask) is kind
    assert mask.to_tensor(3, 3, device="meta").is_meta
    assert {tensor.device.type for *_, tensor in held(mask)} == {"meta"}
    assert kind is not Derived or mask.pair[1].is_meta
    assert kind is not Configured or mask.config.owner is mask is mask.me
    assert kind is not Both or mask.pair[1]["lengths"][0].is_meta


class Holding(Mask):
    def __init__(self, inner: Mask) -> None:
        self.inner, self.name = inner, "held"

    def __call__(self, batch, head, query, key):
        return self.inner(batch, head, query, key)


@pytest.mark.parametrize("make", [Slotted, lambda x: Holding(Slotted(x)), lambda x: ~Slotted(x)])
def test_any_mask_moves_with_what_it_holds(make) -> None:
    mask = make(torch.tensor([2]))
    moved = mask.to("meta")
    assert type(moved) is type(mask)
    assert moved.to_tensor(3, 3, device="meta").shape == (3, 3)
    assert mask.to_tensor(3, 3).device.type == "cpu"
    query = torch.empty(1, 1, 3, 4, device="meta")
    with pytest.raises(ValueError, match=r"^Slotted holds lengths on cpu: expected meta, as mask"):
        dot_product_attention(query, query, query, mask)
    assert dot_product_attention(query, query, query, moved).device.type == "meta"


def test_a_block_mask_is_made_where_its_mask_is() -> None:
    for mask in (Padding(torch.tensor([2])), Padding(torch.tensor([2]), side="left")):
        with pytest.raises(
            ValueError, match=r"^Padding holds lengths on cpu: expected meta, as ma"
        ):
            mask.block_mask(3, 3, device="meta")


@pytest.mark.untyped
@pytest.mark.parametrize("name", ["queries", "keys", "block_size"])
def test_a_block_mask_has_queries_keys_and_blocks(name: str) -> None:
    sizes = {"queries": 1, "keys": 1, "block_size": 1}
    assert Causal().block_mask(**sizes).to_dense().shape == (1, 1, 1, 1)
    with pytest.raises(ValueError, match=f"^{name} is 0: expected a count of at least 1$"):
        Causal().block_mask(**{**sizes, name: 0})


@pytest.mark.untyped  # FlexAttention counts a rule's parameters, which beartype hides
def test_blocks_may_have_more_queries_than_keys() -> None:
    blocks = Causal().block_mask(8, 8, block_size=(4, 2))
    assert blocks.BLOCK_SIZE == (4, 2)
    assert blocks.to_dense().shape == (1, 1, 2, 4)
    with pytest.raises(ValueError, match=r"^block_size is 0: expected a count of at least 1$"):
        Causal().block_mask(8, 8, block_size=(4, 0))
    for size in ((), (4, 2, 1)):
        with pytest.raises(ValueError, match=rf"^block_size has {len(size)} numbers: expected one"):
            Causal().block_mask(8, 8, block_size=size)


def test_a_notebook_shows_no_picture_of_many_sequences() -> None:
    assert Documents(torch.zeros(16, 16, dtype=torch.int64))._repr_html_() is not None
    assert Documents(torch.zeros(17, 16, dtype=torch.int64))._repr_html_() is None

    class Heads(Causal):
        heads = 65

    assert Heads()._repr_html_() is None  # of 8 keys
    Heads.heads = 64
    assert Heads()._repr_html_() is not None


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


class TooLong(Mask):
    """A window whose span reaches beyond the keys there are, as it may."""

    def __call__(self, batch, head, query, key):
        return (key > query - 3) & (key <= query)

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return first - 2, last + 100


@pytest.mark.parametrize("backend", ["auto", "fused", "eager", "tiled"])
@pytest.mark.parametrize("queries", [3, 9])
def test_a_span_may_reach_beyond_the_keys(backend: str, queries: int) -> None:
    x = torch.randn(1, 2, 9, 4)
    for mask in (TooLong(), TooLong() | TooLong()):
        seen = mask.to_tensor(queries, 9)
        want = dot_product_attention(x[:, :, -queries:], x, x, seen, backend="eager")
        got = dot_product_attention(x[:, :, -queries:], x, x, mask, backend=backend)
        torch.testing.assert_close(got, want)


def test_a_shifted_mask_is_seen_whole_where_its_mask_is() -> None:
    mask = Causal() & SlidingWindow(4) & Padding(torch.tensor([20, 18]), side="left")
    assert Shifted(mask, 15).over(5).full(4, 4, 1, 5)
    assert not Shifted(mask, 15).over(5).full(4, 4, 0, 5)


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


@pytest.mark.untyped  # they are no positions by the types
def test_positions_of_numpy_are_answered_by_a_mask_and_by_masks_together() -> None:
    mask, at = Causal() & SlidingWindow(4), np.arange(8)
    assert mask(0, 0, np.int64(5), np.int64(3))
    assert not (~mask)(0, 0, np.int64(5), np.int64(3))
    assert mask(0, 0, np.int64(5), at).tolist() == [2 <= key <= 5 for key in range(8)]


class Always(Mask):
    """A rule that says one thing of all pairs."""

    def __call__(self, batch, head, query, key):
        return True


def test_one_truth_for_all_pairs_combines() -> None:
    causal = Causal().to_tensor(4, 5)
    for mask in (Causal() & Always(), Always() & Causal(), Causal() | ~Always()):
        assert torch.equal(mask.to_tensor(4, 5), causal)
