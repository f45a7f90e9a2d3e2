"""How large a tile is, and how many warps work on it: one table, and no search at run time.

Each entry for every GPU fits the smallest shared memory of those from sm_80 on, 99 KiB a program on
sm_86; on Hopper a program may have 227 KiB. None spills in a loop over tiles, and only `of_keys` on
Hopper outside of them: `benchmarks/gpu_offline.py` shows both. Those for Hopper were measured on an
H200, where they are the fastest that `benchmarks/gpu_tune.py` tried or within 5 % of it; of such,
the ones that lead under a window and with many texts.
"""

from typing import NamedTuple

import torch
from triton import knobs


class Config(NamedTuple):
    """ROWS queries by COLUMNS keys a tile; loads are started STAGES − 1 tiles ahead."""

    rows: int
    columns: int
    warps: int
    stages: int


class Sizes(NamedTuple):
    """By the width of a head: the size on every GPU, and on Hopper, of compute capability 9.0."""

    every: dict[int, Config]
    hopper: dict[int, Config]

    def on(self, device: torch.device) -> dict[int, Config]:
        return self.hopper if is_hopper(device) else self.every


def is_hopper(device: torch.device) -> bool:
    if device.type != "cuda" or knobs.runtime.interpret:  # what is for Hopper has no interpreter
        return False
    return torch.cuda.get_device_capability(device) == (9, 0)


def sizes(every: dict[int, Config], larger: dict[int, Config]) -> Sizes:
    return Sizes(every, every | larger)


FORWARD = sizes(
    {64: Config(128, 64, 4, 3), 128: Config(128, 32, 8, 2), 256: Config(64, 32, 8, 2)},
    {64: Config(128, 64, 8, 3), 128: Config(64, 64, 4, 3)},
)
OF_QUERIES = sizes(
    {64: Config(128, 64, 8, 2), 128: Config(64, 64, 8, 2), 256: Config(32, 32, 8, 1)},
    {64: Config(64, 64, 4, 3), 128: Config(128, 64, 8, 3)},
)
OF_KEYS = sizes(
    {64: Config(32, 128, 8, 1), 128: Config(32, 64, 8, 1), 256: Config(32, 32, 8, 1)},
    {64: Config(64, 64, 4, 3), 128: Config(32, 64, 4, 3)},
)
DECODE = sizes(
    {64: Config(16, 128, 4, 3), 128: Config(16, 64, 4, 3), 256: Config(16, 32, 4, 3)},
    {128: Config(16, 128, 4, 2)},
)

WIDTHS = tuple(FORWARD.every)
DTYPES = (torch.float16, torch.bfloat16)

# Bytes of keys and values that heads together may take: an H100's cache has 50 MB, and programs of
# the next round need some.
CACHE = 1 << 25

# Nearly two for each of the 132 multiprocessors of an H100, and as many on every other GPU: so that
# with the same tiles sums are split alike, and give the same bits.
PROGRAMS = 256


def splits(heads: int, tiles: int) -> int:
    """Into how many parts the keys of each head are split, a power of 2."""
    wanted = min(PROGRAMS // max(heads, 1), tiles, 64)
    return 1 << max(wanted - 1, 0).bit_length()
