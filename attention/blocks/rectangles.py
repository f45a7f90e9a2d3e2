"""A lane as rectangles of queries and keys: most of them seen in full."""

from collections.abc import Iterator
from typing import NamedTuple

from jaxtyping import Int
from torch import Tensor

# Rows with the same keys, or with one key more each, are a rectangle or a triangle of their own
# from so many on; fewer share a strip, which needs a mask.
LONG = 64
# The side of the triangles that are cut into strips, or half as long again, where larger ones are
# halved. 256 and 512 take the same time to within 4 %.
TRIANGLE = 256
# Rows of a strip, each of which sees nearly the same keys. Under a window, forward, 32 take 0.92
# of the time of 64: less is computed that the mask leaves out. Backward they take 1.2 times as
# long, since each key is in twice as many strips and gets its gradient from each.
STRIP = {"forward": 32, "backward": 64}
# Torch's kernel reads keys in registers of 16 numbers: 288 keys take 0.8 of the time of 287.
ALIGN = 32


Run = tuple[int, int, bool]  # from a row to before another, and whether each sees a key more


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

    @property
    def kind(self) -> tuple[object, ...]:
        """What it has in common with one that lies elsewhere."""
        return self[1], *self[3:]


def rectangles(
    start: Int[Tensor, "sequences queries"],
    stop: Int[Tensor, "sequences queries"],
    fresh: bool,
    strip: int,
) -> list[list[Rectangle]]:
    """Of each sequence the rectangles that a lane is made of, each key of each query in one.

    Args:
        start: Shape `(N, T)`, the first key that a query sees; `S` if it sees none.
        stop: Shape `(N, T)`, the key after the last; `S` if it sees none.
        fresh: Whether this is the first lane of its queries.
        strip: How many rows share a strip, where they follow no pattern.
    """
    every = zip(start.tolist(), stop.tolist(), runs(start, stop), strict=True)
    return [pieces(*one, fresh, strip) for one in every]


def pieces(
    starts: list[int], stops: list[int], alike: list[Run], fresh: bool, strip: int
) -> list[Rectangle]:
    """Those of one sequence."""
    found: list[Rectangle] = []
    query, long = 0, min(LONG, len(starts))
    for first, last, grows in alike:
        first = max(first, query)
        if last - first < long:
            continue
        if query < first:
            found += strips(starts[query:first], stops[query:first], query, fresh, strip)
        rows, key, keys = last - first, starts[first], stops[first] - starts[first]
        if grows:  # each row sees one key more than the one before: beside it is a rectangle
            found += rectangle(first, rows, key, keys - 1, fresh)
            found += triangle(first, rows, key + keys - 1, fresh and keys == 1)
        else:
            found += rectangle(first, rows, key, keys, fresh)
        query = last
    if query < len(starts):
        found += strips(starts[query:], stops[query:], query, fresh, strip)
    return found


def runs(
    start: Int[Tensor, "sequences queries"], stop: Int[Tensor, "sequences queries"]
) -> list[list[Run]]:
    """Of each sequence the rows that start alike, and stop alike or each 1 later."""
    step = stop.diff()
    kind = step.where((start.diff() == 0) & ((step == 0) | (step == 1)), -1)  # (N, T − 1)
    if kind.size(1) == 0:
        return [[] for _ in kind]
    edges, kinds = [[0] for _ in kind], [[one] for one in kind[:, 0].tolist()]
    sequence, row = (kind.diff() != 0).nonzero().unbind(dim=1)
    after = kind[sequence, row + 1].tolist()
    for at, first, one in zip(sequence.tolist(), (row + 1).tolist(), after, strict=True):
        edges[at].append(first)
        kinds[at].append(one)
    return [
        [
            (first, last + 1, one == 1)
            for first, last, one in zip(at, [*at[1:], kind.size(1)], each, strict=True)
            if one >= 0
        ]
        for at, each in zip(edges, kinds, strict=True)
    ]


def rectangle(query: int, rows: int, key: int, keys: int, fresh: bool) -> list[Rectangle]:
    return [Rectangle(query, rows, key, keys, fresh=fresh)] if rows and keys else []


def triangle(query: int, rows: int, key: int, fresh: bool) -> list[Rectangle]:
    """Row `r` sees `r + 1` keys: two smaller triangles, and a square.

    So a triangle of `n` rows takes few calls of torch's kernel, each on equal
    rectangles, and loses about `LONG / n` of its work. The kernel's own causal
    mask leaves out 512 keys at a time.
    """
    if rows < 1.5 * TRIANGLE:
        return [growing(query, key, *part, fresh) for part in parts(rows, LONG)]
    half = -(-rows // TRIANGLE) // 2 * TRIANGLE
    return [
        *triangle(query, half, key, fresh),
        Rectangle(query + half, rows - half, key, half),
        *triangle(query + half, rows - half, key + half, fresh),
    ]


def growing(query: int, key: int, first: int, last: int, fresh: bool) -> Rectangle:
    """Rows of a triangle, from the first to before the last, with all keys that the last sees."""
    rows, stops = last - first, range(first + 1, last + 1)
    return Rectangle(query + first, rows, key, last, (0,) * rows, tuple(stops), fresh)


def parts(rows: int, most: int) -> Iterator[tuple[int, int]]:
    """From the first row to before the last: a few more in one cost less than a call for them."""
    first = 0
    while first < rows:
        last = first + most if rows - first >= 1.5 * most else rows
        yield first, last
        first = last


def strips(
    starts: list[int], stops: list[int], query: int, fresh: bool, strip: int
) -> list[Rectangle]:
    """Rows from `query` on, of no pattern or a window: rectangles around what some of them see."""
    found, first, least = [], 0, min(starts)
    while first < len(starts):
        # Wide rows lose little in a taller strip, which keeps the kernel busier.
        rows = strip if stops[first] - starts[first] < 1024 else 256
        left = len(starts) - first
        rows = left if left < 1.5 * rows else rows  # a few more cost less than a call for them
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
