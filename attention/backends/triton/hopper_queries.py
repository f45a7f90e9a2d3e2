# type: ignore  (a language of its own, in the syntax of Python)
"""The gradient of queries on Hopper: the weights of one tile of keys, under a product of that tile.

Producer, consumers and barriers are those of `hopper_kernel.py`. Of each tile three products are
made: the scores, the gradients of the weights, and what the gradients of the scores give the
queries. The first two are begun together, and the weights are computed while the second runs.
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
    LOG2E,
    copy_out,
    fetch,
    matrix,
    multiply,
    to_see,
)


@gluon.jit(do_not_specialize=["queries", "keys", "group"])
def of_queries(
    q_map, k_map, v_map, c_map, g_map, to_map,
    sums, sames, scale, queries, keys, group,
    CAUSAL: gl.constexpr, CONSUMERS: gl.constexpr, REGISTERS: gl.constexpr,
    ROWS: gl.constexpr, COLUMNS: gl.constexpr, STAGES: gl.constexpr,
):  # fmt: skip
    """One tile of queries; beside it what `of_keys` needs, the product of gradient and context.

    Without a mask, programs that run together have the queries of one head, and read the same keys.
    Under a causal mask the longest rows of all heads start first.
    """
    if CAUSAL:
        head, heads = gl.program_id(0), gl.num_programs(0)
        row = (gl.num_programs(1) - 1 - gl.program_id(1)) * CONSUMERS * ROWS
    else:
        head, heads = gl.program_id(1), gl.num_programs(1)
        row = gl.program_id(0) * CONSUMERS * ROWS
    sequence = gl.program_id(2)
    count, masked = to_see(row, CONSUMERS * ROWS, COLUMNS, queries, keys, CAUSAL)

    rows: gl.constexpr = [CONSUMERS] + q_map.block_type.shape
    columns: gl.constexpr = [STAGES] + k_map.block_type.shape
    q = gl.allocate_shared_memory(q_map.dtype, rows, q_map.layout)
    c = gl.allocate_shared_memory(q_map.dtype, rows, q_map.layout)
    g = gl.allocate_shared_memory(q_map.dtype, rows, q_map.layout)
    k = gl.allocate_shared_memory(k_map.dtype, columns, k_map.layout)
    v = gl.allocate_shared_memory(k_map.dtype, columns, k_map.layout)
    own = gl.allocate_shared_memory(gl.int64, [CONSUMERS, 1], mbarrier.MBarrierLayout())
    ready = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    free = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(CONSUMERS):
        mbarrier.init(own.index(i), count=3)  # tiles: of queries, contexts and gradients
    for i in gl.static_range(STAGES):
        mbarrier.init(ready.index(i), count=2)
        mbarrier.init(free.index(i), count=CONSUMERS)
    fence_async_shared()  # copies, which pass the barriers too, must find them made

    maps = (q_map, k_map, v_map, c_map, g_map, to_map)
    tiles = (q, k, v, c, g)
    barriers = (own, ready, free)
    at = (sequence, head, head // group, row, count)
    seen = (masked, queries, keys)
    numbers = (sums, sames, (sequence * heads + head) * queries, scale)  # where a head's begin
    given = (maps, tiles, barriers, at, seen, numbers)
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
    """Copy what the queries have once, then keys and values from the last tile to the first."""
    maps, tiles, barriers, at, _, _ = given
    q_map, k_map, v_map, c_map, g_map, _ = maps
    q, k, v, c, g = tiles
    own, ready, free = barriers
    sequence, head, kv_head, row, count = at
    ROWS: gl.constexpr = q_map.block_type.shape[2]
    COLUMNS: gl.constexpr = k_map.block_type.shape[2]
    STAGES: gl.constexpr = k.type.shape[0]
    CONSUMERS: gl.constexpr = q.type.shape[0]
    for part in gl.static_range(CONSUMERS):
        first = row + part * ROWS
        fetch(g_map, sequence, head, first, g.index(part), own.index(part))
        fetch(c_map, sequence, head, first, c.index(part), own.index(part))
        fetch(q_map, sequence, head, first, q.index(part), own.index(part))
    for n in range(count):
        stage = n % STAGES
        column = (count - 1 - n) * COLUMNS
        mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)
        fetch(k_map, sequence, kv_head, column, k.index(stage), ready.index(stage))
        fetch(v_map, sequence, kv_head, column, v.index(stage), ready.index(stage))


@gluon.jit
def consumer(given, CAUSAL: gl.constexpr, PART: gl.constexpr):
    """ROWS queries over all tiles of keys, from the last to the first: the masked come first."""
    maps, tiles, barriers, at, seen, numbers = given
    q_map, k_map, _, _, _, to_map = maps
    q, k, v, c, g = tiles
    own, _, _ = barriers
    sequence, head, _, row, count = at
    masked, queries, keys = seen
    sums, sames, start, scale = numbers
    ROWS: gl.constexpr = q_map.block_type.shape[2]
    WIDTH: gl.constexpr = q_map.block_type.shape[3]
    COLUMNS: gl.constexpr = k_map.block_type.shape[2]
    SCORES: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, COLUMNS, 16])
    FOUND: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, WIDTH, 16])

    row += PART * ROWS
    line = row + gl.arange(0, ROWS, layout=gl.SliceLayout(1, SCORES))  # (R,)
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, SCORES))  # (C,)
    limit = gl.full([ROWS], keys - 1, gl.int32, gl.SliceLayout(1, SCORES))  # the last key seen
    if CAUSAL:
        limit = gl.minimum(limit, line + keys - queries)
    log = gl.load(sums + start + line, mask=line < queries, other=0.0)  # (R,)
    mbarrier.wait(own.index(PART), 0)
    context = matrix(c.index(PART)).load(FOUND).to(gl.float32)
    same = gl.sum(matrix(g.index(PART)).load(FOUND).to(gl.float32) * context, 1)
    same = gl.convert_layout(same, gl.SliceLayout(1, SCORES))  # (R,)
    gl.store(sames + start + line, same, mask=line < queries)
    found = gl.zeros([ROWS, WIDTH], gl.float32, FOUND)
    pair = (matrix(q.index(PART)), matrix(g.index(PART)))
    stages = (k, v, barriers)
    # Without a mask, too, the last tile may reach beyond the last key.
    for n in range(masked):
        found = turn(
            n, pair, stages, column + (count - 1 - n) * COLUMNS, limit, scale, log, same, found,
            SCORES, FOUND, True,
        )  # fmt: skip
    for n in range(masked, count):
        found = turn(n, pair, stages, column, limit, scale, log, same, found, SCORES, FOUND, False)
    matrix(q.index(PART)).store((found * scale).to(q_map.dtype))
    fence_async_shared()  # the copy goes another way than the threads that stored
    copy_out(to_map, [sequence, head, row, 0], q.index(PART))
    tma.store_wait(0)


@gluon.jit
def turn(
    n, pair, stages, column, limit, scale, log, same, found,
    SCORES: gl.constexpr, FOUND: gl.constexpr, MASKED: gl.constexpr,
):  # fmt: skip
    """What tile n gives the queries."""
    q, g = pair
    k, v, barriers = stages
    _, ready, free = barriers
    STAGES: gl.constexpr = k.type.shape[0]
    now = n % STAGES
    mbarrier.wait(ready.index(now), n // STAGES & 1)
    scores = multiply(q, k.index(now), SCORES)
    of_weights = multiply(g, v.index(now), SCORES)
    # Products end in the order of their start: one is still under way.
    scores = warpgroup_mma_wait(1, deps=(scores,))
    weights = gl.exp2(scores * (scale * LOG2E) - log[:, None])  # (R, C)
    # Passed already. The compiler moves nothing across it: without, all powers of 2 came after the
    # product, and none under it.
    mbarrier.wait(ready.index(now), n // STAGES & 1)
    of_weights, weights = warpgroup_mma_wait(0, deps=(of_weights, weights))
    of_scores = weights * (of_weights - same[:, None])  # (R, C)
    if MASKED:
        of_scores = gl.where(column[None, :] <= limit[:, None], of_scores, 0.0)
    of_scores = gl.convert_layout(of_scores.to(k.dtype), gl.DotOperandLayout(0, FOUND, 2))
    found = warpgroup_mma(of_scores, matrix(k.index(now)), found, is_async=True)
    found, of_scores = warpgroup_mma_wait(0, deps=(found, of_scores))
    mbarrier.arrive(free.index(now), count=1)
    return found
