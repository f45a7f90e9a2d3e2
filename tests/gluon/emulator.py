"""What kernels for Hopper use of Gluon, on a machine of its own: their source runs unchanged."""

import sys
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

import torch
from barrier import Barrier
from machine import Fault, Machine
from products import warpgroup_mma, warpgroup_mma_wait
from storage import (
    Descriptor,
    Tile,
    View,
    agent,
    copy_in,
    copy_out,
    fence_async_shared,
    now,
    store_wait,
)
from torch import Tensor
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor

from attention.backends.triton import hopper_pieces

PIECES = Path(hopper_pieces.__file__).read_text()


class Barriers(list):
    def index(self, i):
        return self[int(i)]


def allocate_shared_memory(dtype, shape, layout):
    if layout == "barrier":
        return Barriers(Barrier(now.machine) for _ in range(shape[0]))
    tiles = [Tile(shape[1:], dtype) for _ in range(shape[0])]
    now.tiles += tiles
    return View(tiles, shape, dtype)


def init(barrier: Barrier, count: int) -> None:
    barrier.count = barrier.pending = count
    barrier.fenced = False


def arrive(barrier: Barrier, *, count: int = 1) -> None:
    barrier.arrive(count)
    agent().pause()


def expect(barrier: Barrier, bytes: int) -> None:
    barrier.arrive(1, bytes)
    agent().pause()


class Pointer:
    def __init__(self, tensor: Tensor, offset=0):
        self.numbers, self.offset = tensor.view(-1), offset

    def __add__(self, offset):
        return Pointer(self.numbers, self.offset + offset)


def store(at: Pointer, value, mask) -> None:
    inside(at, mask)
    at.numbers[at.offset[mask]] = value[mask]


def read(at: Pointer, mask, other) -> Tensor:
    inside(at, mask)
    return at.numbers[torch.where(mask, at.offset, 0)].where(mask, other)


def inside(at: Pointer, mask) -> None:
    if not all(0 <= i < len(at.numbers) for i in at.offset[mask].tolist()):
        raise Fault("threads reach beyond a tensor")


def of_two(tensors, numbers):
    def either(a, b):
        if not isinstance(a, Tensor) and not isinstance(b, Tensor):
            return numbers(a, b)
        return tensors(*(torch.as_tensor(x) for x in (a, b)))

    return either


def layout(*args, **sizes):
    return None


language = SimpleNamespace(
    constexpr=lambda x: x,
    int32=torch.int32, int64="barriers", float32=torch.float32,
    SliceLayout=layout, DotOperandLayout=layout, NVMMADistributedLayout=layout,
    BlockedLayout=layout, SwizzledSharedLayout=layout, DistributedLinearLayout=layout,
    static_range=range,
    cdiv=lambda a, b: -(-a // b),
    minimum=of_two(torch.minimum, min), maximum=of_two(torch.maximum, max),
    max=lambda x, axis: x.amax(axis), sum=lambda x, axis: x.sum(axis),
    exp2=torch.exp2, log2=torch.log2, where=torch.where,
    arange=lambda start, stop, layout: torch.arange(start, stop, dtype=torch.int32),
    full=lambda shape, value, dtype, layout: torch.full(shape, value, dtype=dtype),
    zeros=lambda shape, dtype, layout: torch.zeros(shape, dtype=dtype),
    convert_layout=lambda x, layout: x,
    program_id=lambda axis: now.program[axis], num_programs=lambda axis: now.programs[axis],
    allocate_shared_memory=allocate_shared_memory,
    load=read, store=store,
    warp_specialize=lambda parts, warps, registers: now.machine.run(
        *(lambda part=part, args=args: part(*args) for part, args in parts)
    ),
)  # fmt: skip


def load(source: str, name: str, pieces: str = PIECES):
    """A kernel of a source, in which Triton's names mean the above; `pieces` is what it imports."""
    hopper = ModuleType("hopper")
    hopper.mbarrier = SimpleNamespace(
        MBarrierLayout=lambda: "barrier",
        init=init, arrive=arrive, expect=expect, wait=lambda barrier, phase: barrier.wait(phase),
    )  # fmt: skip
    hopper.tma = SimpleNamespace(async_load=copy_in, async_store=copy_out, store_wait=store_wait)
    hopper.fence_async_shared = fence_async_shared
    hopper.warpgroup_mma, hopper.warpgroup_mma_wait = warpgroup_mma, warpgroup_mma_wait
    gluon = ModuleType("gluon")
    gluon.jit = lambda function=None, **_: function or (lambda function: function)
    gluon.language = language
    outside = ModuleType("experimental")
    outside.gluon = gluon
    names = {
        "triton.experimental": outside,
        "triton.experimental.gluon": gluon,
        "triton.experimental.gluon.language.nvidia.hopper": hopper,
    }
    shared = ModuleType("hopper_pieces")
    with patch.dict(sys.modules, names | {hopper_pieces.__name__: shared}):
        exec(compile(pieces, "hopper_pieces.py", "exec"), vars(shared))
        scope: dict = {}
        exec(compile(source, f"{name}.py", "exec"), scope)
    return scope[name]


class Launcher:
    """Starts a kernel as Triton does, `kernel[grid](…)`, and runs the grid block by block."""

    def __init__(self, kernel, seed: int):
        self.kernel, self.seed = kernel, seed

    def __getitem__(self, grid):
        now.programs = grid
        return self.launch

    def launch(self, *args, num_warps, maxnreg, **constants):
        given = [found(x) for x in args]
        for seed, program in enumerate(product(*map(range, now.programs)), self.seed):
            now.program, now.machine, now.tiles = program, Machine(seed), []
            self.kernel(*given, **constants)


def found(argument):
    """What a kernel is given, as it finds it on a GPU."""
    if isinstance(argument, TensorDescriptor):
        return Descriptor(argument)
    return Pointer(argument) if isinstance(argument, Tensor) else argument
