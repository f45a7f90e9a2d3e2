"""Bugs to seed into the kernel for Hopper: a name, the text as it is, the text with the bug."""

SEEDED = {
    "wrong phase for keys": (
        "mbarrier.wait(k_ready.index(now), n // STAGES & 1)",
        "mbarrier.wait(k_ready.index(now), n & 1)",
    ),
    "wrong phase for values": (
        "mbarrier.wait(v_ready.index(now), n // STAGES & 1)",
        "mbarrier.wait(v_ready.index(now), (n // STAGES & 1) ^ 1)",
    ),
    "wrong phase for free places": (
        "mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)",
        "mbarrier.wait(free.index(stage), n // STAGES & 1)",
    ),
    "no wait for queries": ("    mbarrier.wait(q_ready.index(PART), 0)\n", ""),
    "no wait for the first keys": ("    mbarrier.wait(k_ready.index(0), 0)\n", ""),
    "no wait for the first values": ("    mbarrier.wait(v_ready.index(0), 0)\n", ""),
    "no wait for keys": ("    mbarrier.wait(k_ready.index(now), n // STAGES & 1)\n", ""),
    "no wait for values": ("    mbarrier.wait(v_ready.index(now), n // STAGES & 1)\n", ""),
    "no wait for a free place": (
        "    mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)\n",
        "",
    ),
    "keys never freed": ("    mbarrier.arrive(k_free.index(now), count=1)\n", ""),
    "values never freed": ("    mbarrier.arrive(v_free.index(before), count=1)\n", ""),
    "freed by one consumer of several": (
        "mbarrier.init(k_free.index(i), count=CONSUMERS)",
        "mbarrier.init(k_free.index(i), count=1)",
    ),
    "keys freed before they are read": (
        """    scores = warpgroup_mma_wait(1, deps=(scores,))
    mbarrier.arrive(k_free.index(now), count=1)
""",
        """    mbarrier.arrive(k_free.index(now), count=1)
    scores = warpgroup_mma_wait(1, deps=(scores,))
""",
    ),
    "values freed before they are read": (
        """    context, shares, new = warpgroup_mma_wait(0, deps=(context, shares, new))
    mbarrier.arrive(v_free.index(before), count=1)
""",
        """    mbarrier.arrive(v_free.index(before), count=1)
    context, shares, new = warpgroup_mma_wait(0, deps=(context, shares, new))
""",
    ),
    "half of the bytes expected": ("source.block_type.nbytes)", "source.block_type.nbytes // 2)"),
    "twice the bytes expected": ("source.block_type.nbytes)", "source.block_type.nbytes * 2)"),
    "values of the next tile": ("before = (n - 1) % STAGES", "before = n % STAGES"),
    "the last tile of values mistaken": ("last = count - 1", "last = count"),
    "queries of the other consumer": ("own = q.index(PART)", "own = q.index(1 - PART)"),
    "a wait that lets the scores run on": (
        "warpgroup_mma_wait(1, deps=(scores,))",
        "warpgroup_mma_wait(2, deps=(scores,))",
    ),
    "a wait that lets the context run on": (
        "warpgroup_mma_wait(0, deps=(context, shares, new))",
        "warpgroup_mma_wait(1, deps=(context, shares, new))",
    ),
    "the end before the last product": (
        "warpgroup_mma_wait(0, deps=(context, shares))",
        "warpgroup_mma_wait(1, deps=(context, shares))",
    ),
    "registers not kept": ("deps=(context, shares, new))", "deps=(context, new, new))"),
    "no fence before the copies": ("    fence_async_shared()  # copies", "    # copies"),
    "no fence before the store": ("    fence_async_shared()  # the copy", "    # the copy"),
    "no wait for the store": ("    tma.store_wait(0)\n", ""),
    "mask off by one": ("column[None, :] <= limit[:, None]", "column[None, :] < limit[:, None]"),
    "end of the keys off by one": ("gl.full([ROWS], keys - 1,", "gl.full([ROWS], keys,"),
    "aligned with the first key": ("line + keys - queries)", "line)"),
    "a masked tile taken for a whole one": (
        "return count, count - every // COLUMNS",
        "return count, count - every // COLUMNS - 1",
    ),
    "no tile where nothing is seen": (
        "count = gl.maximum(gl.cdiv(some, COLUMNS), 1)",
        "count = gl.cdiv(some, COLUMNS)",
    ),
    "context not rescaled": (
        "    context *= gl.convert_layout(factor, gl.SliceLayout(1, CONTEXT))[:, None]\n",
        "",
    ),
    "sum not rescaled": (
        "    total *= gl.convert_layout(factor, gl.SliceLayout(1, SUMS))[:, None]\n",
        "",
    ),
    "sums of one thread": ("gl.sum(total, 1)", "gl.max(total, 1)"),
    "rounded early, and freed before it is read": (
        "    if EARLY:\n",
        "    if EARLY:\n        mbarrier.arrive(v_free.index(before), count=1)\n",
    ),
    "rounded early, the shares of the tile before": (
        "    if EARLY:\n        new = gl.convert_layout(new.to(k.dtype), SHARES)",
        "    if EARLY:\n        new = shares",
    ),
    "queries not kept": (
        "context, shares, asking = warpgroup_mma_wait(0, deps=(context, shares, asking))",
        "context, shares = warpgroup_mma_wait(0, deps=(context, shares))",
    ),
    "values one tile too early": (
        "kv_head, column, n - 1, v, v_free",
        "kv_head, column - COLUMNS, n - 1, v, v_free",
    ),
    "values copied into the place of the next": (
        "column, n - 1, v, v_free",
        "column, n, v, v_free",
    ),
    "keys of another head": (
        "sequence, head, head // group, row",
        "sequence, head, head % group, row",
    ),
}
