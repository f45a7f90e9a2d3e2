"""The forward for Hopper, from outside: what it can do, how large its tiles are, its start."""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attention.masks import Causal, Mask

LOG2_E = 1.4426950408889634


class Config(NamedTuple):
    """Each of two groups of warps has `rows` queries; `stages` tiles of `columns` keys wait."""

    rows: int
    columns: int
    stages: int


# By the width of a head. A block may have 227 KiB of shared memory, and takes, of 2-byte numbers,
#     2 · width · (2 · rows + 2 · stages · columns)
# for queries, keys and values, and 8 bytes for each of its 2 + 4 · stages barriers:
#     80 KiB for a width of 64, 160 KiB for one of 128.
# Registers allow one block at a time in either case. At least two stages: a tile of values is
# waited for while the one before is still being read.
CONFIGS = {64: Config(64, 128, 2), 128: Config(64, 128, 2)}

# Of each thread when the kernel starts: 12 warps of 32 threads share 65,536, and get them in
# eights. The producer then gives up most of its own, and the consumers share them.
REGISTERS = 168

# Heads, and sequences: programs of a grid in its second and third direction, on any GPU.
MOST = 65_535


def refusal(
    query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, scale: float
) -> str | None:
    """Why this kernel cannot compute this, in a sentence; None if it can.

    Of 4 axes, (batch, heads, queries, width). Bias, softcap and dropout are the caller's to refuse.
    """
    tensors = (query, key, value)
    if capability(query) != (9, 0) or any(x.device != query.device for x in tensors):
        found = [f"{x.device} of {capability(x)}" for x in tensors]
        return f"the kernel for Hopper needs one GPU of capability (9, 0), got {', '.join(found)}"
    if query.dtype not in (torch.float16, torch.bfloat16) or any(
        x.dtype != query.dtype for x in tensors
    ):
        types = sorted({str(x.dtype) for x in tensors})
        return f"the kernel for Hopper needs float16 or bfloat16 alone, got {', '.join(types)}"
    widths = [x.shape[-1] for x in tensors]
    if widths[0] not in CONFIGS or len(set(widths)) > 1:
        return (
            f"the kernel for Hopper needs widths of {' or '.join(map(str, CONFIGS))}, got {widths}"
        )
    if mask is not None and type(mask) is not Causal:
        return f"the kernel for Hopper needs no mask or Causal(), got {mask}"
    if not scale > 0:
        return f"the kernel for Hopper needs a positive scale, got {scale}"
    if 0 in query.shape or 0 in key.shape:
        shapes = f"{tuple(query.shape)} and {tuple(key.shape)}"
        return f"the kernel for Hopper needs a query and a key, got shapes {shapes}"
    batch, heads = query.shape[:2]
    if max(batch, heads) > MOST:
        return (
            f"the kernel for Hopper needs at most {MOST} sequences and {MOST} heads, "
            f"got {batch} and {heads}"
        )
    return None


def capability(x: Tensor) -> tuple[int, int] | None:
    """Of the GPU that holds a tensor, or None."""
    return torch.cuda.get_device_capability(x.device) if x.device.type == "cuda" else None


def forward(
    query: Float[Tensor, "batch heads queries width"],
    key: Float[Tensor, "batch kv_heads keys width"],
    value: Float[Tensor, "batch kv_heads keys width"],
    scale: float,
    causal: bool,
) -> tuple[Float[Tensor, "batch heads queries width"], Float[Tensor, "batch heads queries"]]:
    """The context, and the log-sum-exp in powers of 2, as `forward.py` leaves them."""
    from triton.experimental.gluon import language as gl
    from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

    from attention.backends.triton.hopper_kernel import hopper

    batch, heads, queries, width = query.shape
    rows, columns, stages = CONFIGS[width]

    def tiles(x: Tensor, length: int) -> TensorDescriptor:
        block = [1, 1, length, width]
        layout: Any = gl.NVMMASharedLayout.get_default_for(block, gl.float16)  # or bfloat16
        return TensorDescriptor(x, list(x.shape), strides(x), block, layout)

    query, key, value = (x if copyable(x) else x.contiguous() for x in (query, key, value))
    context = torch.empty_like(query)
    sums = query.new_empty(batch, heads, queries, dtype=torch.float32)
    with torch.cuda.device_of(query):  # a kernel starts on the current device
        hopper[heads, -(-queries // (2 * rows)), batch](
            tiles(query, rows), tiles(key, columns), tiles(value, columns), tiles(context, rows),
            sums, scale * LOG2_E, queries, key.shape[2], heads // key.shape[1],
            CAUSAL=causal, ROWS=rows, COLUMNS=columns, STAGES=stages,
            num_warps=4, maxnreg=REGISTERS,
        )  # fmt: skip
    return context, sums


def strides(x: Tensor) -> list[int]:
    """Of an axis of one, which is never taken, torch may say anything."""
    return [
        step if size > 1 else x.shape[-1] for step, size in zip(x.stride(), x.shape, strict=True)
    ]


def copyable(x: Tensor) -> bool:
    """Whether the copies of Hopper reach every row: 16 bytes at a time, and none of them twice."""
    *steps, last = strides(x)
    return (
        last == 1 and all(step > 0 and step % 8 == 0 for step in steps) and x.data_ptr() % 16 == 0
    )
