# type: ignore  (a language of its own, in the syntax of Python)
"""The forward for Hopper: the softmax of one tile of keys, while the tensor cores work on another.

A program has CONSUMERS · ROWS queries of one head, and groups of warps that run at their own pace:

    producer     starts the copies of the tiles into shared memory, up to STAGES tiles ahead
    consumer 0   the first ROWS queries: products on the tensor cores, softmax on the other cores
    consumer 1   the next ROWS queries; and so on: two consumers, or three

They agree by barriers in shared memory. `ready` is passed when the bytes of a tile have landed,
`free` when all consumers have read it. The n-th use of a barrier has the phase n & 1, and waiting
for a phase returns once it is over; of a new barrier, phase 1 counts as over.

In a consumer, the scores of tile n are begun, then the context of tile n − 1, and while the latter
is under way the softmax of tile n is computed. The first and the last tile have half a turn each.

Source:
    Shah et al., *FlashAttention-3: Fast and Accurate Attention with Asynchrony and Low-precision*
    (2024), sections 3.1 and 3.2, algorithm 2. Their consumers also take turns, so that the
    products of one lie under the softmax of the other (section 3.1): on an H200 that gained
    nothing here, and is left out.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_wait,
)

from attention.backends.triton.hopper_pieces import (
    copy_out,
    fetch,
    matrix,
    multiply,
    to_see,
)

LOWEST = gl.constexpr(-3.0e38)  # as in forward.py: below every score, and its own difference is 0

# Which thread holds which sum (64, 4). In a product four threads share a row, each with two of
# every eight columns, and until the end each adds up its own alone: nothing goes from thread to
# thread. On an H200 that gained 1 %.
SUMS = gl.constexpr(
    gl.DistributedLinearLayout(
        reg_bases=[[8, 0]], lane_bases=[[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]],
        warp_bases=[[16, 0], [32, 0]], block_bases=[], shape=[64, 4],
    )
)  # fmt: skip


@gluon.jit(do_not_specialize=["queries", "keys", "group"])
def hopper(
    q_map, k_map, v_map, o_map,  # what copies (1, 1, rows, width) from or to (B, H, T, D)
    sums, scale, queries, keys, group,
    CAUSAL: gl.constexpr, CONSUMERS: gl.constexpr, REGISTERS: gl.constexpr,
    ROWS: gl.constexpr, COLUMNS: gl.constexpr, STAGES: gl.constexpr,
):  # fmt: skip
    """One tile of queries. Within a sequence the longest rows of a causal mask start first.

    Programs that run together have the heads of one sequence, where those are few each head several
    times: then its keys are likely to come from the cache.
    """
    row = (gl.num_programs(1) - 1 - gl.program_id(1)) * CONSUMERS * ROWS
    head = gl.program_id(0)
    sequence = gl.program_id(2)
    count, masked = to_see(row, CONSUMERS * ROWS, COLUMNS, queries, keys, CAUSAL)

    q = gl.allocate_shared_memory(q_map.dtype, [CONSUMERS] + q_map.block_type.shape, q_map.layout)
    k = gl.allocate_shared_memory(k_map.dtype, [STAGES] + k_map.block_type.shape, k_map.layout)
    v = gl.allocate_shared_memory(v_map.dtype, [STAGES] + v_map.block_type.shape, v_map.layout)
    q_ready = gl.allocate_shared_memory(gl.int64, [CONSUMERS, 1], mbarrier.MBarrierLayout())
    k_ready = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    v_ready = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    k_free = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    v_free = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(CONSUMERS):
        mbarrier.init(q_ready.index(i), count=1)
    for i in gl.static_range(STAGES):
        mbarrier.init(k_ready.index(i), count=1)
        mbarrier.init(v_ready.index(i), count=1)
        mbarrier.init(k_free.index(i), count=CONSUMERS)
        mbarrier.init(v_free.index(i), count=CONSUMERS)
    fence_async_shared()  # copies, which pass the barriers too, must find them made

    maps = (q_map, k_map, v_map, o_map)
    tiles = (q, k, v)
    barriers = (q_ready, k_ready, v_ready, k_free, v_free)
    at = (sequence, head, head // group, row, count)
    seen = (masked, queries, keys)
    # Consumer 0 is the four warps that came here, each other one four more, the producer one, which
    # counts as four. The producer keeps 24 registers a thread, and the consumers share the rest.
    given = (maps, tiles, barriers, at, seen, sums, scale)
    if CONSUMERS == 2:
        gl.warp_specialize(
            [(consumer, (given, CAUSAL, 0)), (consumer, (given, CAUSAL, 1)), (producer, (given,))],
            [4, 1],
            [REGISTERS, 24],
        )
    else:
        gl.warp_specialize(
            [
                (consumer, (given, CAUSAL, 0)),
                (consumer, (given, CAUSAL, 1)),
                (consumer, (given, CAUSAL, 2)),
                (producer, (given,)),
            ],
            [4, 4, 1],
            [REGISTERS, REGISTERS, 24],
        )


@gluon.jit
def producer(given):
    """Copy the queries once, then keys and values from the last tile to the first.

    Keys are one tile ahead of values, in the order in which the consumers need them.
    """
    maps, tiles, barriers, at, _, _, _ = given
    q_map, k_map, v_map, _ = maps
    q, k, v = tiles
    q_ready, k_ready, v_ready, k_free, v_free = barriers
    sequence, head, kv_head, row, count = at
    ROWS: gl.constexpr = q_map.block_type.shape[2]
    COLUMNS: gl.constexpr = k_map.block_type.shape[2]
    CONSUMERS: gl.constexpr = q.type.shape[0]
    for part in gl.static_range(CONSUMERS):
        fetch(q_map, sequence, head, row + part * ROWS, q.index(part), q_ready.index(part))
    column = (count - 1) * COLUMNS
    refill(k_map, sequence, kv_head, column, 0, k, k_free, k_ready)
    for n in range(1, count):
        refill(k_map, sequence, kv_head, column - COLUMNS, n, k, k_free, k_ready)
        refill(v_map, sequence, kv_head, column, n - 1, v, v_free, v_ready)
        column -= COLUMNS
    refill(v_map, sequence, kv_head, column, count - 1, v, v_free, v_ready)


@gluon.jit
def refill(source, sequence, head, row, n, tiles, free, ready):
    """Tile n takes the place of tile n − STAGES, once all consumers have read that."""
    STAGES: gl.constexpr = tiles.type.shape[0]
    stage = n % STAGES
    mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)
    fetch(source, sequence, head, row, tiles.index(stage), ready.index(stage))


@gluon.jit
def consumer(given, CAUSAL: gl.constexpr, PART: gl.constexpr):
    """ROWS queries over all tiles of keys, from the last to the first: the masked come first."""
    maps, tiles, barriers, at, seen, sums, scale = given
    q_map, k_map, _, o_map = maps
    q, k, v = tiles
    q_ready, k_ready, v_ready, k_free, _ = barriers
    sequence, head, _, row, count = at
    masked, queries, keys = seen
    ROWS: gl.constexpr = q_map.block_type.shape[2]
    WIDTH: gl.constexpr = q_map.block_type.shape[3]
    COLUMNS: gl.constexpr = k_map.block_type.shape[2]
    STAGES: gl.constexpr = k.type.shape[0]
    # Which thread holds which number of a product: each of the four warps has ROWS / 4 rows.
    SCORES: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, COLUMNS, 16])
    CONTEXT: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, WIDTH, 16])
    SHARES: gl.constexpr = gl.DotOperandLayout(0, CONTEXT, 2)
    # Two consumers have registers to spare. Under a causal mask these hold the rounded shares of
    # two tiles at once, so that shares are rounded under a product too; else the queries, which
    # products then need not read of shared memory. From 4096 tokens on, on an H200, the one gained
    # 5 %, the other 1 %. (Without a mask the former lost 1 %, and under one the latter added
    # nothing.)
    CONSUMERS: gl.constexpr = q.type.shape[0]
    EARLY: gl.constexpr = CONSUMERS == 2 and CAUSAL
    LOADED: gl.constexpr = CONSUMERS == 2 and not CAUSAL

    own = q.index(PART)
    row += PART * ROWS
    line = row + gl.arange(0, ROWS, layout=gl.SliceLayout(1, SCORES))  # (R,)
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, SCORES))  # (C,)
    limit = gl.full([ROWS], keys - 1, gl.int32, gl.SliceLayout(1, SCORES))  # the last key seen
    if CAUSAL:
        limit = gl.minimum(limit, line + keys - queries)
    top = gl.full([ROWS], LOWEST, gl.float32, gl.SliceLayout(1, SCORES))
    total = gl.zeros([ROWS, 4], gl.float32, SUMS)
    context = gl.zeros([ROWS, WIDTH], gl.float32, CONTEXT)

    mbarrier.wait(q_ready.index(PART), 0)
    asking = matrix(own)  # the queries as products take them: in shared memory, or in registers
    if LOADED:  # of what a product of scores reads of shared memory, they are a third
        asking = asking.load(gl.DotOperandLayout(0, SCORES, 2))
    mbarrier.wait(k_ready.index(0), 0)
    scores = multiply(asking, k.index(0), SCORES)
    scores = warpgroup_mma_wait(0, deps=(scores,))
    mbarrier.arrive(k_free.index(0), count=1)
    scores = hide(scores, column + (count - 1) * COLUMNS, limit)
    top, total, factor, shares = softmax(scores, scale, top, total)
    shares = gl.convert_layout(shares.to(q_map.dtype), SHARES)
    mbarrier.wait(v_ready.index(0), 0)
    if CAUSAL:
        for n in range(1, masked):
            context, top, total, shares = turn(
                n, asking, tiles, barriers, column + (count - 1 - n) * COLUMNS, limit, scale,
                context, top, total, shares, SCORES, CONTEXT, SHARES, True, EARLY,
            )  # fmt: skip
    for n in range(gl.maximum(masked, 1), count):
        context, top, total, shares = turn(
            n, asking, tiles, barriers, column, limit, scale,
            context, top, total, shares, SCORES, CONTEXT, SHARES, False, EARLY,
        )  # fmt: skip
    last = count - 1
    context = warpgroup_mma(shares, matrix(v.index(last % STAGES)), context, is_async=True)
    if LOADED:  # named once more, so that until here nothing else gets their registers
        context, shares, asking = warpgroup_mma_wait(0, deps=(context, shares, asking))
    else:
        context, shares = warpgroup_mma_wait(0, deps=(context, shares))

    total = gl.convert_layout(gl.sum(total, 1), gl.SliceLayout(1, SCORES))  # (R,)
    idle = total == 0.0  # a query that sees nothing: zeros, and +∞ for the backward
    inverse = gl.convert_layout(1.0 / gl.where(idle, 1.0, total), gl.SliceLayout(1, CONTEXT))
    # The queries are no longer needed, and the context is as large as their place.
    matrix(own).store((context * inverse[:, None]).to(q_map.dtype))
    fence_async_shared()  # the copy goes another way than the threads that stored
    copy_out(o_map, [sequence, head, row, 0], own)
    logs = gl.where(idle, float("inf"), top + gl.log2(total))
    at = (sequence * gl.num_programs(0) + head) * queries + line
    gl.store(sums + at, logs, mask=line < queries)
    tma.store_wait(0)


@gluon.jit
def turn(
    n, asking, tiles, barriers, column, limit, scale,
    context, top, total, shares,
    SCORES: gl.constexpr, CONTEXT: gl.constexpr, SHARES: gl.constexpr,
    MASKED: gl.constexpr, EARLY: gl.constexpr,
):  # fmt: skip
    """The scores of tile n and the context of tile n − 1; under the latter, the softmax of n."""
    _, k, v = tiles
    _, k_ready, v_ready, k_free, v_free = barriers
    STAGES: gl.constexpr = k.type.shape[0]
    now = n % STAGES
    before = (n - 1) % STAGES
    mbarrier.wait(k_ready.index(now), n // STAGES & 1)
    scores = multiply(asking, k.index(now), SCORES)
    context = warpgroup_mma(shares, matrix(v.index(before)), context, is_async=True)
    # Products end in the order of their start: one, the context, is still under way.
    scores = warpgroup_mma_wait(1, deps=(scores,))
    mbarrier.arrive(k_free.index(now), count=1)
    if MASKED:
        scores = hide(scores, column, limit)
    top, total, factor, new = softmax(scores, scale, top, total)
    if EARLY:
        new = gl.convert_layout(new.to(k.dtype), SHARES)
    # The next turn needs these values. They are waited for here because the compiler moves nothing
    # across the loop in which a barrier is waited for: with the wait before their product, all
    # powers of 2 came after the product, and none under it.
    mbarrier.wait(v_ready.index(now), n // STAGES & 1)
    # The product reads its shares in registers until it ends, so they are kept until then.
    context, shares, new = warpgroup_mma_wait(0, deps=(context, shares, new))
    mbarrier.arrive(v_free.index(before), count=1)
    context *= gl.convert_layout(factor, gl.SliceLayout(1, CONTEXT))[:, None]
    if not EARLY:
        new = gl.convert_layout(new.to(k.dtype), SHARES)
    return context, top, total, new


@gluon.jit
def hide(scores, column, limit):
    return gl.where(column[None, :] <= limit[:, None], scores, float("-inf"))


@gluon.jit
def softmax(scores, scale, top, total):
    """The shares of one more tile (R, C), and the factor by which what was summed counts less.

    Of each row `total` (R, 4) is what each of its threads has summed.

    In powers of 2, as in forward.py: the scale holds log2 e. It is positive, so the largest score
    is still the largest when scaled, and a score is scaled and lowered in one multiply-add.
    """
    higher = gl.maximum(top, gl.max(scores, 1) * scale)
    factor = gl.exp2(top - higher)
    shares = gl.exp2(scores * scale - higher[:, None])
    ROWS: gl.constexpr = shares.shape[0]
    COLUMNS: gl.constexpr = shares.shape[1]
    own = gl.sum(gl.sum(shares.reshape([ROWS, COLUMNS // 8, 4, 2]), 3), 1)  # (R, 4), by thread
    total *= gl.convert_layout(factor, gl.SliceLayout(1, SUMS))[:, None]
    return higher, total + gl.convert_layout(own, SUMS), factor, shares
