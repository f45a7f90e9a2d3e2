"""Bugs to seed into the gradients for Hopper: a name, the text as it is, the text with the bug."""

# Both kernels hand tiles on in the same words.
BOTH = {
    "wrong phase for free places": (
        "mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)",
        "mbarrier.wait(free.index(stage), n // STAGES & 1)",
    ),
    "no wait for a free place": (
        "        mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)\n",
        "",
    ),
    "no wait for own tiles": ("    mbarrier.wait(own.index(PART), 0)\n", ""),
    "never freed": ("    mbarrier.arrive(free.index(now), count=1)\n", ""),
    "freed by one consumer of several": (
        "mbarrier.init(free.index(i), count=CONSUMERS)",
        "mbarrier.init(free.index(i), count=1)",
    ),
    "half of the bytes expected": ("source.block_type.nbytes)", "source.block_type.nbytes // 2)"),
    "twice the bytes expected": ("source.block_type.nbytes)", "source.block_type.nbytes * 2)"),
    "a wait that lets the scores run on": (
        "warpgroup_mma_wait(1, deps=(scores,))",
        "warpgroup_mma_wait(2, deps=(scores,))",
    ),
    "no fence before the copies": ("    fence_async_shared()  # copies", "    # copies"),
    "no fence before the store": ("    fence_async_shared()  # the copy", "    # the copy"),
    "no wait for the store": ("    tma.store_wait(0)\n", ""),
    "scale left out of the scores": ("scale * LOG2E", "LOG2E"),
}

OF_QUERIES = BOTH | {
    "wrong phase for keys and values": (
        "mbarrier.wait(ready.index(now), n // STAGES & 1)\n    scores",
        "mbarrier.wait(ready.index(now), n & 1)\n    scores",
    ),
    "no wait for keys and values": (
        "    mbarrier.wait(ready.index(now), n // STAGES & 1)\n    scores",
        "    scores",
    ),
    "ready before the values": (
        "mbarrier.init(ready.index(i), count=2)",
        "mbarrier.init(ready.index(i), count=1)",
    ),
    "ready after one copy too many": (
        "mbarrier.init(ready.index(i), count=2)",
        "mbarrier.init(ready.index(i), count=3)",
    ),
    "own tiles before the queries": (
        "mbarrier.init(own.index(i), count=3)",
        "mbarrier.init(own.index(i), count=2)",
    ),
    "own tiles of another consumer": (
        "mbarrier.wait(own.index(PART), 0)",
        "mbarrier.wait(own.index(0), 0)",
    ),
    "keys freed before their last product": (
        """    found = warpgroup_mma(of_scores, matrix(k.index(now)), found, is_async=True)
    found, of_scores = warpgroup_mma_wait(0, deps=(found, of_scores))
    mbarrier.arrive(free.index(now), count=1)
""",
        """    mbarrier.arrive(free.index(now), count=1)
    found = warpgroup_mma(of_scores, matrix(k.index(now)), found, is_async=True)
    found, of_scores = warpgroup_mma_wait(0, deps=(found, of_scores))
""",
    ),
    "keys freed under their last product": (
        """    found, of_scores = warpgroup_mma_wait(0, deps=(found, of_scores))
    mbarrier.arrive(free.index(now), count=1)
""",
        """    mbarrier.arrive(free.index(now), count=1)
    found, of_scores = warpgroup_mma_wait(0, deps=(found, of_scores))
""",
    ),
    "a wait that lets the gradients of the weights run on": (
        "warpgroup_mma_wait(0, deps=(of_weights, weights))",
        "warpgroup_mma_wait(1, deps=(of_weights, weights))",
    ),
    "a wait that lets the gradient run on": (
        "warpgroup_mma_wait(0, deps=(found, of_scores))",
        "warpgroup_mma_wait(1, deps=(found, of_scores))",
    ),
    "products begun in the other order": (
        """    scores = multiply(q, k.index(now), SCORES)
    of_weights = multiply(g, v.index(now), SCORES)
""",
        """    of_weights = multiply(g, v.index(now), SCORES)
    scores = multiply(q, k.index(now), SCORES)
""",
    ),
    "registers not kept": ("deps=(found, of_scores))", "deps=(found, found))"),
    "mask off by one": ("column[None, :] <= limit[:, None]", "column[None, :] < limit[:, None]"),
    "end of the keys off by one": ("gl.full([ROWS], keys - 1,", "gl.full([ROWS], keys,"),
    "aligned with the first key": ("line + keys - queries)", "line)"),
    "a masked tile taken for a whole one": (
        "return count, count - every // COLUMNS",
        "return count, count - every // COLUMNS - 1",
    ),
    "a tile too few": ("gl.cdiv(some, COLUMNS)", "some // COLUMNS"),
    "tiles in the other order": (
        "(count - 1 - n) * COLUMNS\n        mbarrier",
        "n * COLUMNS\n        mbarrier",
    ),
    "weights not normalized": (" - log[:, None])", ")"),
    "product with the context not subtracted": ("(of_weights - same[:, None])", "of_weights"),
    "gradient not scaled": ("(found * scale)", "found"),
    "product with the context not kept for the last query": (
        "same, mask=line < queries)",
        "same, mask=line < queries - 1)",
    ),
    "product with the context kept beyond the last query": (
        "same, mask=line < queries)",
        "same, mask=line < queries + 1)",
    ),
    "numbers of another head": (
        "(sequence * heads + head) * queries",
        "(sequence + head) * queries",
    ),
    "numbers of another consumer": ("    row += PART * ROWS\n    line = row", "    line = row"),
    "keys of another head": (
        "sequence, head, head // group, row",
        "sequence, head, head % group, row",
    ),
    "context of another consumer": ("matrix(c.index(PART))", "matrix(c.index(0))"),
    "gradients of another consumer": ("g.index(PART)))\n    stage", "g.index(0)))\n    stage"),
    "values for keys": ("multiply(g, v.index(now)", "multiply(g, k.index(now)"),
    "keys of the next tile": ("matrix(k.index(now))", "matrix(k.index((n + 1) % STAGES))"),
    "stored a row too late": (
        "copy_out(to_map, [sequence, head, row",
        "copy_out(to_map, [sequence, head, row + 1",
    ),
}

FIRST = "    scores = multiply(k, q.index(now), SCORES)\n"
SECOND = """\
    of_weights = warpgroup_mma(v, matrix(g.index(now)).permute((1, 0)), lower, is_async=True)
"""

OF_KEYS = BOTH | {
    "wrong phase for queries": (
        "mbarrier.wait(ready.index(now), n // STAGES & 1)",
        "mbarrier.wait(ready.index(now), n & 1)",
    ),
    "no wait for queries": ("    mbarrier.wait(ready.index(now), n // STAGES & 1)\n", ""),
    "ready before the numbers": (
        "mbarrier.init(ready.index(i), count=3)",
        "mbarrier.init(ready.index(i), count=2)",
    ),
    "ready after one copy too many": (
        "mbarrier.init(ready.index(i), count=3)",
        "mbarrier.init(ready.index(i), count=4)",
    ),
    "own tiles before the values": (
        "mbarrier.init(own.index(i), count=2)",
        "mbarrier.init(own.index(i), count=1)",
    ),
    "own tiles of another consumer": (
        "mbarrier.wait(own.index(PART), 0)",
        "mbarrier.wait(own.index(0), 0)",
    ),
    "numbers never said to be there": (
        "        mbarrier.arrive(ready.index(stage), count=1)\n",
        "",
    ),
    "numbers said to be there too early": (
        """        dots.index(stage).store(gl.load(sames + number, mask=there, other=0.0))
        mbarrier.arrive(ready.index(stage), count=1)
""",
        """        mbarrier.arrive(ready.index(stage), count=1)
        dots.index(stage).store(gl.load(sames + number, mask=there, other=0.0))
""",
    ),
    "numbers stored before their place is free": (
        """        mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)
        fetch(q_map, sequence, head * group + asking, row, q.index(stage), ready.index(stage))
""",
        """        number = start + asking * queries + row + line
        logs.index(stage).store(gl.load(sums + number, mask=row + line < queries, other=0.0))
        mbarrier.wait(free.index(stage), (n // STAGES & 1) ^ 1)
        fetch(q_map, sequence, head * group + asking, row, q.index(stage), ready.index(stage))
""",
    ),
    "freed before the numbers are read": (
        "    log = logs.index(now).load(gl.SliceLayout(0, SCORES))  # (R,)\n",
        """    mbarrier.arrive(free.index(now), count=1)
    log = logs.index(now).load(gl.SliceLayout(0, SCORES))  # (R,)
""",
    ),
    "freed under the last products": (
        """    to_value, shares, to_key, of_scores = warpgroup_mma_wait(
        0, deps=(to_value, shares, to_key, of_scores)
    )
    mbarrier.arrive(free.index(now), count=1)
""",
        """    mbarrier.arrive(free.index(now), count=1)
    to_value, shares, to_key, of_scores = warpgroup_mma_wait(
        0, deps=(to_value, shares, to_key, of_scores)
    )
""",
    ),
    "a wait that lets the gradients of the weights run on": (
        "warpgroup_mma_wait(1, deps=(of_weights,))",
        "warpgroup_mma_wait(2, deps=(of_weights,))",
    ),
    "a wait that lets the gradients run on": (
        "0, deps=(to_value, shares, to_key, of_scores)",
        "1, deps=(to_value, shares, to_key, of_scores)",
    ),
    "products begun in the other order": (FIRST + SECOND, SECOND + FIRST),
    "registers of the weights not kept": (
        "deps=(to_value, shares, to_key, of_scores)",
        "deps=(to_value, of_scores, to_key, of_scores)",
    ),
    "registers of the scores not kept": (
        "deps=(to_value, shares, to_key, of_scores)",
        "deps=(to_value, shares, to_key, shares)",
    ),
    "mask off by one": ("line[None, :] >= since[:, None]", "line[None, :] > since[:, None]"),
    "aligned with the first key": ("since = place - keys + queries", "since = place"),
    "rows counted from the first query": (
        " - first * ROWS  # the first query",
        "  # the first query",
    ),
    "first tile aligned with the first key": ("ahead = column - keys + queries", "ahead = column"),
    "one tile too late": (
        "first = gl.maximum(ahead, 0) // ROWS",
        "first = gl.cdiv(gl.maximum(ahead, 0), ROWS)",
    ),
    "a masked tile taken for a whole one": (
        "gl.cdiv(queries, ROWS)) - first",
        "gl.cdiv(queries, ROWS)) - first - 1",
    ),
    "masked tiles of one consumer": ("ahead + CONSUMERS * COLUMNS - 1", "ahead + COLUMNS - 1"),
    "a tile too few": ("count = gl.cdiv(queries, ROWS) - first", "count = queries // ROWS - first"),
    "tiles counted from the first": ("row = (first + n % count) * ROWS", "row = n % count * ROWS"),
    "numbers of another query head": ("start + asking * queries", "start"),
    "numbers of another key head": (
        "(sequence * heads + head) * group * queries",
        "(sequence * heads + head) * queries",
    ),
    "numbers of another sequence": (
        "(sequence * heads + head) * group * queries",
        "head * group * queries",
    ),
    "gradients of another query head": (
        "fetch(g_map, sequence, head * group + asking",
        "fetch(g_map, sequence, head * group",
    ),
    "queries of another key head": (
        "fetch(q_map, sequence, head * group + asking",
        "fetch(q_map, sequence, head + asking",
    ),
    "turns of a head counted anew": (
        "            n += 1\n    matrix",
        "            n += 0\n    matrix",
    ),
    "numbers read beyond the last query": (
        "there = row + line < queries",
        "there = row + line < queries + 1",
    ),
    "minus infinity beyond the last query": ('other=float("inf")', 'other=float("-inf")'),
    "weights not normalized": (" - log[None, :])", ")"),
    "product with the context not subtracted": (" - same[None, :]", ""),
    "gradient of keys not scaled": ("(to_key * scale)", "to_key"),
    "gradient of values scaled": ("to_value.to(", "(to_value * scale).to("),
    "weights in place of their gradients": ("(weights * of_weights)", "weights"),
    "keys of another consumer": ("    column += PART * COLUMNS\n", ""),
    "values copied from where keys are": (
        "fetch(v_map, sequence, head, column + part * COLUMNS",
        "fetch(v_map, sequence, head, column",
    ),
    "gradients stored in each other's place": (
        "copy_out(to_value_map, [sequence, head, column, 0], v.index(PART))",
        "copy_out(to_value_map, [sequence, head, column, 0], k.index(PART))",
    ),
}

SEEDED = {"of_queries": OF_QUERIES, "of_keys": OF_KEYS}
