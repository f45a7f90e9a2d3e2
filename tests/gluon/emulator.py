"""What the kernel for Hopper uses of Gluon, on a machine of its own: its source runs unchanged."""

import sys
from itertools import product
from math import prod
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

import torch
from machine import Agent, Barrier, Fault, Machine, Product, Step
from torch import Tensor

now = SimpleNamespace(machine=None, tiles=[], program=(0, 0, 0), programs=(1, 1, 1))
PIECES = 4  # in which a copy lands


def agent() -> Agent:
    return now.machine.current()


class Tile:
    """A tile in shared memory: who wrote it, and who has read it since."""

    def __init__(self, shape, dtype):
        self.data = torch.full(shape, float("nan"), dtype=dtype)
        self.landed: int | None = None  # the event of its copy; None: nothing was ever written
        self.reads: set[int] = set()
        self.fenced = True


class View:
    """A tile, or a part of several, in another shape."""

    def __init__(self, tiles, shape, dtype, see=lambda data: data):
        self.tiles, self.see, self.dtype = tiles, see, dtype
        self.type = SimpleNamespace(shape=list(shape))

    def index(self, i):
        return View([self.tiles[int(i)]], self.type.shape[1:], self.dtype)

    def reshape(self, shape):
        return View(self.tiles, shape, self.dtype, lambda data: self.see(data).reshape(shape))

    def permute(self, order):
        shape = [self.type.shape[i] for i in order]
        return View(self.tiles, shape, self.dtype, lambda data: self.see(data).permute(order))

    def store(self, value):
        (tile,) = self.tiles
        known(tile.reads, "a tile is overwritten while a product may still read it")
        tile.data.copy_(value.reshape(tile.data.shape))
        tile.fenced = False
        agent().pause()


def known(events: set[int], otherwise: str) -> None:
    if not events <= agent().known:
        raise Fault(otherwise)


class Descriptor:
    """A tensor (B, H, T, D) that tiles are copied from or to, as hardware does it."""

    def __init__(self, host):
        self.tensor = host.base.as_strided(host.shape, host.strides)
        self.dtype, self.layout = host.base.dtype, None
        size = self.tensor.element_size()
        self.block_type = SimpleNamespace(
            shape=host.block_shape, nbytes=size * prod(host.block_shape)
        )

    def rows(self, at, start: int, stop: int) -> tuple[Tensor, slice]:
        """The rows that exist, and where in the tile they are."""
        batch, head, row, _ = at
        low, high = (min(max(row + i, 0), self.tensor.shape[2]) for i in (start, stop))
        if batch >= self.tensor.shape[0] or head >= self.tensor.shape[1]:
            high = low
        found = self.tensor[batch : batch + 1, head : head + 1, low:high].flatten(0, 2)
        return found, slice(low - row, high - row)


def copy_in(source: Descriptor, at, ready: Barrier, view: View) -> None:
    agent().pause()
    (tile,) = view.tiles
    known(tile.reads, "a copy overwrites a tile that a product may still read")
    known({tile.landed} - {None}, "a copy overwrites a tile whose copy may not have landed")
    tile.data.fill_(float("nan"))
    tile.landed, tile.reads = now.machine.event(), set()
    event, length = tile.landed, source.block_type.shape[2] // PIECES
    left = PIECES

    def land(start: int) -> None:
        nonlocal left
        piece = tile.data[0, 0, start : start + length].zero_()
        found, place = source.rows(at, start, start + length)
        piece[place.start - start : place.stop - start] = found
        left -= 1
        ready.land(source.block_type.nbytes // PIECES, None if left else event)

    now.machine.steps += [Step(lambda i=i: land(i * length)) for i in range(PIECES)]


def copy_out(target: Descriptor, at, view: View) -> None:
    agent().pause()
    (tile,) = view.tiles
    if not tile.fenced:
        raise Fault("a copy reads what threads stored, without a fence between")

    def leave() -> None:
        found, place = target.rows(at, 0, tile.data.shape[2])
        found.copy_(tile.data[0, 0, place])

    agent().stores.append(Step(leave))
    now.machine.steps.append(agent().stores[-1])


def store_wait(pendings: int) -> None:
    stores = agent().stores
    agent().pause(lambda: sum(not store.done for store in stores) <= pendings)


def fence_async_shared() -> None:
    for tile in now.tiles:
        tile.fenced = True
    agent().pause()


def warpgroup_mma(a, b, acc, *, use_acc=True, is_async=False):
    """Operands in shared memory are read when hardware gets to it, products one after another."""
    group = agent()
    event = now.machine.event()
    for operand in (a, b):
        if isinstance(operand, View):
            (tile,) = operand.tiles
            known({tile.landed}, "a product reads a tile that may not have landed")
            if not tile.fenced:
                raise Fault("a product reads what threads stored, without a fence between")
            tile.reads.add(event)

    def read(operand):
        return (
            operand.see(operand.tiles[0].data) if isinstance(operand, View) else operand
        ).float()

    def work() -> None:
        before = acc.value if isinstance(acc, Product) else acc
        begun.value = read(a) @ read(b) + (before if use_acc else 0)

    begun = Product(work, group.products[-1] if group.products else None)
    begun.event, begun.registers = event, None if isinstance(a, View) else a
    group.products.append(begun)
    now.machine.steps.append(begun)
    group.pause()
    return begun if is_async else warpgroup_mma_wait(0, (begun, a))[0]


def warpgroup_mma_wait(num_outstanding=0, deps=()):
    """The oldest products have ended, and nothing is known of the last so many.

    What ends here must be among `deps`, its operand in registers too: of what is not, the compiler
    may reuse the registers.

    Source:
        Triton, TritonNvidiaGPUOps.td, `warp_group_dot_wait`.
    """
    group = agent()
    ends = group.products[: max(len(group.products) - num_outstanding, 0)]
    group.pause(lambda: all(one.done for one in ends))
    del group.products[: len(ends)]
    for one in ends:
        group.known.add(one.event)
        kept = [one] if one.registers is None else [one, one.registers]
        if not all(any(x is dep for dep in deps) for x in kept):
            raise Fault("a product ends whose registers the compiler may have reused")
    if any(dep in group.products for dep in deps if isinstance(dep, Product)):
        raise Fault("the result of a product that may be under way is read")
    found = tuple(dep.value if isinstance(dep, Product) else dep for dep in deps)
    return found[0] if len(found) == 1 else found


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


def arrive(barrier: Barrier, *, count: int = 1) -> None:
    barrier.arrive(count)
    agent().pause()


def expect(barrier: Barrier, bytes: int) -> None:
    barrier.arrive(1, bytes)
    agent().pause()


def store(at, value, mask) -> None:
    target, offset = at
    target.view(-1)[offset[mask]] = value[mask]


class Pointer:
    def __init__(self, tensor: Tensor):
        self.tensor = tensor

    def __add__(self, offset):
        return self.tensor, offset


def of_two(tensors, numbers):
    def either(a, b):
        if not isinstance(a, Tensor) and not isinstance(b, Tensor):
            return numbers(a, b)
        return tensors(*(torch.as_tensor(x) for x in (a, b)))

    return either


def layout(*args):
    return None


language = SimpleNamespace(
    constexpr=lambda x: x,
    int32=torch.int32, int64="barriers", float32=torch.float32,
    SliceLayout=layout, DotOperandLayout=layout, NVMMADistributedLayout=layout,
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
    store=store,
    warp_specialize=lambda parts, warps, registers: now.machine.run(
        *(lambda part=part, args=args: part(*args) for part, args in parts)
    ),
)  # fmt: skip


def load(source: str, path: str):
    """The kernel of a source, in which Triton's names mean the above."""
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
    scope: dict = {}
    with patch.dict(sys.modules, names):
        exec(compile(source, path, "exec"), scope)
    return scope["hopper"]


class Launcher:
    """Starts a kernel as Triton does, `kernel[grid](…)`, and runs the grid block by block."""

    def __init__(self, kernel, seed: int):
        self.kernel, self.seed = kernel, seed

    def __getitem__(self, grid):
        now.programs = grid
        return self.launch

    def launch(self, *args, num_warps, maxnreg, **constants):
        maps = [Descriptor(x) for x in args[:4]]
        for seed, program in enumerate(product(*map(range, now.programs)), self.seed):
            now.program, now.machine, now.tiles = program, Machine(seed), []
            self.kernel(*maps, Pointer(args[4]), *args[5:], **constants)
