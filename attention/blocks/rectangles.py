"""A lane as rectangles of queries and keys: most of them seen in full."""

from typing import NamedTuple

from jaxtyping import Int
from torch import Tensor

# Rows with the same keys, or with one key more each, are a rectangle or a triangle of their own
# from so many on; fewer share a strip, which needs a mask.
LONG = 64
# The side of the triangles that are cut into strips, where larger ones are halved. 256 and 512
# take the same time to within 4 %.
TRIANGLE = 256
# Rows of a strip, each of which sees nearly the same keys. Under a window, forward, 32 take 0.92
# of the time of 64: less is computed that the mask leaves out. Backward they take 1.2 times as
# long, since each key is in twice as many strips and gets its gradient from each.
STRIP = {"forward": 32, "backward": 64}
# Torch's kernel reads keys in registers of 16 numbers: 288 keys take 0.8 of the time of 287.
ALIGN = 32


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
    start: Int[Tensor, "queries"], stop: Int[Tensor, "queries"], fresh: bool, strip: int
) -> list[Rectangle]:
    """The rectangles that a lane is made of, each key of each query in one of them.

    Args:
        start: Shape `(T,)`, the first key that a query sees; `S` if it sees none.
        stop: Shape `(T,)`, the key after the last; `S` if it sees none.
        fresh: Whether this is the first lane of its queries.
        strip: How many rows share a strip, where they follow no pattern.
    """
    found: list[Rectangle] = []
    starts, stops = start.tolist(), stop.tolist()
    query, long = 0, min(LONG, len(starts))
    for first, last, grows in runs(start, stop):
        first = max(first, query)
        if last - first < long:
            continue
        found += strips(starts[query:first], stops[query:first], query, fresh, strip)
        rows, key, keys = last - first, starts[first], stops[first] - starts[first]
        if grows:  # each row sees one key more than the one before: beside it is a rectangle
            found += rectangle(first, rows, key, keys - 1, fresh)
            found += triangle(first, rows, key + keys - 1, fresh and keys == 1)
        else:
            found += rectangle(first, rows, key, keys, fresh)
        query = last
    return found + strips(starts[query:], stops[query:], query, fresh, strip)


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
    """Row `r` sees `r + 1` keys: two smaller triangles, and a square.

    So a triangle of `n` rows takes few calls of torch's kernel, each on equal
    rectangles, and loses about `LONG / n` of its work. The kernel's own causal
    mask leaves out 512 keys at a time.
    """
    if rows <= TRIANGLE:
        starts, stops = [key] * rows, range(key + 1, key + rows + 1)
        return strips(starts, list(stops), query, fresh, LONG)
    half = -(-rows // TRIANGLE) // 2 * TRIANGLE
    return [
        *triangle(query, half, key, fresh),
        Rectangle(query + half, rows - half, key, half),
        *triangle(query + half, rows - half, key + half, fresh),
    ]


def strips(
    starts: list[int], stops: list[int], query: int, fresh: bool, strip: int
) -> list[Rectangle]:
    """Rows from `query` on, of no pattern or a window: rectangles around what some of them see."""
    found, first, least = [], 0, min(starts, default=0)
    while first < len(starts):
        # Wide rows lose little in a taller strip, which keeps the kernel busier.
        rows = strip if stops[first] - starts[first] < 1024 else 256
        rows = min(rows, len(starts) - first)
        low, high = starts[first : first + rows], stops[first : first + rows]
        seen = [(a, b) for a, b in zip(low, high, strict=True) if a < b]
        if seen:
            key = min(a for a, _ in seen)
            keys = max(b for _, b in seen) - key
            if len({*seen}) > 1:  # it has a mask, which hides what else it takes
                more = min(-keys % ALIGN, key - least)
                key, keys = key - more, keys + more
            ends = zip(low, high, strict=True)
            inside = [(a - key, b - key) if a < b else (0, 0) for a, b in ends]
            low, high = zip(*inside, strict=True)
            if set(inside) == {(0, keys)}:
                low = high = None
            found.append(Rectangle(query + first, rows, key, keys, low, high, fresh))
        first += rows
    return found
