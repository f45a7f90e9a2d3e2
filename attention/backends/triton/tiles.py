"""What the kernels share: where a program works, which tiles it meets, and who sees whom there.

The query of row `i` stands at position `p = i + keys − queries`, and sees the keys `j` with

    p − left ≤ j ≤ p + right    and    start ≤ j < stop

where `start` and `stop` belong to its sequence. So a query sees one stretch of keys, and a key is
seen by one stretch of queries.
"""

import triton
import triton.language as tl


@triton.jit
def place(tiles, heads, together):
    """Tile, head and sequence of this program.

    So many heads go together: first the first tile of each, then the second of each.
    """
    turn = tl.program_id(0)
    first = turn // (tiles * together) * together
    turn -= first * tiles
    beside = tl.minimum(together, tl.num_programs(0) // tiles - first)
    number = first + turn % beside  # of the head, through all sequences
    head, sequence = number % heads, number // heads
    # 64 bits: times a stride, they may not fit 32.
    return turn // beside, head.to(tl.int64), sequence.to(tl.int64)


@triton.jit
def ends(spans, sequence, keys):
    """The first key of a sequence, and the one after its last."""
    if spans is None:
        start, stop = 0, keys
    else:
        # Bounded, then narrowed: a length may be any number of 64 bits.
        at = spans + 2 * sequence
        start = tl.minimum(tl.maximum(tl.load(at), 0), keys).to(tl.int32)
        stop = tl.minimum(tl.maximum(tl.load(at + 1), 0), keys).to(tl.int32)
    return start, stop


@triton.jit
def stretch(first, last, before, after, start, stop):
    """What some of the positions first to last can reach, and what each can.

    Each reaches from `before` itself to `after` itself, within start to stop.
    """
    some, beyond = tl.maximum(first - before, start), tl.minimum(last + after + 1, stop)
    every, until = tl.maximum(last - before, start), tl.minimum(first + after + 1, stop)
    none = (first > last) | (beyond <= some)
    beyond, every = tl.where(none, some, beyond), tl.where(none, some, every)
    return some, beyond, every, tl.where(none, some, until)


@triton.jit
def cut(some, beyond, every, until, SIZE: tl.constexpr):
    """In tiles: the first, how many, the first inner one, and the end of those.

    An inner tile needs no mask: all of its queries see all of its keys.
    """
    first = some // SIZE
    count = tl.where(beyond > some, tl.cdiv(beyond, SIZE) - first, 0)
    inner = tl.cdiv(every, SIZE)
    outer = tl.maximum(until // SIZE, inner)
    return first, count, inner, outer


@triton.jit
def border(turn, first, inner, outer):
    """The tile of a turn through those that are not inner ones."""
    tile = first + turn
    return tl.where(tile < inner, tile, tile + outer - inner)


@triton.jit
def bounds(position, left, right, start, stop):
    """The first key that a query may attend to, and the one after the last."""
    begin = tl.maximum(position - left, start)
    return begin, tl.minimum(position + right + 1, stop)


@triton.jit
def sees(begin, end, key):
    """Which query of a tile may attend to which of its keys."""
    return (key >= begin) & (key < end)


@triton.jit
def of(tensor, strides, sequence, head):
    """A head of a tensor: where it starts, and how far from one row to the next."""
    of_sequence, of_head, of_row = strides
    return tensor + sequence * of_sequence + head * of_head, of_row


@triton.jit
def fetch(matrix, first, there, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Some rows of a head, (ROWS, WIDTH): zeros where not there; None: all are."""
    at = places(matrix, first, ROWS, WIDTH)
    if there is None:  # compiled away: there is no None[:, None]
        found = tl.load(at)
    else:
        found = tl.load(at, mask=there[:, None], other=0.0)
    return found


@triton.jit
def write(matrix, first, there, rows):
    """The rows that are there, in the dtype of the tensor."""
    at = places(matrix, first, rows.shape[0], rows.shape[1])
    tl.store(at, rows.to(at.dtype.element_ty), mask=there[:, None])


@triton.jit
def places(matrix, first, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Where the numbers of some rows lie; each row is in one piece."""
    start, of_row = matrix
    start += tl.cast(first, tl.int64) * of_row
    row = tl.arange(0, ROWS).to(tl.int64)
    return start + row[:, None] * of_row + tl.arange(0, WIDTH)[None, :]
