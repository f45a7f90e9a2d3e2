"""The context and the log-sum-exp of each query, tile by tile.

A program has ROWS queries of one head. It goes through the keys that they see, COLUMNS at a time,
and keeps the largest score so far, the sum and the context: the online softmax. Scores are in
powers of 2, which the hardware has an instruction for: exp(x) = 2^(x · log2 e), and the factor
log2 e is part of the scale.
"""

import triton
import triton.language as tl

from attention.backends.triton.tiles import (
    border,
    bounds,
    cut,
    ends,
    fetch,
    of,
    place,
    sees,
    stretch,
    write,
)

LOG2E: tl.constexpr = tl.constexpr(1.4426950408889634)
# As good as −∞ below every score, and lowest − lowest is 0, not NaN.
LOWEST: tl.constexpr = tl.constexpr(-3.0e38)


@triton.jit(do_not_specialize=["left", "right", "queries", "keys", "together"])
def forward(
    query, key, value, context, sums, spans,  # spans: (batch, 2)
    query_strides, key_strides, value_strides, context_strides,  # of 3 axes
    scale, left, right, heads, group, queries, keys, together,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """One tile of queries against all tiles of keys that it sees."""
    tile, head, sequence = place(tl.cdiv(queries, ROWS), heads, together)
    tile = tl.cdiv(queries, ROWS) - 1 - tile  # the longest first
    row = tile * ROWS + tl.arange(0, ROWS)  # (R,)
    there = row < queries
    position = row + keys - queries
    low = tile * ROWS + keys - queries
    high = tl.minimum(low + ROWS, keys) - 1
    start, stop = ends(spans, sequence, keys)
    begin, end = bounds(position, left, right, start, stop)  # (R,)
    some, beyond, every, until = stretch(low, high, left, right, start, stop)
    first, count, inner, outer = cut(some, beyond, every, until, COLUMNS)

    q = fetch(of(query, query_strides, sequence, head), tile * ROWS, there, ROWS, WIDTH)  # (R, D)
    of_k = of(key, key_strides, sequence, head // group)
    of_v = of(value, value_strides, sequence, head // group)
    scale = scale * LOG2E
    top = tl.full([ROWS], LOWEST, tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    found = tl.zeros([ROWS, WIDTH], tl.float32)
    for n in range(inner, outer):  # all of these queries see all of these keys
        k = fetch(of_k, n * COLUMNS, None, COLUMNS, WIDTH)  # (C, D)
        v = fetch(of_v, n * COLUMNS, None, COLUMNS, WIDTH)  # (C, D)
        top, total, found = absorb(top, total, found, tl.dot(q, k.T), scale, v)
    for turn in range(count - (outer - inner)):
        n = border(turn, first, inner, outer)
        column = n * COLUMNS + tl.arange(0, COLUMNS)  # (C,)
        read = (column >= some) & (column < beyond)  # elsewhere may be NaN
        k = fetch(of_k, n * COLUMNS, read, COLUMNS, WIDTH)
        v = fetch(of_v, n * COLUMNS, read, COLUMNS, WIDTH)
        seen = sees(begin[:, None], end[:, None], column[None, :])
        scores = tl.where(seen, tl.dot(q, k.T), float("-inf"))
        top, total, found = absorb(top, total, found, scores, scale, v)

    idle = total == 0.0  # a query that sees nothing keeps its zeros
    total = tl.where(idle, 1.0, total)
    of_c = of(context, context_strides, sequence, head)
    write(of_c, tile * ROWS, there, found / total[:, None])
    # Idle: +∞, so that 2^(score − ∞) = 0 on the way back, without overflow.
    logs = tl.where(idle, float("inf"), top + tl.log2(total))
    tl.store(sums + (sequence * heads + head) * queries + row, logs, mask=there)


@triton.jit
def absorb(top, total, found, scores, scale, v):
    """One more block of keys: scores (R, C) and values (C, D).

    The scale is positive: the largest score is the largest when scaled too. And to scale a score
    and to lower it is one multiply-add.
    """
    higher = tl.maximum(top, tl.max(scores, 1) * scale)
    factor = tl.exp2(top - higher)  # (R,): for what is summed already
    shares = tl.exp2(scores * scale - higher[:, None])  # (R, C)
    total = total * factor + tl.sum(shares, 1)
    found = tl.dot(shares.to(v.dtype), v, found * factor[:, None])
    return higher, total, found
