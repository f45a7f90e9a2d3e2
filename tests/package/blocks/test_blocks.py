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
    Padding,
    PrefixLM,
    SlidingWindow,
    blocks,
    dot_product_attention,
)
from attention.blocks import Blocks, cached, cost, equal, make, rectangles
from attention.blocks.equal import Every, Tables
from attention.dispatch import plans, route
from attention.kept import Kept

LENGTHS = torch.tensor([300, 0, 131])
PACKED = torch.tensor([5] * 70 + [2] + [3] * 129 + [9] * 40 + [1] * 60)[None]
SHORT = torch.arange(300)[None] // 7
UNEVEN = torch.arange(6).repeat_interleave(torch.tensor([70, 70, 10, 70, 70, 10]))[None]


class Nobody(Mask):
    def __call__(self, batch, head, query, key):
        return False

    def intervals(self, query: torch.Tensor, keys: int) -> list:
        return []


class Nested(Mask):
    """A stretch inside of an earlier one, which is longer in one sequence than in the other."""

    batch = 2

    def __call__(self, batch, head, query, key):
        long = torch.tensor([200, 20])[batch]
        return (key < long) | ((key >= 10) & (key < 20)) | ((key >= 100) & (key < 250))

    def intervals(self, query: torch.Tensor, keys: int) -> list:
        return [(0, torch.tensor([[200], [20]])), (10, 20), (100, 250)]


MASKS = {
    "causal": Causal(),
    "window": Causal() & SlidingWindow(40),
    "both sides": SlidingWindow(40),
    "padding": Padding(LENGTHS),
    "left": Causal() & Padding(LENGTHS, side="left"),
    "documents": Causal() & Documents(PACKED),
    "short documents": Documents(SHORT),
    "uneven documents": Documents(UNEVEN),
    "nested": Nested(),
    "prefix": PrefixLM(100),
    "sink": Causal() & (SlidingWindow(40) | ~SlidingWindow(200)),
    "later": ~Causal(),
    "nothing": Causal() & ~Causal(),
    "nobody": Nobody(),
    "alike": Padding(torch.tensor([200, 200, 80])),
}


def drawn(mask: Mask, queries: int, keys: int) -> torch.Tensor:
    """How often a plan computes each score that it does not hide, shape `(batch, T, S)`."""
    plan = blocks.plan(mask, queries, keys)
    assert plan is not None
    counts = torch.zeros(mask.batch or 1, queries, keys, dtype=torch.int)
    for first, last, found in plan.parts:
        fresh = torch.zeros(queries, dtype=torch.bool)
        for block in (one for several in found for one in several.parts(1)):
            rows = slice(block.queries.start, block.queries.start + block.queries.size)
            keys_of = slice(block.keys.start, block.keys.start + block.keys.size)
            assert not (block.fresh and fresh[rows].any())
            fresh[rows] = True
            counts[first:last, rows, keys_of] += (
                1 if block.tables.keep is None else block.tables.keep.int()
            )
    return counts


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


def test_sequences_alike_are_one_part() -> None:
    plan = blocks.plan(MASKS["alike"], 300, 300)
    assert plan
    assert [part[:2] for part in plan.parts] == [(0, 2), (2, 3)]


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


def test_what_a_plan_costs() -> None:
    """Its scores, those in a block with a mask 1.2 times; and as much as 49,152 for each call."""
    causal = blocks.plan(Causal(), 512, 512)
    assert causal
    strips, square, calls = 2 * 64 * (64 + 128 + 192 + 256), 256**2, 5
    scores = 1.2 * strips + square
    assert causal.cost(8) == pytest.approx(8 * scores + calls * 49152)
    assert causal.cost(2, 4) == pytest.approx(8 * scores + calls * 49152)
    padded = blocks.plan(Padding(torch.tensor([100, 50, 50])), 64, 100)
    assert padded
    assert padded.cost(6) == 2 * 64 * 112 + 4 * 64 * 62 + 2 * 49152
    few = blocks.plan(Padding(torch.tensor([50])), 2, 100)
    assert few
    assert few.cost(1) == 8 * 62 + 49152  # two rows cost what eight do
    assert few.cost(1, 16) == 32 * 62 + 49152
    even = blocks.plan(Padding(torch.tensor([56])), 64, 100)
    assert even
    assert even.cost(1) == 64 * 56 + 49152  # whose keys fill registers


SIXTEEN = Padding(torch.arange(16) * 2 + 21)  # of 64 keys


def test_a_limit_is_for_the_mean_of_some_sequences() -> None:
    """Of ten, three heads of keys each, two of queries for those; 49,152 a call."""
    stop = torch.tensor([[20], [22], [24]]).expand(3, 64)
    some = rectangles.rectangles(torch.zeros_like(stop), stop, True, 32)
    ten = 10 * (49152 + 3 * 2 * 64 * (32 + 34 + 24) / 3)
    assert blocks.Limit(1.001 * ten, 30, 2).within(some, 10)
    assert not blocks.Limit(0.999 * ten, 30, 2).within(some, 10)
    exactly = cost.least(some[0], 30.0, 2)
    assert blocks.Limit(exactly, 30, 2).within(some[:1], 1)
    assert not blocks.Limit(exactly - 1, 30, 2).within(some[:1], 1)
    # Other rectangles are calls of their own, and equal ones, it is hoped, none.
    further = [cut + [cut[0]._replace(query=64, key=3, rows=40)] * 2 for cut in some]
    ten += 10 * (49152 + 3 * 2 * 80 * (32 + 34 + 24) / 3)
    assert blocks.Limit(1.001 * ten, 30, 2).within(further, 10)
    assert not blocks.Limit(0.999 * ten, 30, 2).within(further, 10)


@pytest.mark.parametrize("mask", [Causal(), SlidingWindow(40), Documents(PACKED[:, :200])])
def test_what_rectangles_cost_is_what_their_blocks_cost(mask: Mask) -> None:
    """Where those of one shape are at equal distances."""
    lanes = make.lanes(mask, 200, 200)
    assert lanes
    (start,), (stop,) = lanes
    [cut] = rectangles.rectangles(start, stop, True, 32)
    assert cost.least(cut, 3.0, 2) == pytest.approx(cost.cost(equal.equal(cut), 3.0, 2))


def test_what_costs_too_much_is_planned_for_some_sequences_alone(monkeypatch) -> None:
    asked = []

    def watch(start: torch.Tensor, stop: torch.Tensor, *rest: object) -> object:
        asked.extend((start if start.any() else stop)[:, 0].tolist())
        return rectangles.rectangles(start, stop, *rest)

    monkeypatch.setattr(make, "rectangles", watch)
    monkeypatch.setattr(cached, "kept", Kept(8))
    mixed = Padding(SIXTEEN.lengths[torch.randperm(16, generator=torch.manual_seed(0))])
    for mask in (SIXTEEN, mixed):
        asked.clear()
        assert blocks.plan(mask, 64, 64, limit=blocks.Limit(2.4e6, 1600, 1)) is None
        assert asked == [25, 47, 33, 39]  # of the least and of the most, and less so
    asked.clear()
    left = Padding(SIXTEEN.lengths, side="left").over(64)
    assert blocks.plan(left, 64, 64, limit=blocks.Limit(2.4e6, 1600, 1)) is None
    assert asked == [64 - 25, 64 - 47, 64 - 33, 64 - 39]
    for limit in (None, blocks.Limit(1e9, 16, 1)):
        asked.clear()
        assert blocks.plan(SIXTEEN, 64, 64, limit=limit)
        assert set(asked) == set(range(21, 53, 2))


def test_rectangles_of_other_keys_are_other_blocks() -> None:
    """Though as many rows see all of theirs."""
    some = [rectangles.Rectangle(64 * n, 64, 9 * n, 9 - n, fresh=True) for n in range(2)]
    assert [(b.queries.start, b.keys.size) for b in equal.equal(some)] == [(0, 9), (64, 8)]


def test_alike_sequences_share_their_calls() -> None:
    """So they are planned, however short; one unlike the others costs calls of its own."""
    key = torch.zeros(64, 2, 256, 4)
    mask = Causal() & SlidingWindow(32)
    lengths = torch.full((64,), 256)
    for first, kinds in ((256, 1), (200, 2)):
        lengths[0] = first
        plan = plans.plan(key, key, mask & Padding(lengths.clone()), False, 0.95 * 128 * 256**2)
        assert plan
        assert len(plan.parts) == kinds
    assert plans.plan(key[:2, :, :64], key[:2, :, :64], Padding(torch.tensor([30, 30])), False, 9.0)


class Halves(Mask):
    """A stretch of its own for each sequence, and one that all share."""

    batch = 3
    stops = torch.tensor([20, 20, 35])

    def __call__(self, batch, head, query, key):
        return (key < self.stops[batch]) | (key >= 50)

    def intervals(self, query: torch.Tensor, keys: int) -> list:
        return [(0, self.stops[:, None]), (50, keys)]


def test_sequences_are_alike_if_all_their_stretches_are() -> None:
    plan = blocks.plan(Halves(), 64, 64)
    assert plan
    assert [(first, last) for first, last, _ in plan.parts] == [(0, 2), (2, 3)]
    x = torch.randn(3, 2, 64, 8)
    found = [dot_product_attention(x, x, x, Halves(), backend=name) for name in ("spans", "eager")]
    torch.testing.assert_close(*found)


UNLIKE = {
    "alike": (Padding(torch.tensor([5, 5, 5])), 1),
    "in turns": (Padding(torch.tensor([5, 3, 5, 5])), 3),
    "in any of them": (
        Padding(torch.tensor([5, 5, 3, 3])) & Documents(torch.tensor([[0], [1], [1], [1]])),
        3,
    ),
    "in one entry": (Documents(torch.tensor([[0, 0, 1], [0, 1, 1]])), 2),
    "one sequence": (Padding(torch.tensor([5])), 1),
    "for all": (Documents(torch.tensor([[0, 1, 1]])) & Padding(torch.tensor([2, 1])), 2),
    "not said": (Halves(), 1),
    "none": (Causal(), 1),
}


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


class Holder(Mask):
    """It holds something for each of three sequences."""

    batch = 3

    def __init__(self, held: torch.Tensor) -> None:
        self.held = held


UNLIKE |= {
    "in halves": (Holder(torch.tensor([1.0, 1.0, 2.0], dtype=torch.bfloat16)), 2),
    "a parameter": (Holder(torch.nn.Parameter(torch.tensor([[1.0, 2.0]] * 3))), 1),
    "booleans": (Holder(torch.tensor([True, False, True])), 3),
    "turned": (Holder(torch.tensor([[1, 2, 2], [3, 4, 4]]).T), 2),
    "a column": (Holder(torch.tensor([[1, 2, 2]]).T), 2),
    "a column of several": (Holder(torch.tensor([[1, 2, 2], [3, 4, 5]]).T[:, :1]), 2),
    "large": (Holder(torch.tensor([0, 1, 1]) + 2**40), 2),
    "sparse": (Holder(torch.eye(3).to_sparse()), 3),
    "nothing": (Holder(torch.zeros(3, 0)), 1),
    "more axes": (Holder(torch.eye(3)[:, None]), 3),
    "of another number": (Holder(torch.arange(4)), 1),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_kinds_of_sequences_by_what_a_mask_holds(name: str) -> None:
    mask, kinds = UNLIKE[name]
    assert make.unlike(mask) == kinds
    with torch.device("meta"):  # where another device is the default
        assert make.unlike(mask) == kinds


def test_for_too_little_no_stretches_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything planned where only the stretches tell how many kinds there are."""
    two, least = Padding(torch.tensor([20, 30])), 3.0 * cost.MIN_SCORES_A_KIND
    asked, right = [], make.lanes
    monkeypatch.setattr(make, "lanes", lambda *given: [asked.append(1), right(*given)][1])
    monkeypatch.setattr(cached, "kept", Kept(8))
    monkeypatch.setattr(route, "kept", Kept(8))
    for heads in (35, 36):  # 36 · 2 · 64² are as many scores as six calls cost
        key = torch.zeros(2, heads, 64, 4)
        assert plans.pays(key, key, two) == (heads == 36)
        dot_product_attention(key, key, key, two)
        assert asked == [1] * (heads - 35)
        assert plans.pays(key, key, Padding(torch.tensor([30, 30])))
        few = torch.zeros(2, 8 * heads, 2, 4)  # queries, which take as long as eight
        assert plans.pays(few, few[..., :1, :].expand(-1, -1, 64, -1), two) == (heads == 36)
    assert plans.pays(key[:1, :1], key[:1, :1], Padding(torch.tensor([20])))
    assert blocks.plan(Halves(), 64, 64, limit=blocks.Limit(least * 2 / 3 - 1, 3, 1)) is None
    assert blocks.plan(Halves(), 64, 64, limit=blocks.Limit(least * 2 / 3, 3, 1))


@pytest.mark.parametrize(
    ("batch", "heads", "taken"), [(1, 2, True), (2, 2, False), (7, 2, False), (7, 40, True)]
)
def test_short_sequences_are_not_planned(batch: int, heads: int, taken: bool) -> None:
    """Of fewer scores than three calls cost; where all sequences are alike, they are one."""
    mask, count = Padding(torch.arange(batch) + 20), max(batch, 2)
    key = torch.randn(count, heads, 64, 4)
    most = float(count * heads * 64 * 64)
    found = plans.plan(key, key, mask, False, most)
    assert (found is not None) == taken
    assert plans.plan(key, key, mask, False)


def test_many_sequences_have_a_limit_each() -> None:
    """In the scores of its own heads. The four that are cut cost the mean."""
    for batch, share, taken in (
        (16, 1.001, True),
        (16, 0.999, False),
        (8, 0.5, False),
        (7, 0.5, True),
    ):
        mask = Padding(SIXTEEN.lengths[:batch])
        query = torch.zeros(1, 1, 64, 4).expand(batch, 800, 64, 4)
        plan = blocks.plan(mask, 64, 64)
        assert plan
        most = share * plan.cost(batch * 400, 2)
        assert (plans.plan(query, query[:, :400], mask, False, most) is not None) == taken


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
