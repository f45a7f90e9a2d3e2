"""Shared memory of the emulator: tiles, the copies into and out of them, and who knows of it."""

from math import prod
from types import SimpleNamespace

import torch
from barrier import Barrier
from machine import Agent, Fault, Step
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
        self.shape = self.type.shape

    def index(self, i):
        return View([self.tiles[int(i)]], self.type.shape[1:], self.dtype)

    def reshape(self, shape):
        return View(self.tiles, shape, self.dtype, lambda data: self.see(data).reshape(shape))

    def permute(self, order):
        shape = [self.type.shape[i] for i in order]
        return View(self.tiles, shape, self.dtype, lambda data: self.see(data).permute(order))

    def load(self, layout):
        """Read by threads: at once, but others know of it only from a barrier."""
        (tile,) = self.tiles
        known({tile.landed}, "threads read a tile that may not have landed")
        tile.reads.add(event())
        found = self.see(tile.data).clone()
        agent().pause()
        return found

    def store(self, value):
        (tile,) = self.tiles
        known(tile.reads, "a tile is overwritten while it may still be read")
        tile.data.copy_(value.reshape(tile.data.shape))
        tile.landed, tile.reads, tile.fenced = event(), set(), False
        agent().pause()


def event() -> int:
    """Something that threads have done, which they know."""
    found = now.machine.event()
    agent().known.add(found)
    return found


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
    if not ready.fenced:
        raise Fault("a copy arrives at a barrier that threads made, without a fence between")
    known(tile.reads, "a copy overwrites a tile that may still be read")
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
    for made in (*now.tiles, *now.machine.barriers):
        made.fenced = True
    if now.machine.agents:  # before them, one program goes in order
        agent().pause()
