"""Masks as blocks: each key that a query sees is in exactly one of them."""

import functools
import operator

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    Causal,
    Documents,
    Mask,
    PrefixLM,
    SlidingWindow,
    blocks,
    dot_product_attention,
)
from attention.blocks import Blocks, equal, rectangles
from attention.blocks.equal import Every, Tables

from .sequences import MASKS, SHORT, drawn


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("queries", [300, 129, 1, 400])
def test_each_score_once(name: str, queries: int) -> None:
    mask = MASKS[name]
    want = mask.to_tensor(queries, 300).expand(mask.batch or 1, 1, queries, 300)[:, 0]
    assert torch.equal(drawn(mask, queries, 300), want.int())


edges = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=40)


@settings(deadline=None, max_examples=200)
@given(edges, st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))
def test_any_stretches_of_keys(
    edges: list[tuple[int, int]], long: int, side: int, strip: int, align: int
) -> None:
    """Rectangles hold what each row sees, once; whatever counts as long, whatever as small."""
    # As lanes gives them: a row that sees nothing stands at the end.
    edges = [(min(pair), max(pair)) if pair[0] != pair[1] else (20, 20) for pair in edges]
    start, stop = torch.tensor(edges).unbind(dim=1)
    counts = torch.zeros(len(edges), 20, dtype=torch.int)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rectangles, "LONG", long)
        patch.setattr(rectangles, "TRIANGLE", side)
        patch.setattr(rectangles, "ALIGN", align)
        (found,) = rectangles.rectangles(start[None], stop[None], fresh=True, strip=strip)
        for one in found:
            for row in range(one.rows):
                low = one.starts[row] if one.starts else 0
                high = one.stops[row] if one.stops else one.keys
                counts[one.query + row, one.key + low : one.key + high] += 1
    key = torch.arange(20)
    assert torch.equal(counts, ((key >= start[:, None]) & (key < stop[:, None])).int())


def test_equal_blocks_are_one_call() -> None:
    """A long window, and eight equal documents, are few calls, however long the text."""
    packed = Documents(torch.arange(8192)[None] // 1024)
    calls = []
    for mask in (Causal() & SlidingWindow(256), Causal() & packed, packed, Causal()):
        plan = blocks.plan(mask, 8192, 8192)
        assert plan
        calls.append(len(plan.parts[0][2]))
    assert calls == [6, 6, 1, 9]


def test_short_documents_share_a_block() -> None:
    lengths = torch.tensor([5, 9, 14, 3]).repeat(10)[:37]
    ids = torch.arange(37).repeat_interleave(lengths)[None, :256]
    plan = blocks.plan(Documents(ids), 256, 256)
    assert plan
    assert sum(block.count for block in plan.parts[0][2]) == 8  # of 32 rows each


@pytest.mark.parametrize("most", [1, 2, 3, 7, 8])
def test_parts_of_equal_blocks_are_all_of_them(most: int) -> None:
    whole = Blocks(Every(3, 4, 5), Every(0, 5, 2), 7, fresh=True, tables=Tables(None, None, None))
    parts = whole.parts(most)
    assert all(part.count <= most for part in parts)
    each = [
        (part.queries.later(n), part.keys.later(n)) for part in parts for n in range(part.count)
    ]
    assert each == [(whole.queries.later(n), whole.keys.later(n)) for n in range(7)]


@pytest.mark.parametrize(
    "mask",
    [
        Documents(SHORT % 3),
        ~Documents(SHORT % 3),
        Causal() & Documents(SHORT % 3),
        Causal() | Documents(SHORT % 3),
        ~(Causal() & SlidingWindow(3) | ~PrefixLM(5)) & ~(PrefixLM(9) & SlidingWindow(8)),
    ],
)
def test_what_has_no_stretches_or_too_many_has_no_plan(mask: Mask) -> None:
    assert blocks.plan(mask, 300, 300) is None


def test_stretches_that_double_are_given_up_early() -> None:
    prefixes = functools.reduce(operator.or_, map(PrefixLM, range(1, 11)))
    queries = torch.arange(4)
    assert (~functools.reduce(operator.or_, map(PrefixLM, range(1, 4)))).intervals(queries, 4)
    for mask in (~prefixes, prefixes & prefixes, Causal() & ~prefixes):  # 2^20, 400
        assert mask.intervals(queries, 4) is None


def test_rectangles_of_other_keys_are_other_blocks() -> None:
    """Though as many rows see all of theirs."""
    some = [rectangles.Rectangle(64 * n, 64, 9 * n, 9 - n, fresh=True) for n in range(2)]
    assert [(b.queries.start, b.keys.size) for b in equal.equal(some)] == [(0, 9), (64, 8)]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32])
def test_stretches_of_any_integers(dtype: torch.dtype) -> None:
    """Though they cannot count the keys."""

    class From(Mask):
        def __call__(self, batch, head, query, key):
            return key >= 100

        def intervals(self, query: torch.Tensor, keys: int) -> list:
            return [(torch.full((len(query),), 100, dtype=dtype), keys)]

    x = torch.randn(1, 2, 600, 8)
    found = [dot_product_attention(x, x, x, From(), backend=name) for name in ("spans", "eager")]
    torch.testing.assert_close(*found)


def sizes(mask: Mask, learns: bool = False) -> set[tuple[int, int, bool]]:
    """Rows and keys of the blocks of 4096 tokens, and whether they need a mask."""
    plan = blocks.plan(mask, 4096, 4096, learns)
    assert plan
    found = [block for _, _, part in plan.parts for block in part]
    return {(block.queries.size, block.keys.size, block.tables.keep is not None) for block in found}


def test_strips_have_few_rows_and_keys_in_steps() -> None:
    start = {(64, keys, True) for keys in (64, 128, 192, 256)}
    window = Causal() & SlidingWindow(256)
    assert sizes(window) == start | {(32, 287, True), (32, 288, True)}
    assert sizes(window, learns=True) == start | {(64, 319, True), (64, 320, True)}
    wide = sizes(Causal() & SlidingWindow(1024))
    assert {rows for rows, keys, _ in wide if keys > 1024} == {256}
    assert {keys for rows, keys, _ in wide if rows == 256} >= {1279, 1280}
    narrow = sizes(Causal() & SlidingWindow(1023))
    assert {rows for rows, keys, _ in narrow if keys > 1023} == {32, 33}


def test_a_strip_that_is_seen_in_full_needs_no_mask_and_is_not_widened() -> None:
    assert sizes(Documents(torch.arange(4096)[None] // 32)) == {(32, 32, False)}
    assert sizes(Documents(torch.arange(4096)[None] // 16)) == {(32, 32, True)}
