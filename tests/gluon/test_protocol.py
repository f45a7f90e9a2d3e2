"""The source of the kernel for Hopper on the emulator: its numbers, and that its bugs are seen."""

import math
from pathlib import Path
from unittest.mock import patch

import pytest
import torch
from emulator import PIECES, Launcher, load
from formula import SHAPES, draw, excess, textbook
from machine import Fault
from seeded import SEEDED

from attention.backends.triton import hopper, hopper_kernel

SOURCE = Path(hopper_kernel.__file__).read_text()
KERNEL = load(SOURCE, "hopper")


def attend(kernel, query, key, value, causal, seed):
    """All of `hopper.forward`, with the emulator for the GPU."""
    scale = query.shape[-1] ** -0.5
    with patch.object(hopper_kernel, "hopper", Launcher(kernel, seed)):
        return hopper.forward(query, key, value, scale, causal)


def wrong(kernel, shape, dtype, causal, seed) -> str | None:
    """The context by the rule of `excess`; its log-sum-exp, in single precision, nearer."""
    query, key, value, _ = draw(shape, dtype)
    context, sums = attend(kernel, query, key, value, causal, seed)
    exact, logs = textbook(query, key, value, causal)
    plain, _ = textbook(query, key, value, causal, dtype)
    if far := excess(context, exact, plain, "context"):
        return far
    apart = (sums - logs).nan_to_num(nan=math.nan, posinf=math.inf)
    apart = apart.where(~(sums.isposinf() & logs.isposinf()), 0.0).abs().max()
    return None if apart <= 1e-4 else f"log-sum-exp off by {apart:.1e}"


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_context_in_any_order(shape, causal):
    for seed, dtype in enumerate((torch.bfloat16, torch.float16, torch.bfloat16)):
        assert wrong(KERNEL, shape, dtype, causal, seed) is None


def test_never_accused():
    for seed in range(60):
        assert wrong(KERNEL, SHAPES[seed % 5], torch.bfloat16, seed % 2 == 1, seed) is None


# The last two with two consumers: queries in registers, and shares rounded early.
CASES = (
    *((SHAPES[0], True), (SHAPES[0], False), (SHAPES[2], True)),
    *((SHAPES[4], False), (SHAPES[4], True)),
)


def complaint(kernel) -> str | None:
    for seed in range(3):
        for shape, causal in CASES:
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
    query, key, value, _ = draw(SHAPES[0], torch.bfloat16)
    first, second = (attend(KERNEL, query, key, value, True, n) for n in (0, 1))
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])


def test_rows_far_apart():
    """Heads inside of rows, as a projection leaves them."""
    query, key, value, _ = draw((2, 2, 2, 70, 130, 64), torch.bfloat16)
    expected, _ = attend(KERNEL, query, key, value, False, 0)
    assert expected.is_contiguous()
    inside = query.transpose(1, 2).contiguous().transpose(1, 2)
    found, _ = attend(KERNEL, inside, key, value, False, 0)
    assert torch.equal(found, expected)
    assert found.stride() == inside.stride()
