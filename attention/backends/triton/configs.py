"""How large a tile is, and how many warps work on it: one table, and no search at run time.

Each entry fits the smallest shared memory of the GPUs from sm_80 on, 99 KiB a program on sm_86,
and compiles without spills: `benchmarks/gpu_offline.py` shows both.
"""

from typing import NamedTuple

import torch


class Config(NamedTuple):
    """ROWS queries by COLUMNS keys a tile; loads are started STAGES tiles ahead."""

    rows: int
    columns: int
    warps: int
    stages: int


# By the width of a head.
FORWARD = {64: Config(128, 64, 4, 3), 128: Config(128, 32, 8, 2), 256: Config(64, 32, 8, 2)}
OF_QUERIES = {64: Config(128, 64, 8, 2), 128: Config(64, 64, 8, 2), 256: Config(32, 32, 8, 1)}
OF_KEYS = {64: Config(32, 128, 8, 1), 128: Config(32, 64, 8, 1), 256: Config(32, 32, 8, 1)}
DECODE = {64: Config(16, 128, 4, 3), 128: Config(16, 64, 4, 3), 256: Config(16, 32, 4, 3)}

WIDTHS = tuple(FORWARD)
DTYPES = (torch.float16, torch.bfloat16)

# Two for each of the 132 multiprocessors of an H100, and as many on every other GPU: so that sums
# are split alike, and give the same bits.
PROGRAMS = 256


def splits(heads: int, tiles: int) -> int:
    """Into how many parts the keys of each head are split, a power of 2."""
    wanted = min(PROGRAMS // max(heads, 1), tiles, 64)
    return 1 << max(wanted - 1, 0).bit_length()
