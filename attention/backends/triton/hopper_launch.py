"""What the kernels for Hopper share on Python's side: what they know, and how they start."""

from functools import cache
from typing import Any, NamedTuple

from jaxtyping import Float
from torch import Tensor

from attention.backends.triton.configs import is_hopper
from attention.backends.triton.rules import Rule


class Config(NamedTuple):
    """Groups of warps, the queries and the keys of a tile, and how many tiles may wait."""

    consumers: int
    rows: int
    columns: int
    stages: int


class Least(NamedTuple):
    """With so many queries and keys it is faster than the portable kernel, as `gpu.py` measured."""

    full: int
    causal: int


# Of each thread when the kernel starts, and of a consumer's later, by the number of consumers. Four
# warps of 32 threads for each, and as many for the producer, share 65,536, and get them in eights.
# The producer then gives up all but 24.
REGISTERS = {2: (168, 240), 3: (128, 160)}

# Programs of a grid in its second and third direction.
MOST = 65_535


def can(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    rule: Rule,
) -> bool:
    """Whether these kernels know the mask, and how the tensors lie."""
    queries, keys = query.size(2), key.size(2)
    return (
        is_hopper(query.device)
        and (rule.right == 0 or rule.right >= queries - 1)
        and rule.left >= keys - 1  # what is behind a query is not hidden
        and rule.spans is None
        and 0 not in (*query.shape, *key.shape)
        and all(map(copyable, (query, key, value)))
    )


def start(
    kernel: Any, grid: tuple[int, int, int], causal: bool, config: Config, *given: Any
) -> None:
    """So many programs of a kernel."""
    first, later = REGISTERS[config.consumers]
    kernel[grid](
        *given,
        CAUSAL=causal, CONSUMERS=config.consumers, REGISTERS=later,
        ROWS=config.rows, COLUMNS=config.columns, STAGES=config.stages,
        num_warps=4, maxnreg=first,
    )  # fmt: skip


def blocks(size: int, config: Config, each: int) -> int:
    """Programs for so many rows of a head, where each consumer has some of them."""
    return -(-size // (config.consumers * each))


def tiles(length: int, *tensors: Tensor) -> list[Any]:
    """What copies so many rows of a head at a time, from or to each tensor."""
    from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

    width = tensors[0].shape[-1]  # of all of them
    block, lies = [1, 1, length, width], layout(length, width)
    return [TensorDescriptor(x, list(x.shape), strides(x), block, lies) for x in tensors]


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
