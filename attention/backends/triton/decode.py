"""Few queries on many keys: several programs share the keys of a head, and merge what they found.

One program a head would leave most of the GPU idle. So the keys are split, and the queries of all
heads of a group, which read the same keys, are the rows of one tile: each key is fetched once.

On Hopper (EARLY), the second kernel starts while the first runs, and waits for its end only
where it reads what that has written: of 12 µs for 1,024 keys, that saves 2 on an H200.

Where one program has all keys of a head (SPLITS is 1), it writes what it found as the result, and
nothing is merged: of 82 µs for 64 texts of 1,024 keys, that saves 5.
"""

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from attention.backends.triton.forward import LOG2E, LOWEST, absorb
from attention.backends.triton.tiles import bounds, cut, ends, fetch, of, place, sees, stretch


@triton.jit(do_not_specialize=["left", "right", "queries", "keys"])
def part(
    query, key, value, contexts, logs,  # contexts: (batch, kv_heads, SPLITS, R, D)
    context, sums, spans,
    query_strides, key_strides, value_strides, context_strides,
    scale, left, right, heads, group, queries, keys,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, SPLITS: tl.constexpr,
    EARLY: tl.constexpr,
):  # fmt: skip
    """The context and log-sum-exp of a group's queries over one part of the keys."""
    if EARLY:
        gdc_launch_dependents()
    split, head, sequence = place(SPLITS, heads // group, 1)
    folded = tl.arange(0, ROWS)  # (R,): the queries of the first head, of the second, …
    row = folded % queries
    start, stop = ends(spans, sequence, keys)
    begin, end = bounds(row + keys - queries, left, right, start, stop)  # (R,)
    some, beyond, every, until = stretch(keys - queries, keys - 1, left, right, start, stop)
    first, count, _, _ = cut(some, beyond, every, until, COLUMNS)
    each = tl.cdiv(count, SPLITS)

    of_q, of_row = of(query, query_strides, sequence, head * group + folded // queries)
    at = (of_q + row.to(tl.int64) * of_row)[:, None] + tl.arange(0, WIDTH)[None, :]
    q = tl.load(at, mask=(folded < group * queries)[:, None], other=0.0)  # (R, D)
    of_k = of(key, key_strides, sequence, head)
    of_v = of(value, value_strides, sequence, head)
    top = tl.full([ROWS], LOWEST, tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    found = tl.zeros([ROWS, WIDTH], tl.float32)
    for n in range(first + split * each, first + tl.minimum((split + 1) * each, count)):
        column = n * COLUMNS + tl.arange(0, COLUMNS)  # (C,)
        read = (column >= some) & (column < beyond)
        k = fetch(of_k, n * COLUMNS, read, COLUMNS, WIDTH)  # (C, D)
        v = fetch(of_v, n * COLUMNS, read, COLUMNS, WIDTH)  # (C, D)
        seen = sees(begin[:, None], end[:, None], column[None, :])
        scores = tl.where(seen, tl.dot(q, k.T), float("-inf"))
        top, total, found = absorb(top, total, found, scores, scale * LOG2E, v)

    idle = total == 0.0  # a query that sees nothing here
    total = tl.where(idle, 1.0, total)
    found /= total[:, None]
    log = top + tl.log2(total)  # of nothing, as good as −∞
    if SPLITS == 1:
        own = head * group + folded // queries  # the head of each query
        there = folded < group * queries
        of_c, of_row = of(context, context_strides, sequence, own)
        at = (of_c + row.to(tl.int64) * of_row)[:, None] + tl.arange(0, WIDTH)[None, :]
        tl.store(at, found.to(context.dtype.element_ty), mask=there[:, None])
        log = tl.where(idle, float("inf"), log)  # +∞ as in forward
        tl.store(sums + (sequence * heads + own) * queries + row, log, mask=there)
    else:
        number = ((sequence * (heads // group) + head) * SPLITS + split) * ROWS + folded
        tl.store(logs + number, log)
        tl.store(contexts + number[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :], found)


@triton.jit(do_not_specialize=["queries"])
def merge(
    contexts, logs, context, sums, context_strides, heads, group, queries,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, SPLITS: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """A part acts as one key: its score is its log-sum-exp, its value its context."""
    row, head, sequence = place(queries, heads, 1)
    folded = head % group * queries + row
    first = (sequence * (heads // group) + head // group) * SPLITS
    number = (first + tl.arange(0, SPLITS)) * ROWS + folded  # (P,)
    if EARLY:
        gdc_wait()
    log = tl.load(logs + number)  # (P,)
    width = tl.arange(0, WIDTH)
    found = tl.load(contexts + number[:, None] * WIDTH + width[None, :])  # (P, D)
    top = tl.max(log, 0)
    shares = tl.exp2(log - top)
    total = tl.sum(shares, 0)
    found = tl.sum(shares[:, None] * found, 0) / total  # (D,)
    of_c, of_row = of(context, context_strides, sequence, head)
    tl.store(of_c + tl.cast(row, tl.int64) * of_row + width, found.to(context.dtype.element_ty))
    whole = tl.where(top == LOWEST, float("inf"), top + tl.log2(total))  # +∞ as in forward
    tl.store(sums + (sequence * heads + head) * queries + row, whole)
