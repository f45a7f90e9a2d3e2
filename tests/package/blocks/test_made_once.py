"""Plans and tables are made once, and anew when a mask changes."""

import pytest
import torch

from attention import Causal, Documents, Mask, Padding, SlidingWindow, blocks, dot_product_attention
from attention.blocks import cached, equal, make, rectangles
from attention.dispatch import route
from attention.kept import Kept

from .sequences import PACKED, drawn


def test_a_plan_is_made_once_and_anew_when_a_mask_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [], cached.make
    monkeypatch.setattr(cached, "make", lambda *x: made.append(1) or make(*x))
    monkeypatch.setattr(cached, "kept", Kept(2))
    ids = PACKED.clone()
    for _ in range(2):  # another mask, equal to the first
        blocks.plan(Causal() & Documents(ids), 300, 300)
    assert len(made) == 1
    ids[0, :100] = 5
    assert torch.equal(
        drawn(Documents(ids), 300, 300), Documents(ids).to_tensor(300, 300)[:, 0].int()
    )
    assert len(made) == 2
    blocks.plan(Causal(), 300, 300)
    blocks.plan(Causal(), 299, 300)
    assert len(made) == 4
    assert len(cached.kept.made) == 2  # the oldest are gone


def test_a_mask_that_holds_a_list_is_asked_each_time() -> None:
    class Listed(Causal):
        def __init__(self) -> None:
            object.__setattr__(self, "seen", [])

        def __call__(self, batch, head, query, key):
            self.seen.append(1)
            return key <= query

    mask, query = Listed(), torch.randn(1, 8, 4)
    want = dot_product_attention(query, query, query, Causal())
    for count in (1, 2):
        torch.testing.assert_close(dot_product_attention(query, query, query, mask), want)
        assert len(mask.seen) == count


def test_a_small_mask_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route, "kept", Kept(2))
    asked, tile = [], Mask.tile
    monkeypatch.setattr(Mask, "tile", lambda *x: asked.append(1) or tile(*x))
    query = torch.randn(1, 2, 8, 4)
    for _ in range(3):
        dot_product_attention(query, query, query, Causal() & SlidingWindow(3))
    assert len(asked) == 1
    lengths = torch.tensor([5])
    for length in (5, 5, 3):
        lengths[0] = length
        got = dot_product_attention(query, query, query, Causal() & Padding(lengths))
        keep = (Causal() & Padding(torch.tensor([length]))).to_tensor(8, 8)
        torch.testing.assert_close(got, dot_product_attention(query, query, query, keep))
    assert len(asked) == 1 + 2 + 3  # the last 3 by this test


def test_a_small_table_is_made_once() -> None:
    """Also by a mask that is not kept, in inference mode: a gradient may come later."""
    equal.again.cache_clear()
    with torch.inference_mode():
        first = make.make(Causal(), 64, 64, 32)
    packed = Causal() & Documents(torch.tensor([[0] * 64 + [1] * 64]))
    second = make.make(packed, 128, 128, 32)
    assert first
    assert second
    (strips,), (alike,) = first.parts[0][2], second.parts[0][2]
    assert (strips.queries.size, alike.queries.size, alike.count) == (64, 64, 2)
    keep, _, hidden = strips.tables
    assert keep is alike.tables.keep is not None
    assert hidden is alike.tables.hidden is not None
    assert not keep.is_inference()
    assert not hidden.is_inference()
    assert torch.equal(hidden == 0, keep)
    assert torch.equal(hidden == -torch.inf, ~keep)


@pytest.mark.parametrize(("keys", "small"), [(512, True), (513, False)])
def test_a_large_table_is_made_for_one_mask(keys: int, small: bool) -> None:
    """What it adds to the scores would take four times as much, and is made in each call."""
    one = rectangles.Rectangle(0, 64, 0, keys, (0,) * 64, tuple(range(keys - 63, keys + 1)))
    tables = [equal.tables(one._replace(query=n, key=n)) for n in (0, 7)]
    assert [table.hidden is not None for table in tables] == [small, small]
    assert (tables[0].keep is tables[1].keep) is small
