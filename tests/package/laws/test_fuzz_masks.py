"""Any mask: it says what its docstring defines, in every form; what is kept of it stays bounded."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from inputs import defined, examples, masks, ours

from attention import (
    Causal,
    Documents,
    Padding,
    PrefixLM,
    SlidingWindow,
    dot_product_attention,
)
from attention.blocks import cached
from attention.dispatch import route
from attention.masks.shifted import Shifted

pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.slow, pytest.mark.untyped]


@examples(60)
@given(st.integers(0, 3), st.sampled_from([None, 1, 2]), st.integers(0, 5), st.integers(0, 6),
       st.integers(0, 3), st.data())  # fmt: skip
def test_a_mask_says_what_it_is_defined_as(batch, heads, queries, keys, by, data) -> None:
    mask = data.draw(masks(batch, heads, keys))
    want = defined(mask, queries, keys)
    assert torch.equal(mask.to_tensor(queries, keys), want)
    repr(mask), mask.svg(queries, keys)
    told, offset = mask.over(keys), keys - queries
    rule = mask.mask_mod(queries, keys)
    for b, h in ((b, h) for b in range(mask.batch or 0) for h in range(mask.heads or 1)):
        for i in range(queries):
            for j in range(keys):
                assert bool(rule(b, h, i, j)) == want[b, h % want.shape[1], i, j]
    grids = want.flatten(0, -3) if want.ndim > 2 else want[None]
    low, high = sorted(data.draw(st.tuples(st.integers(0, queries), st.integers(0, queries))))
    left, right = sorted(data.draw(st.tuples(st.integers(0, keys), st.integers(0, keys))))
    if low < high:
        first, last = low + offset, high - 1 + offset
        start, stop = told.span(first, last, keys)
        assert 0 <= start <= stop <= keys
        outside = torch.ones(keys, dtype=torch.bool)
        outside[start:stop] = False
        assert not grids[:, low:high, outside].any()
        if told.full(first, last, left, right):
            assert grids[:, low:high, left:right].all()
        rows, columns = slice(low, high), slice(left, right)
        assert torch.equal(mask.tile(queries, keys, rows, columns), want[..., rows, columns])
    found = told.intervals(torch.arange(offset, keys), keys)
    if found is not None:
        key = torch.arange(keys)
        seen = torch.zeros(mask.batch if mask.batch is not None else 1, queries, keys).bool()
        for start, stop in found:
            start, stop = (torch.as_tensor(edge).expand(seen.shape[:2]) for edge in (start, stop))
            seen |= (key >= start[..., None]) & (key < stop[..., None])
        assert torch.equal(seen.expand_as(want if want.ndim == 3 else grids), grids)
    by = min(by, keys)
    shifted = Shifted(mask, by)
    if keys - by >= 0:
        assert torch.equal(shifted.to_tensor(queries, keys - by), want[..., by:])


@examples(40)
@given(st.data())
def test_masks_that_do_not_fit_say_so(data) -> None:
    """Two masks made for other counts, and a mask asked for a count that it is not made for."""
    batches, keys = st.integers(0, 3), st.integers(0, 4)
    one = data.draw(
        masks(data.draw(batches), data.draw(st.sampled_from([None, 2])), data.draw(keys))
    )
    other = data.draw(
        masks(data.draw(batches), data.draw(st.sampled_from([None, 3])), data.draw(keys))
    )
    for made in (ours(lambda: one & other), ours(lambda: one | other)):
        if not isinstance(made, str):
            ours(lambda mask=made: mask.to_tensor(*data.draw(st.tuples(keys, keys))))


ROWS = st.lists(st.integers(-1, 9), min_size=1, max_size=3)


@examples(25)
@given(ROWS, st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))
def test_what_is_kept_of_masks_is_bounded(lengths, width, prefix, keys) -> None:
    x = torch.ones(len(lengths), 1, keys, 4)
    for mask in (
        Causal(),
        SlidingWindow(width) & Padding(torch.tensor(lengths)),
        PrefixLM(prefix) | Documents(torch.tensor([[n % width for n in range(keys)]])),
    ):
        for backend in ("auto", "eager"):
            dot_product_attention(x, x, x, mask, backend=backend)
        ours(lambda mask=mask: dot_product_attention(x, x, x, mask, backend="spans"))
    for kept in (route.kept, cached.kept):
        assert len(kept.made) <= kept.most
