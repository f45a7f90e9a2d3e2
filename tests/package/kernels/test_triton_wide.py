"""Where our GPU kernels work, program by program; and where 32 bits are too few for it."""

import os
from unittest.mock import patch

import pytest
import torch
from interpreter import DEVICE, backend, tl, triton

from attention import Padding, dot_product_attention
from attention.backends.triton import tiles

pytestmark = pytest.mark.untyped  # as in test_triton_forward.py

with patch.dict(os.environ, {"TRITON_INTERPRET": str(int(backend.INTERPRETED))}):

    @triton.jit
    def addresses(found, first, of_row, ROWS: tl.constexpr, WIDTH: tl.constexpr):
        """Where a tile lies, in a matrix that begins at 0."""
        at = tiles.places((tl.cast(0, tl.int64), of_row), first, ROWS, WIDTH)
        own = tl.arange(0, ROWS)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
        tl.store(found + own, at)

    @triton.jit
    def places(found, count, heads, together):
        """Tile, head and sequence of each program."""
        tile, head, sequence = tiles.place(count, heads, together)
        at = found + tl.program_id(0) * 3
        tl.store(at, tile)
        tl.store(at + 1, head.to(tl.int32))
        tl.store(at + 2, sequence.to(tl.int32))


@pytest.mark.parametrize("together", [1, 2, 4, 6])
def test_each_program_has_a_place_of_its_own(together: int) -> None:
    """Two sequences of three heads, five tiles each; of the last section some heads may lack."""
    found = torch.zeros(30, 3, dtype=torch.int32, device=DEVICE)
    places[(30,)](found, 5, 3, together)
    expected = [
        [tile, head % 3, head // 3]
        for first in range(0, 6, together)
        for tile in range(5)
        for head in range(first, min(first + together, 6))
    ]
    assert found.tolist() == expected


@pytest.mark.parametrize("of_row", [64, 1 << 25, 1 << 40])
@pytest.mark.parametrize("first", [0, 128, 1 << 20])
def test_addresses_are_of_64_bits(first: int, of_row: int) -> None:
    """The last row of a tile of 128 lies 2^32 beyond the first, of words 2^25 apart."""
    found = torch.empty(128, 64, dtype=torch.int64, device=DEVICE)
    addresses[(1,)](found, first, of_row, 128, 64)
    row = torch.arange(first, first + 128, device=DEVICE)[:, None]
    assert torch.equal(found, row * of_row + torch.arange(64, device=DEVICE))


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("queries", [20, 1])
def test_a_length_may_be_any_number(queries: int, side: str) -> None:
    """More keys than there are, and fewer than none; the lower halves of both say 7."""
    torch.manual_seed(0)
    query = torch.randn(2, 1, queries, 64, dtype=torch.float16, device=DEVICE)
    key, value = torch.randn(2, 2, 1, 20, 64, dtype=torch.float16, device=DEVICE)
    mask = Padding(torch.tensor([(1 << 40) + 7, 7 - (1 << 40)], device=DEVICE), side=side)
    ours, plain = (
        dot_product_attention(query, key, value, mask, backend=name) for name in ("triton", "eager")
    )
    torch.testing.assert_close(ours, plain, rtol=2e-3, atol=2e-3)
    assert not ours[1].any()
