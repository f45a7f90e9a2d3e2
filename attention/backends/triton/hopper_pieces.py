# type: ignore  (a language of its own, in the syntax of Python)
"""What the kernels for Hopper share: which tiles they read, copies of tiles, products of them."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma

# Triton 3.8 has renamed both.
copy_in = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared
copy_out = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global

LOG2E = gl.constexpr(1.4426950408889634)


@gluon.jit
def to_see(row, ROWS: gl.constexpr, COLUMNS: gl.constexpr, queries, keys, CAUSAL: gl.constexpr):
    """Tiles of keys that any of ROWS queries sees, and how many of them, the last, are masked."""
    if CAUSAL:
        offset = keys - queries
        some = gl.minimum(row + ROWS + offset, keys)
        every = gl.maximum(gl.minimum(row + 1 + offset, keys), 0)
    else:
        some = keys
        every = keys
    count = gl.maximum(gl.cdiv(some, COLUMNS), 1)  # where all see nothing, one tile to see so
    return count, count - every // COLUMNS


@gluon.jit
def fetch(source, sequence, head, row, tile, ready):
    """Start a copy. What lies beyond the end of the tensor lands as zeros, and counts as bytes."""
    mbarrier.expect(ready, source.block_type.nbytes)
    copy_in(source, [sequence, head, row, 0], ready, tile)


@gluon.jit
def multiply(q, k, SCORES: gl.constexpr):
    """Begin the products (R, C) of all rows of a matrix with all rows of a tile: scores, say."""
    ROWS: gl.constexpr = q.shape[0]
    COLUMNS: gl.constexpr = k.type.shape[2]
    nothing = gl.zeros([ROWS, COLUMNS], gl.float32, SCORES)
    return warpgroup_mma(q, matrix(k).permute((1, 0)), nothing, use_acc=False, is_async=True)


@gluon.jit
def matrix(tile):
    """A tile (1, 1, rows, width) as (rows, width)."""
    return tile.reshape([tile.type.shape[2], tile.type.shape[3]])
