"""The forward for Hopper, from outside: what it can do, how large its tiles are, its start."""

from functools import cache
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attention.backends.triton.configs import is_hopper
from attention.backends.triton.rules import Rule

LOG2_E = 1.4426950408889634


class Config(NamedTuple):
    """Each of so many groups of warps has `rows` queries; `stages` tiles of `columns` keys wait."""

    consumers: int
    rows: int
    columns: int
    stages: int


class Least(NamedTuple):
    """With so many queries and keys it is faster than the portable kernel, as `gpu.py` measured."""

    full: int
    causal: int


# By the width of a head. A block may have 227 KiB of shared memory, and takes, of 2-byte numbers,
#     2 · width · (consumers · rows + 2 · stages · columns)
# for queries, keys and values, and 8 bytes for each of its consumers + 4 · stages barriers:
#     152 KiB for a width of 64, 224 KiB for one of 128.
# At least two stages: a tile of values is waited for while the one before is still being read.
# Without a mask, on an H200: the third stage gained 6 % at a width of 128, the third consumer 17 %
# at one of 64.
CONFIGS = {64: Config(3, 64, 128, 4), 128: Config(2, 64, 128, 3)}
LEAST = {64: Least(2048, 8192), 128: Least(512, 512)}  # fewer than 512: not measured

# Of each thread when the kernel starts, and of a consumer's later, by the number of consumers. Four
# warps of 32 threads for each, and as many for the producer, share 65,536, and get them in eights.
# The producer then gives up all but 24.
REGISTERS = {2: (168, 240), 3: (128, 160)}

# Tiles of queries, and sequences: programs of a grid in its second and third direction.
MOST = 65_535


def takes(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    rule: Rule,
) -> bool:
    """Whether this kernel computes what the portable one would, and in less time."""
    batch, _, queries, width = query.shape
    if not can(query, key, value, rule):
        return False
    least = LEAST[width].full if rule.right >= queries - 1 else LEAST[width].causal
    return min(queries, key.size(2)) >= least and max(batch, blocks(width, queries)) <= MOST


def can(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    rule: Rule,
) -> bool:
    """Whether kernels for Hopper know the mask, the width and how the tensors lie."""
    queries, keys = query.size(2), key.size(2)
    return (
        is_hopper(query.device)
        and query.size(3) in CONFIGS
        and (rule.right == 0 or rule.right >= queries - 1)
        and rule.left >= keys - 1  # what is behind a query is not hidden
        and rule.spans is None
        and 0 not in (*query.shape, *key.shape)
        and all(map(copyable, (query, key, value)))
    )


def forward(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    scale: float,
    causal: bool,
) -> tuple[Float[Tensor, "batch heads queries width"], Float[Tensor, "batch heads queries"]]:
    """The context, and the log-sum-exp in powers of 2, as `forward.py` leaves them."""
    from attention.backends.triton.hopper_kernel import hopper

    batch, heads, queries, width = query.shape
    config = CONFIGS[width]
    first, later = REGISTERS[config.consumers]
    context = torch.empty_like(query)
    sums = query.new_empty(batch, heads, queries, dtype=torch.float32)
    hopper[heads, blocks(width, queries), batch](
        tiles(query, config.rows), tiles(key, config.columns), tiles(value, config.columns),
        tiles(context, config.rows),
        sums, scale * LOG2_E, queries, key.shape[2], heads // key.shape[1],
        CAUSAL=causal, CONSUMERS=config.consumers, REGISTERS=later,
        ROWS=config.rows, COLUMNS=config.columns, STAGES=config.stages,
        num_warps=4, maxnreg=first,
    )  # fmt: skip
    return context, sums


def blocks(width: int, queries: int) -> int:
    """Programs for one head."""
    config = CONFIGS[width]
    return -(-queries // (config.consumers * config.rows))


def tiles(x: Tensor, length: int) -> Any:
    """What copies so many rows of a head at a time."""
    from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

    block = [1, 1, length, x.shape[-1]]
    return TensorDescriptor(x, list(x.shape), strides(x), block, layout(*block[2:]))


@cache  # asked for four times a call, that took two fifths of the time to start one
def layout(length: int, width: int) -> Any:
    """How a tile lies in shared memory."""
    from triton.experimental.gluon import language as gl

    return gl.NVMMASharedLayout.get_default_for([1, 1, length, width], gl.float16)  # or bfloat16


def strides(x: Tensor) -> list[int]:
    """Of an axis of one, which is never taken, torch may say anything."""
    return [
        step if size > 1 else x.shape[-1] for step, size in zip(x.stride(), x.shape, strict=True)
    ]


def copyable(x: Tensor) -> bool:
    """Whether Hopper's copies reach every row: 16 bytes at a time, along axes without repeats."""
    *steps, last = strides(x)
    return (
        last == 1 and all(step > 0 and step % 8 == 0 for step in steps) and x.data_ptr() % 16 == 0
    )
