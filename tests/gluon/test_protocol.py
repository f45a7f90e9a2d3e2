"""The source of the kernel for Hopper on the emulator: its numbers, and that its bugs are seen."""

import math
from pathlib import Path
from unittest.mock import patch

import pytest
import torch
from emulator import PIECES, Launcher, load
from machine import Fault
from seeded import SEEDED

from attention.backends.triton import hopper, hopper_kernel

SOURCE = Path(hopper_kernel.__file__).read_text()
KERNEL = load(SOURCE, "hopper")

# batch, heads, key heads, queries, keys, width. Two blocks of queries, one of them ragged; a mask
# whose border crosses a tile of keys; queries that see nothing; more tiles of keys than stages.
SHAPES = [
    (1, 2, 1, 200, 800, 64),
    (2, 1, 1, 256, 384, 64),
    (1, 1, 1, 300, 100, 64),
    (1, 4, 2, 65, 129, 128),
    (1, 1, 1, 1, 513, 128),
]


def draw(shape, dtype, seed=0):
    batch, heads, kv_heads, queries, keys, width = shape
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(batch, h, n, width, generator=generator).to(dtype)
        for h, n in ((heads, queries), (kv_heads, keys), (kv_heads, keys))
    )


def textbook(query, key, value, causal, dtype=torch.float64):
    """The formula in a dtype, and the log-sum-exp in powers of 2, +∞ where nothing is seen."""
    group = query.shape[1] // key.shape[1]
    query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
    key, value = (x.repeat_interleave(group, 1) for x in (key, value))
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if causal:
        queries, keys = scores.shape[-2:]
        ahead = torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + 1)
        scores = scores.masked_fill(ahead, -math.inf)
    sums = scores.logsumexp(-1) / math.log(2)
    sums = sums.masked_fill(sums == -math.inf, math.inf)
    return scores.softmax(-1).nan_to_num(0.0) @ value, sums


def attend(kernel, query, key, value, causal, seed):
    """All of `hopper.forward`, with the emulator for the GPU."""
    scale = query.shape[-1] ** -0.5
    with patch.object(hopper_kernel, "hopper", Launcher(kernel, seed)):
        return hopper.forward(query, key, value, scale, causal)


def wrong(kernel, shape, dtype, causal, seed) -> str | None:
    """Whether off by more than twice the formula in the same dtype, and a floor.

    Source:
        The tests of FlashAttention, `tests/test_flash_attn.py`: the same rule.
    """
    query, key, value = draw(shape, dtype)
    context, sums = attend(kernel, query, key, value, causal, seed)
    exact, logs = textbook(query, key, value, causal)
    plain, _ = textbook(query, key, value, causal, dtype)
    error, allowed = (context - exact).abs().max(), 2 * (plain - exact).abs().max() + 1e-5
    if not error <= allowed:
        return f"context off by {error:.1e}, allowed {allowed:.1e}"
    apart = (sums - logs).nan_to_num(nan=math.nan, posinf=math.inf)
    apart = apart.where(~(sums.isposinf() & logs.isposinf()), 0.0).abs().max()
    return None if apart <= 1e-4 else f"log-sum-exp off by {apart:.1e}"


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_context_in_any_order(shape, causal):
    for seed, dtype in enumerate((torch.bfloat16, torch.float16, torch.bfloat16)):
        assert wrong(KERNEL, shape, dtype, causal, seed) is None


def test_never_accused():
    for seed in range(30):
        assert wrong(KERNEL, SHAPES[seed % 3], torch.bfloat16, seed % 2 == 1, seed) is None


def complaint(kernel) -> str | None:
    for seed in range(3):
        for shape, causal in ((SHAPES[0], True), (SHAPES[0], False), (SHAPES[2], True)):
            try:
                found = wrong(kernel, shape, torch.bfloat16, causal, seed)
            except Fault as fault:
                found = str(fault)
            if found:
                return found
    return None


@pytest.mark.parametrize("bug", SEEDED)
def test_seeded_bug_is_seen(bug):
    right, mistaken = SEEDED[bug]
    assert (SOURCE + PIECES).count(right) == 1
    source, pieces = (text.replace(right, mistaken) for text in (SOURCE, PIECES))
    assert complaint(load(source, "hopper", pieces))


def test_same_bits_in_any_order():
    query, key, value = draw(SHAPES[0], torch.bfloat16)
    first, second = (attend(KERNEL, query, key, value, True, n) for n in (0, 1))
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])


def test_rows_far_apart():
    """Heads inside of rows, as a projection leaves them."""
    query, key, value = draw((2, 2, 2, 70, 130, 64), torch.bfloat16)
    expected, _ = attend(KERNEL, query, key, value, False, 0)
    assert expected.is_contiguous()
    inside = query.transpose(1, 2).contiguous().transpose(1, 2)
    found, _ = attend(KERNEL, inside, key, value, False, 0)
    assert torch.equal(found, expected)
    assert found.stride() == inside.stride()
