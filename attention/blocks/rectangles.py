"""A lane as rectangles of queries and keys: most of them seen in full."""

from typing import NamedTuple

from jaxtyping import Int
from torch import Tensor

# Rows with the same keys, or with one key more each, are a rectangle or a triangle of their own
# from so many on; fewer share a strip, which needs a mask.
LONG = 64
# The side of the triangles that are computed whole and masked: half of their work is lost, and a
# smaller one keeps torch's kernel less busy. 64, 128 and 256 take the same time to within 8 %;
# the largest makes the fewest calls.
TRIANGLE = 256


class Rectangle(NamedTuple):
    """`rows` queries from `query` on, with `keys` keys from `key` on.

    Row `r` sees the keys from `starts[r]` to before `stops[r]`, counted from `key`; all, if they
    are None.
    """

    query: int
    rows: int
    key: int
    keys: int
    starts: tuple[int, ...] | None = None
    stops: tuple[int, ...] | None = None
    fresh: bool = False  # whether none before it has any of its queries


def rectangles(
    start: Int[Tensor, "queries"], stop: Int[Tensor, "queries"], fresh: bool
) -> list[Rectangle]:
    """The rectangles that a lane is made of, each key of each query in one of them.

    Args:
        start: Shape `(T,)`, the first key that a query sees; `S` if it sees none.
        stop: Shape `(T,)`, the key after the last; `S` if it sees none.
        fresh: Whether this is the first lane of its queries.
    """
    found: list[Rectangle] = []
    starts, stops = start.tolist(), stop.tolist()
    query, long = 0, min(LONG, len(starts))
    for first, last, grows in runs(start, stop):
        first = max(first, query)
        if last - first < long:
            continue
        found += strips(starts, stops, query, first, fresh)
        rows, key, keys = last - first, starts[first], stops[first] - starts[first]
        if grows:  # each row sees one key more than the one before: beside it is a rectangle
            found += rectangle(first, rows, key, keys - 1, fresh)
            found += triangle(first, rows, key + keys - 1, fresh and keys == 1)
        else:
            found += rectangle(first, rows, key, keys, fresh)
        query = last
    return found + strips(starts, stops, query, len(starts), fresh)


def runs(
    start: Int[Tensor, "queries"], stop: Int[Tensor, "queries"]
) -> list[tuple[int, int, bool]]:
    """Rows from the first to before the last that start alike, and stop alike or each 1 later."""
    step = stop.diff()
    kind = step.where((start.diff() == 0) & ((step == 0) | (step == 1)), -1)
    edges = [0, *((kind.diff() != 0).nonzero()[:, 0] + 1).tolist(), len(kind)]
    kinds = kind[edges[:-1]].tolist() if len(kind) else []
    return [(a, b + 1, k == 1) for a, b, k in zip(edges, edges[1:], kinds, strict=False) if k >= 0]


def rectangle(query: int, rows: int, key: int, keys: int, fresh: bool) -> list[Rectangle]:
    return [Rectangle(query, rows, key, keys, fresh=fresh)] if rows and keys else []


def triangle(query: int, rows: int, key: int, fresh: bool) -> list[Rectangle]:
    """Row `r` sees `r + 1` keys: two triangles of half the size, and a square that is seen whole.

    So a triangle of `n` rows takes few calls of torch's kernel, each on equal squares, and loses
    `TRIANGLE / n` of its work. The kernel's own causal mask skips in steps of 512 keys.
    """
    if rows <= TRIANGLE:
        stops = tuple(range(1, rows + 1))
        return [Rectangle(query, rows, key, rows, (0,) * rows, stops, fresh)]
    half = -(-rows // TRIANGLE) // 2 * TRIANGLE
    return [
        *triangle(query, half, key, fresh),
        Rectangle(query + half, rows - half, key, half),
        *triangle(query + half, rows - half, key + half, fresh),
    ]


def strips(
    starts: list[int], stops: list[int], query: int, end: int, fresh: bool
) -> list[Rectangle]:
    """Rows that follow no pattern, or a window: rectangles around what some of them see."""
    found = []
    while query < end:
        # Wide rows lose little in a taller strip, which keeps the kernel busier.
        rows = min(64 if stops[query] - starts[query] < 1024 else 256, end - query)
        low, high = starts[query : query + rows], stops[query : query + rows]
        seen = [(a, b) for a, b in zip(low, high, strict=True) if a < b]
        if seen:
            key = min(a for a, _ in seen)
            keys = max(b for _, b in seen) - key
            inside = [(max(a - key, 0), max(b - key, 0)) for a, b in zip(low, high, strict=True)]
            inside = [(a, b) if a < b else (0, 0) for a, b in inside]
            low, high = zip(*inside, strict=True)
            if set(inside) == {(0, keys)}:
                low = high = None
            found.append(Rectangle(query, rows, key, keys, low, high, fresh))
        query += rows
    return found
