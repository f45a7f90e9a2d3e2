"""The gradients, from the context and the log-sum-exp of each query.

No weight was kept: `2^(score − log-sum-exp)` is one. Two kernels, so that each number is written by
one program, and twice the same bits come out: one has queries and goes through their keys, one has
keys and goes through the queries that see them.
"""

import triton
import triton.language as tl

from attention.backends.triton.forward import LOG2E
from attention.backends.triton.tiles import border, cut, ends, place, rows_of, sees, stretch


@triton.jit(do_not_specialize=["left", "right", "queries", "keys"])
def of_queries(
    query, key, value, context, grad, sums, sames, of_query, spans,
    query_strides, key_strides, value_strides, context_strides, grad_strides, of_query_strides,
    scale, left, right, heads, group, queries, keys,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The gradient of one tile of queries; beside it what `of_keys` needs, `grad · context`."""
    tile, head, sequence = place(tl.cdiv(queries, ROWS), heads)
    row = tile * ROWS + tl.arange(0, ROWS)  # (R,)
    position = row + keys - queries  # (R,)
    low = tile * ROWS + keys - queries
    high = tl.minimum(low + ROWS, keys) - 1
    start, stop = ends(spans, sequence, keys)
    some, beyond, every, until = stretch(low, high, left, right, start, stop)
    first, count, inner, outer = cut(some, beyond, every, until, COLUMNS)

    there = row < queries
    at = rows_of(query, query_strides, sequence, head, tile * ROWS, ROWS, WIDTH)
    q = tl.load(at, mask=there[:, None], other=0.0)  # (R, D)
    at = rows_of(grad, grad_strides, sequence, head, tile * ROWS, ROWS, WIDTH)
    g = tl.load(at, mask=there[:, None], other=0.0)  # (R, D)
    at = rows_of(context, context_strides, sequence, head, tile * ROWS, ROWS, WIDTH)
    c = tl.load(at, mask=there[:, None], other=0.0)  # (R, D)
    same = tl.sum(g.to(tl.float32) * c.to(tl.float32), 1)  # (R,)
    number = (sequence * heads + head) * queries + row
    tl.store(sames + number, same, mask=there)
    log = tl.load(sums + number, mask=there, other=float("inf"))  # (R,)
    found = tl.zeros([ROWS, WIDTH], tl.float32)
    for n in range(inner, outer):  # all of these queries see all of these keys
        at = rows_of(key, key_strides, sequence, head // group, n * COLUMNS, COLUMNS, WIDTH)
        k = tl.load(at)  # (C, D)
        at = rows_of(value, value_strides, sequence, head // group, n * COLUMNS, COLUMNS, WIDTH)
        weights = tl.exp2(tl.dot(q, k.T) * (scale * LOG2E) - log[:, None])  # (R, C)
        of_scores = weights * (tl.dot(g, tl.load(at).T) - same[:, None])
        found = tl.dot(of_scores.to(k.dtype), k, found)
    for turn in range(count - (outer - inner)):
        n = border(turn, first, inner, outer)
        column = n * COLUMNS + tl.arange(0, COLUMNS)  # (C,)
        read = ((column >= some) & (column < beyond))[:, None]
        at = rows_of(key, key_strides, sequence, head // group, n * COLUMNS, COLUMNS, WIDTH)
        k = tl.load(at, mask=read, other=0.0)
        at = rows_of(value, value_strides, sequence, head // group, n * COLUMNS, COLUMNS, WIDTH)
        v = tl.load(at, mask=read, other=0.0)
        seen = sees(position[:, None], column[None, :], left, right, start, stop)
        weights = tl.exp2(tl.dot(q, k.T) * (scale * LOG2E) - log[:, None])
        of_scores = tl.where(seen, weights * (tl.dot(g, v.T) - same[:, None]), 0.0)
        found = tl.dot(of_scores.to(k.dtype), k, found)
    at = rows_of(of_query, of_query_strides, sequence, head, tile * ROWS, ROWS, WIDTH)
    tl.store(at, (found * scale).to(of_query.dtype.element_ty), mask=there[:, None])


@triton.jit(do_not_specialize=["left", "right", "queries", "keys"])
def of_keys(
    query, key, value, grad, sums, sames, of_key, of_value, spans,
    query_strides, key_strides, value_strides, grad_strides, of_key_strides, of_value_strides,
    scale, left, right, heads, group, queries, keys,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The gradients of one tile of keys and values, from all query heads that read them.

    Tiles lie on their side here, (C, R): so both sums are products without a transposed weight.
    """
    tile, head, sequence = place(tl.cdiv(keys, COLUMNS), heads // group)
    column = tile * COLUMNS + tl.arange(0, COLUMNS)  # (C,)
    start, stop = ends(spans, sequence, keys)
    # Keys that some query sees: those before are out of the window of the first query.
    low = tl.maximum(tl.maximum(tile * COLUMNS, start), keys - queries - left)
    high = tl.minimum((tile + 1) * COLUMNS, stop) - 1
    held = ((column >= low) & (column <= high))[:, None]
    # A key reaches back what a query reaches ahead. Positions, then rows.
    some, beyond, every, until = stretch(low, high, right, left, keys - queries, keys)
    some, beyond = some + queries - keys, beyond + queries - keys
    every, until = every + queries - keys, until + queries - keys
    first, count, inner, outer = cut(some, beyond, every, until, ROWS)

    at = rows_of(key, key_strides, sequence, head, tile * COLUMNS, COLUMNS, WIDTH)
    k = tl.load(at, mask=held, other=0.0)  # (C, D)
    at = rows_of(value, value_strides, sequence, head, tile * COLUMNS, COLUMNS, WIDTH)
    v = tl.load(at, mask=held, other=0.0)  # (C, D)
    to_key = tl.zeros([COLUMNS, WIDTH], tl.float32)
    to_value = tl.zeros([COLUMNS, WIDTH], tl.float32)
    for asking in range(head * group, (head + 1) * group):
        for n in range(inner, outer):  # all of these queries see all of these keys
            at = rows_of(query, query_strides, sequence, asking, n * ROWS, ROWS, WIDTH)
            q = tl.load(at)  # (R, D)
            at = rows_of(grad, grad_strides, sequence, asking, n * ROWS, ROWS, WIDTH)
            g = tl.load(at)  # (R, D)
            number = (sequence * heads + asking) * queries + n * ROWS + tl.arange(0, ROWS)
            log = tl.load(sums + number)  # (R,)
            weights = tl.exp2(tl.dot(k, q.T) * (scale * LOG2E) - log[None, :])  # (C, R)
            to_value = tl.dot(weights.to(g.dtype), g, to_value)
            of_scores = weights * (tl.dot(v, g.T) - tl.load(sames + number)[None, :])
            to_key = tl.dot(of_scores.to(q.dtype), q, to_key)
        for turn in range(count - (outer - inner)):
            n = border(turn, first, inner, outer)
            row = n * ROWS + tl.arange(0, ROWS)  # (R,)
            asks = (row >= some) & (row < beyond)  # what sees none of them may hold anything
            at = rows_of(query, query_strides, sequence, asking, n * ROWS, ROWS, WIDTH)
            q = tl.load(at, mask=asks[:, None], other=0.0)
            at = rows_of(grad, grad_strides, sequence, asking, n * ROWS, ROWS, WIDTH)
            g = tl.load(at, mask=asks[:, None], other=0.0)
            number = (sequence * heads + asking) * queries + row
            log = tl.load(sums + number, mask=asks, other=float("inf"))
            same = tl.load(sames + number, mask=asks, other=0.0)
            position = row + keys - queries
            seen = sees(position[None, :], column[:, None], left, right, start, stop)
            weights = tl.exp2(tl.dot(k, q.T) * (scale * LOG2E) - log[None, :])
            weights = tl.where(seen, weights, 0.0)
            to_value = tl.dot(weights.to(g.dtype), g, to_value)
            of_scores = weights * (tl.dot(v, g.T) - same[None, :])
            to_key = tl.dot(of_scores.to(q.dtype), q, to_key)
    # A key out of its sequence has spoiled nothing but its own row.
    there = (column < keys)[:, None]
    at = rows_of(of_key, of_key_strides, sequence, head, tile * COLUMNS, COLUMNS, WIDTH)
    to_key = tl.where(held, to_key * scale, 0.0)
    tl.store(at, to_key.to(of_key.dtype.element_ty), mask=there)
    at = rows_of(of_value, of_value_strides, sequence, head, tile * COLUMNS, COLUMNS, WIDTH)
    to_value = tl.where(held, to_value, 0.0)
    tl.store(at, to_value.to(of_value.dtype.element_ty), mask=there)
