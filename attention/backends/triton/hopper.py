"""The forward for Hopper, from outside: which calls it takes, how large its tiles are."""

import torch
from jaxtyping import Float
from torch import Tensor

from attention.backends.triton.hopper_launch import (
    MOST,
    Config,
    Least,
    blocks,
    can,
    start,
    tiles,
)
from attention.backends.triton.rules import Rule

# By the width of a head. Each consumer has `rows` queries, and tiles of `columns` keys go by. A
# block may have 227 KiB of shared memory, and takes, of 2-byte numbers,
#     2 · width · (consumers · rows + 2 · stages · columns)
# for queries, keys and values, and 8 bytes for each of its consumers + 4 · stages barriers:
#     152 KiB for a width of 64, 224 KiB for one of 128.
# At least two stages: a tile of values is waited for while the one before is still being read.
# Without a mask, on an H200: the third stage gained 6 % at a width of 128, the third consumer 17 %
# at one of 64.
CONFIGS = {64: Config(3, 64, 128, 4), 128: Config(2, 64, 128, 3)}
LEAST = {64: Least(2048, 8192), 128: Least(512, 512)}  # fewer than 512: not measured


def takes(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    rule: Rule,
) -> bool:
    """Whether this kernel computes what the portable one would, and in less time."""
    batch, _, queries, width = query.shape
    if width not in CONFIGS or not can(query, key, value, rule):
        return False
    least = LEAST[width].full if rule.right >= queries - 1 else LEAST[width].causal
    config = CONFIGS[width]
    programs = max(batch, blocks(queries, config, config.rows))
    return min(queries, key.size(2)) >= least and programs <= MOST


def forward(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    scale: float,
    causal: bool,
) -> tuple[Float[Tensor, "batch heads queries width"], Float[Tensor, "batch heads queries"]]:
    """The context, and the log-sum-exp in powers of 2, as `forward.py` leaves them."""
    from attention.backends.triton.hopper_kernel import hopper
    from attention.backends.triton.hopper_pieces import LOG2E

    batch, heads, queries, width = query.shape
    config = CONFIGS[width]
    context = torch.empty_like(query)
    sums = query.new_empty(batch, heads, queries, dtype=torch.float32)
    start(
        hopper, (heads, blocks(queries, config, config.rows), batch), causal, config,
        *tiles(config.rows, query), *tiles(config.columns, key, value),
        *tiles(config.rows, context),
        # Scaled here: the kernel has no register left for it at a width of 64.
        sums, scale * LOG2E.value, queries, key.size(2), heads // key.size(1),
    )  # fmt: skip
    return context, sums
