"""Slabs of queries, each with the keys that they see: what oneDNN multiplies at once."""

import torch

from attention import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow
from attention.blocks import slabs

from .built import needs_onednn

pytestmark = needs_onednn


def shapes(mask: Mask | None, queries: int, keys: int) -> list[tuple[int, ...]]:
    """Of each slab of the last sequence, its rows and keys, and its edges."""
    made = slabs.slabs(mask, queries, keys)
    assert made is not None
    return [
        (s.rows.start, s.rows.stop, s.columns.start, s.columns.stop)
        + tuple((edge.start, edge.stop) for edge, _ in s.edges)
        for s in made.parts[-1][2]
    ]


def test_slabs_have_the_keys_that_are_seen_and_hide_the_rest() -> None:
    first, second = (0, 256), (256, 512)
    assert shapes(None, 512, 512) == [(*first, 0, 512), (*second, 0, 512)]
    assert shapes(Causal(), 512, 512) == [(*first, 0, 256, (1, 256)), (*second, 0, 512, (257, 512))]
    window = Causal() & SlidingWindow(300)
    left, right = (0, 212), (257, 512)
    assert shapes(window, 512, 512) == [(*first, 0, 256, (1, 256)), (*second, 0, 512, left, right)]
    narrow = Causal() & SlidingWindow(200)
    assert shapes(narrow, 512, 512)[1] == (*second, 57, 512, (0, 455))  # no key is seen by all
    texts = Documents(torch.arange(512)[None] // 256)
    assert shapes(texts, 512, 512) == [(*first, 0, 256), (*second, 256, 512)]
    # A prefix is two stretches, one behind the other: what all see between them is not hidden.
    assert shapes(PrefixLM(100), 512, 512)[1] == (*second, 0, 512, (257, 512))
    # The last query sees nothing.
    assert shapes(~Causal(), 256, 256) == [(*first, 1, 256, (0, 254))]


def test_with_many_keys_slabs_have_fewer_queries() -> None:
    assert len(shapes(None, 512, 8192)) == 2
    assert len(shapes(None, 512, 16384)) == 4
    assert len(shapes(None, 512, 1 << 20)) == 8
    assert len(shapes(Causal() & SlidingWindow(9), 512, 1 << 20)) == 2
    # By the widest row; and one that sees nothing is of no width.
    assert len(shapes(Causal(), 512, 16384)) == 4
    assert len(shapes(Padding(torch.tensor([9])), 512, 16384)) == 2
    assert len(shapes(Causal() & Padding(torch.tensor([9]), side="left"), 512, 16384)) == 2


def test_slabs_are_kept_for_an_equal_mask() -> None:
    assert slabs.slabs(Causal(), 300, 300) is slabs.slabs(Causal(), 300, 300)
    made = slabs.slabs(Causal(), 300, 300)
    assert made is not None
    assert made.nbytes == 4 * (256 * 255 + 44 * 43)


def test_equal_tables_are_one() -> None:
    made = slabs.slabs(Causal() & SlidingWindow(300), 2048, 2048)
    assert made is not None
    tables = [table for *_, part in made.parts for slab in part for _, table in slab.edges]
    assert len({id(table) for table in tables}) <= 4 < len(tables)
    assert made.nbytes < 4 * 256 * 256 * 4


def test_of_too_many_tables_there_are_none() -> None:
    assert slabs.slabs(Causal(), 256, 256, 256 * 255) is not None
    assert slabs.slabs(Causal(), 256, 256, 256 * 255 - 1) is None


def test_what_is_hidden_is_of_single_precision() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        made = slabs.make(Causal(), 10, 10)
    finally:
        torch.set_default_dtype(torch.float32)
    assert made is not None
    assert made.parts[0][2][0].edges[0][1].dtype is torch.float32
