"""The gradients on Hopper, from outside: which calls they take, how large their tiles are."""

import torch
from jaxtyping import Float
from torch import Tensor

from attention.backends.triton.hopper_launch import (
    MOST,
    Config,
    Least,
    blocks,
    can,
    copyable,
    start,
    tiles,
)
from attention.backends.triton.rules import Rule

# By the width of a head. For queries, `rows` and `columns` are those of the forward: each consumer
# has so many queries, and so many keys go by. For keys they change places: each consumer has
# `columns` keys, and `rows` queries go by. In bytes of shared memory, of 2-byte numbers,
#     2 · width · (3 · consumers · rows + 2 · stages · columns)       for queries
#     2 · width · 2 · (consumers · columns + stages · rows)           for keys
# and 8 for each row that waits in the latter: 136 and 224 KiB for queries, by width, for keys 131
# and 162. On an H200, at a width of 64, a third consumer for queries saved 3 to 5 % of the time of
# that kernel, and one for keys 1 to 9 % of the time of both (there, numbers that no loop over tiles
# needs are spilled). At a width of 128, two to four stages for keys took the same time.
OF_QUERIES = {64: Config(3, 64, 64, 4), 128: Config(2, 64, 128, 2)}
OF_KEYS = {64: Config(3, 64, 64, 5), 128: Config(2, 64, 64, 3)}
# With so many queries and keys they are faster than the portable ones, as `gpu.py` measured (fewer
# than 512: not measured).
LEAST = Least(512, 512)


def takes(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    context: Float[Tensor, "batch heads queries width"],
    grad: Float[Tensor, "batch heads queries width"],
    rule: Rule,
) -> bool:
    """Whether these kernels compute what the portable ones would, and in less time."""
    batch, heads, queries, width = query.shape
    keys = key.size(2)
    if width not in OF_QUERIES or not can(query, key, value, rule):
        return False
    full = rule.right >= queries - 1
    return (
        min(queries, keys) >= (LEAST.full if full else LEAST.causal)
        # No query is idle: tiles are read whole, such a query may hold NaN, and 0 · NaN is NaN.
        and (full or queries <= keys)
        # Each program has 128 rows or more, and a grid so many in its second and third direction.
        and max(batch, heads, queries // 128, keys // 128) < MOST
        and all(map(copyable, (context, grad)))
    )


def gradients(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    context: Float[Tensor, "batch heads queries width"],
    sums: Float[Tensor, "batch heads queries"],
    grad: Float[Tensor, "batch heads queries width"],
    scale: float,
    causal: bool,
) -> tuple[
    Float[Tensor, "batch heads queries width"],
    Float[Tensor, "batch kv_heads keys width"],
    Float[Tensor, "batch kv_heads keys width"],
]:
    """Of queries, keys and values, from what the forward left."""
    from attention.backends.triton.hopper_keys import of_keys
    from attention.backends.triton.hopper_queries import of_queries

    of_query, of_key, of_value = (torch.empty_like(x) for x in (query, key, value))
    sames = torch.empty_like(sums)
    rest = sums, sames, scale, query.size(2), key.size(2), query.size(1) // key.size(1)
    config = OF_QUERIES[query.size(3)]
    start(
        of_queries, grid(query, config, config.rows, causal), causal, config,
        *tiles(config.rows, query), *tiles(config.columns, key, value),
        *tiles(config.rows, context, grad, of_query), *rest,
    )  # fmt: skip
    config = OF_KEYS[query.size(3)]
    start(
        of_keys, grid(key, config, config.columns, causal), causal, config,
        *tiles(config.rows, query), *tiles(config.columns, key, value),
        *tiles(config.rows, grad), *tiles(config.columns, of_key, of_value), *rest,
    )  # fmt: skip
    return of_query, of_key, of_value


def grid(own: Tensor, config: Config, each: int, causal: bool) -> tuple[int, int, int]:
    """Programs that run together have one head without a mask, else the longest rows of all."""
    batch, heads, size, _ = own.shape
    programs = blocks(size, config, each)
    return (heads, programs, batch) if causal else (programs, heads, batch)
