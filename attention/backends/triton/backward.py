"""The gradients, from the context and the log-sum-exp of each query.

No weight was kept: `2^(score − log-sum-exp)` is one. Two kernels, so that each number is written by
one program, and twice the same bits come out: one has queries and goes through their keys, one has
keys and goes through the queries that see them.
"""

import triton
import triton.language as tl

from attention.backends.triton.forward import LOG2E
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


@triton.jit(do_not_specialize=["left", "right", "queries", "keys", "together"])
def of_queries(
    query, key, value, context, grad, sums, sames, of_query, spans,
    query_strides, key_strides, value_strides, context_strides, grad_strides, of_query_strides,
    scale, left, right, heads, group, queries, keys, together,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The gradient of one tile of queries; beside it what `of_keys` needs, `grad · context`."""
    tile, head, sequence = place(tl.cdiv(queries, ROWS), heads, together)
    tile = tl.cdiv(queries, ROWS) - 1 - tile  # the longest first
    row = tile * ROWS + tl.arange(0, ROWS)  # (R,)
    low = tile * ROWS + keys - queries
    high = tl.minimum(low + ROWS, keys) - 1
    start, stop = ends(spans, sequence, keys)
    begin, end = bounds(row + keys - queries, left, right, start, stop)  # (R,)
    some, beyond, every, until = stretch(low, high, left, right, start, stop)
    first, count, inner, outer = cut(some, beyond, every, until, COLUMNS)

    there = row < queries
    of_g = of(grad, grad_strides, sequence, head)
    q = fetch(of(query, query_strides, sequence, head), tile * ROWS, there, ROWS, WIDTH)  # (R, D)
    g = fetch(of_g, tile * ROWS, there, ROWS, WIDTH)  # (R, D)
    c = fetch(of(context, context_strides, sequence, head), tile * ROWS, there, ROWS, WIDTH)
    of_k = of(key, key_strides, sequence, head // group)
    of_v = of(value, value_strides, sequence, head // group)
    same = tl.sum(g.to(tl.float32) * c.to(tl.float32), 1)  # (R,)
    number = (sequence * heads + head) * queries + row
    tl.store(sames + number, same, mask=there)
    log = tl.load(sums + number, mask=there, other=0.0)  # (R,)
    found = tl.zeros([ROWS, WIDTH], tl.float32)
    for n in range(inner, outer):  # all of these queries see all of these keys
        k = fetch(of_k, n * COLUMNS, None, COLUMNS, WIDTH)  # (C, D)
        v = fetch(of_v, n * COLUMNS, None, COLUMNS, WIDTH)  # (C, D)
        weights = tl.exp2(tl.dot(q, k.T) * (scale * LOG2E) - log[:, None])  # (R, C)
        of_scores = weights * (tl.dot(g, v.T) - same[:, None])  # (R, C)
        found = tl.dot(of_scores.to(k.dtype), k, found)
    for turn in range(count - (outer - inner)):
        n = border(turn, first, inner, outer)
        column = n * COLUMNS + tl.arange(0, COLUMNS)  # (C,)
        read = (column >= some) & (column < beyond)  # others may hold anything, and 0 · NaN is NaN
        k = fetch(of_k, n * COLUMNS, read, COLUMNS, WIDTH)
        v = fetch(of_v, n * COLUMNS, read, COLUMNS, WIDTH)
        seen = sees(begin[:, None], end[:, None], column[None, :])
        weights = tl.exp2(tl.dot(q, k.T) * (scale * LOG2E) - log[:, None])
        of_scores = tl.where(seen, weights * (tl.dot(g, v.T) - same[:, None]), 0.0)
        found = tl.dot(of_scores.to(k.dtype), k, found)
    of_q = of(of_query, of_query_strides, sequence, head)
    write(of_q, tile * ROWS, there, found * scale)


@triton.jit(do_not_specialize=["left", "right", "queries", "keys", "together"])
def of_keys(
    query, key, value, grad, sums, sames, of_key, of_value, spans,
    query_strides, key_strides, value_strides, grad_strides, of_key_strides, of_value_strides,
    scale, left, right, heads, group, queries, keys, together,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The gradients of one tile of keys and values, from all query heads that read them.

    Tiles lie on their side here, (C, R): so both sums are products without a transposed weight.
    """
    tile, head, sequence = place(tl.cdiv(keys, COLUMNS), heads // group, together)
    column = tile * COLUMNS + tl.arange(0, COLUMNS)  # (C,)
    start, stop = ends(spans, sequence, keys)
    # Keys that some query sees: those before are out of the window of the first query.
    low = tl.maximum(tl.maximum(tile * COLUMNS, start), keys - queries - left)
    high = tl.minimum((tile + 1) * COLUMNS, stop) - 1
    held = (column >= low) & (column <= high)
    # A key reaches back what a query reaches ahead. Positions, then rows.
    some, beyond, every, until = stretch(low, high, right, left, keys - queries, keys)
    begin, end = bounds(column, right, left, keys - queries, keys)  # (C,), of those held
    some, beyond = some + queries - keys, beyond + queries - keys
    every, until = every + queries - keys, until + queries - keys
    first, count, inner, outer = cut(some, beyond, every, until, ROWS)

    of_k = of(key, key_strides, sequence, head)
    of_v = of(value, value_strides, sequence, head)
    k = fetch(of_k, tile * COLUMNS, held, COLUMNS, WIDTH)  # (C, D)
    v = fetch(of_v, tile * COLUMNS, held, COLUMNS, WIDTH)  # (C, D)
    to_key = tl.zeros([COLUMNS, WIDTH], tl.float32)
    to_value = tl.zeros([COLUMNS, WIDTH], tl.float32)
    for asking in range(head * group, (head + 1) * group):
        of_q = of(query, query_strides, sequence, asking)
        of_g = of(grad, grad_strides, sequence, asking)
        number = (sequence * heads + asking) * queries
        for n in range(inner, outer):  # all of these queries see all of these keys
            row = n * ROWS + tl.arange(0, ROWS)  # (R,)
            q = fetch(of_q, n * ROWS, None, ROWS, WIDTH)  # (R, D)
            g = fetch(of_g, n * ROWS, None, ROWS, WIDTH)  # (R, D)
            log = tl.load(sums + number + row)  # (R,)
            same = tl.load(sames + number + row)  # (R,)
            weights = tl.exp2(tl.dot(k, q.T) * (scale * LOG2E) - log[None, :])  # (C, R)
            to_value = tl.dot(weights.to(g.dtype), g, to_value)
            of_scores = weights * (tl.dot(v, g.T) - same[None, :])  # (C, R)
            to_key = tl.dot(of_scores.to(q.dtype), q, to_key)
        for turn in range(count - (outer - inner)):
            n = border(turn, first, inner, outer)
            row = n * ROWS + tl.arange(0, ROWS)  # (R,)
            asks = (row >= some) & (row < beyond)  # others may hold anything
            q = fetch(of_q, n * ROWS, asks, ROWS, WIDTH)
            g = fetch(of_g, n * ROWS, asks, ROWS, WIDTH)
            log = tl.load(sums + number + row, mask=asks, other=0.0)
            same = tl.load(sames + number + row, mask=asks, other=0.0)
            seen = sees(begin[:, None], end[:, None], row[None, :] + keys - queries)
            weights = tl.exp2(tl.dot(k, q.T) * (scale * LOG2E) - log[None, :])
            weights = tl.where(seen, weights, 0.0)
            to_value = tl.dot(weights.to(g.dtype), g, to_value)
            of_scores = weights * (tl.dot(v, g.T) - same[None, :])
            to_key = tl.dot(of_scores.to(q.dtype), q, to_key)
    there = column < keys
    # What no query sees has spoiled nothing but its own row.
    to_key = tl.where(held[:, None], to_key * scale, 0.0)
    to_value = tl.where(held[:, None], to_value, 0.0)
    write(of(of_key, of_key_strides, sequence, head), tile * COLUMNS, there, to_key)
    write(of(of_value, of_value_strides, sequence, head), tile * COLUMNS, there, to_value)
