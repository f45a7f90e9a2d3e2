# type: ignore  (a language of its own, in the syntax of Python)
"""The gradients of keys and values on Hopper: a product is under way while weights are computed.

Producer, consumers and barriers are those of `hopper_kernel.py`, the other way round: each consumer
has COLUMNS keys and their values, and tiles of ROWS queries go by, with their gradients and two
numbers each. Of each tile four products are made, begun in this order:

    scores         keys · queries, transposed: (C, R)
    of_weights     values · gradients, (C, R); under it the weights are computed
    to_value       weights · gradients, (C, D); under it the gradients of the scores
    to_key         gradients of the scores · queries, (C, D)
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

from attention.backends.triton.hopper_pieces import LOG2E, copy_out, fetch, matrix, multiply


@gluon.jit(do_not_specialize=["queries", "keys", "group"])
def of_keys(
    q_map, k_map, v_map, g_map, to_key_map, to_value_map,
    sums, sames, scale, queries, keys, group,
    CAUSAL: gl.constexpr, CONSUMERS: gl.constexpr, REGISTERS: gl.constexpr,
    ROWS: gl.constexpr, COLUMNS: gl.constexpr, STAGES: gl.constexpr,
):  # fmt: skip
    """The gradients of one tile of keys and values, from all query heads that read them."""
    if CAUSAL:
        head, heads = gl.program_id(0), gl.num_programs(0)
        column = gl.program_id(1) * CONSUMERS * COLUMNS
        ahead = column - keys + queries  # the row of the first query that sees the first of these
        first = gl.maximum(ahead, 0) // ROWS
        masked = gl.cdiv(gl.maximum(ahead + CONSUMERS * COLUMNS - 1, 0), ROWS)
        masked = gl.minimum(masked, gl.cdiv(queries, ROWS)) - first
    else:
        head, heads = gl.program_id(1), gl.num_programs(1)
        column = gl.program_id(0) * CONSUMERS * COLUMNS
        first, masked = 0, 0
    sequence = gl.program_id(2)
    count = gl.cdiv(queries, ROWS) - first

    rows: gl.constexpr = [STAGES] + q_map.block_type.shape
    columns: gl.constexpr = [CONSUMERS] + k_map.block_type.shape
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    q = gl.allocate_shared_memory(q_map.dtype, rows, q_map.layout)
    g = gl.allocate_shared_memory(q_map.dtype, rows, q_map.layout)
    logs = gl.allocate_shared_memory(gl.float32, [STAGES, ROWS], plain)
    dots = gl.allocate_shared_memory(gl.float32, [STAGES, ROWS], plain)
    k = gl.allocate_shared_memory(k_map.dtype, columns, k_map.layout)
    v = gl.allocate_shared_memory(k_map.dtype, columns, k_map.layout)
    own = gl.allocate_shared_memory(gl.int64, [CONSUMERS, 1], mbarrier.MBarrierLayout())
    ready = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    free = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(CONSUMERS):
        mbarrier.init(own.index(i), count=2)  # tiles: of keys and of values
    for i in gl.static_range(STAGES):
        mbarrier.init(ready.index(i), count=3)  # two tiles, and the numbers
        mbarrier.init(free.index(i), count=CONSUMERS)
    fence_async_shared()  # copies, which pass the barriers too, must find them made

    maps = (q_map, k_map, v_map, g_map, to_key_map, to_value_map)
    tiles = (q, g, logs, dots, k, v)
    barriers = (own, ready, free)
    at = (sequence, head, group, column, first, count)
    seen = (masked, queries, keys)
    numbers = (sums, sames, (sequence * heads + head) * group * queries, scale)
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
    """Copy keys and values once, then what belongs to each tile of queries, of one head by one.

    The two numbers of a query are not copied in bulk, which would need 16 bytes of them together,
    but read and stored by the threads of this warp: in consumers they cost 32 registers a thread.
    """
    maps, tiles, barriers, at, seen, numbers = given
    q_map, k_map, v_map, g_map, _, _ = maps
    q, g, logs, dots, k, v = tiles
    own, ready, free = barriers
    sequence, head, group, column, first, count = at
    _, queries, _ = seen
    sums, sames, start, _ = numbers
    ROWS: gl.constexpr = q_map.block_type.shape[2]
    COLUMNS: gl.constexpr = k_map.block_type.shape[2]
    STAGES: gl.constexpr = q.type.shape[0]
    CONSUMERS: gl.constexpr = k.type.shape[0]
    for part in gl.static_range(CONSUMERS):
        fetch(k_map, sequence, head, column + part * COLUMNS, k.index(part), own.index(part))
        fetch(v_map, sequence, head, column + part * COLUMNS, v.index(part), own.index(part))
    line = gl.arange(0, ROWS, layout=gl.BlockedLayout([ROWS // 32], [32], [1], [0]))  # (R,)
    for n in range(group * count):
        stage = n % STAGES
        asking = n // count
        row = (first + n % count) * ROWS
        mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)
        fetch(q_map, sequence, head * group + asking, row, q.index(stage), ready.index(stage))
        fetch(g_map, sequence, head * group + asking, row, g.index(stage), ready.index(stage))
        there = row + line < queries
        number = start + asking * queries + row + line
        # Beyond the last query +∞, so that its weights are 0.
        logs.index(stage).store(gl.load(sums + number, mask=there, other=float("inf")))
        dots.index(stage).store(gl.load(sames + number, mask=there, other=0.0))
        mbarrier.arrive(ready.index(stage), count=1)


@gluon.jit
def consumer(given, CAUSAL: gl.constexpr, PART: gl.constexpr):
    """COLUMNS keys and values, over all tiles of queries that see one of them."""
    maps, tiles, barriers, at, seen, numbers = given
    q_map, k_map, _, _, to_key_map, to_value_map = maps
    q, g, logs, dots, k, v = tiles
    own, _, _ = barriers
    sequence, head, group, column, first, count = at
    masked, queries, keys = seen
    _, _, _, scale = numbers
    ROWS: gl.constexpr = q_map.block_type.shape[2]
    WIDTH: gl.constexpr = q_map.block_type.shape[3]
    COLUMNS: gl.constexpr = k_map.block_type.shape[2]
    SCORES: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, ROWS, 16])
    FOUND: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, WIDTH, 16])

    column += PART * COLUMNS
    place = column + gl.arange(0, COLUMNS, layout=gl.SliceLayout(1, SCORES))  # (C,)
    since = place - keys + queries - first * ROWS  # the first query that sees each, counted as line
    line = gl.arange(0, ROWS, layout=gl.SliceLayout(0, SCORES))  # (R,)
    to_key = gl.zeros([COLUMNS, WIDTH], gl.float32, FOUND)
    to_value = gl.zeros([COLUMNS, WIDTH], gl.float32, FOUND)
    pair = (matrix(k.index(PART)), matrix(v.index(PART)))
    stages = (q, g, logs, dots, barriers)
    mbarrier.wait(own.index(PART), 0)
    n = 0
    for _ in range(group):
        if CAUSAL:
            for i in range(masked):
                to_key, to_value = turn(
                    n, pair, stages, i * ROWS + line, since, scale, to_key, to_value,
                    SCORES, FOUND, True,
                )  # fmt: skip
                n += 1
        for _ in range(masked, count):
            to_key, to_value = turn(
                n, pair, stages, line, since, scale, to_key, to_value, SCORES, FOUND, False
            )
            n += 1
    matrix(k.index(PART)).store((to_key * scale).to(q_map.dtype))
    matrix(v.index(PART)).store(to_value.to(q_map.dtype))
    fence_async_shared()  # the copy goes another way than the threads that stored
    copy_out(to_key_map, [sequence, head, column, 0], k.index(PART))
    copy_out(to_value_map, [sequence, head, column, 0], v.index(PART))
    tma.store_wait(0)


@gluon.jit
def turn(
    n, pair, stages, line, since, scale, to_key, to_value,
    SCORES: gl.constexpr, FOUND: gl.constexpr, MASKED: gl.constexpr,
):  # fmt: skip
    """What tile n gives the keys and values."""
    k, v = pair
    q, g, logs, dots, barriers = stages
    _, ready, free = barriers
    ROWS: gl.constexpr = q.type.shape[2]
    COLUMNS: gl.constexpr = k.shape[0]
    STAGES: gl.constexpr = q.type.shape[0]
    SHARES: gl.constexpr = gl.DotOperandLayout(0, FOUND, 2)
    now = n % STAGES
    mbarrier.wait(ready.index(now), n // STAGES & 1)
    # A product adds to what is there. Begun at what they are lowered by, gradients of weights
    # need no subtraction: on an H200 that saved about a tenth of the time.
    same = dots.index(now).load(gl.SliceLayout(0, SCORES))  # (R,)
    lower = gl.zeros([COLUMNS, ROWS], gl.float32, SCORES) - same[None, :]
    scores = multiply(k, q.index(now), SCORES)
    of_weights = warpgroup_mma(v, matrix(g.index(now)).permute((1, 0)), lower, is_async=True)
    log = logs.index(now).load(gl.SliceLayout(0, SCORES))  # (R,)
    # Products end in the order of their start: one is still under way.
    scores = warpgroup_mma_wait(1, deps=(scores,))
    weights = gl.exp2(scores * (scale * LOG2E) - log[None, :])  # (C, R)
    if MASKED:
        weights = gl.where(line[None, :] >= since[:, None], weights, 0.0)
    shares = gl.convert_layout(weights.to(q.dtype), SHARES)
    to_value = warpgroup_mma(shares, matrix(g.index(now)), to_value, is_async=True)
    of_weights = warpgroup_mma_wait(1, deps=(of_weights,))
    of_scores = gl.convert_layout((weights * of_weights).to(q.dtype), SHARES)
    to_key = warpgroup_mma(of_scores, matrix(q.index(now)), to_key, is_async=True)
    # Products read their left side in registers until they end, so those are kept until then.
    to_value, shares, to_key, of_scores = warpgroup_mma_wait(
        0, deps=(to_value, shares, to_key, of_scores)
    )
    mbarrier.arrive(free.index(now), count=1)
    return to_key, to_value
