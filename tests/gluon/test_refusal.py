"""What the kernel for Hopper says it cannot do."""

import re

import pytest
import torch

from attention import Causal, SlidingWindow
from attention.backends.triton import hopper


def ask(monkeypatch, capability=(9, 0), mask=None, scale=0.125, dtype=torch.bfloat16, **shapes):
    monkeypatch.setattr(hopper, "capability", lambda x: capability)
    names = {"query": (1, 2, 5, 64), "key": (1, 1, 7, 64), "value": (1, 1, 7, 64)} | shapes
    tensors = (torch.zeros(shape, dtype=dtype) for shape in names.values())
    return hopper.refusal(*tensors, mask, scale)


@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_accepted(monkeypatch, mask, dtype):
    assert ask(monkeypatch, mask=mask, dtype=dtype) is None


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"capability": (8, 0)}, r"one GPU of capability \(9, 0\), got cpu of \(8, 0\)"),
        ({"dtype": torch.float32}, "float16 or bfloat16 alone, got torch.float32"),
        ({"query": (1, 2, 5, 32)}, r"widths of 64 or 128, got \[32, 64, 64\]"),
        ({"value": (1, 1, 7, 128)}, r"widths of 64 or 128, got \[64, 64, 128\]"),
        ({"mask": SlidingWindow(3)}, r"no mask or Causal\(\), got SlidingWindow"),
        ({"mask": Causal() & SlidingWindow(3)}, r"no mask or Causal\(\), got \(Causal\(\) & Slid"),
        ({"scale": 0.0}, "a positive scale, got 0.0"),
        (
            dict.fromkeys(("query", "key", "value"), (65_536, 1, 1, 64)),
            "at most 65535 sequences and 65535 heads, got 65536 and 1",
        ),
        ({"key": (1, 1, 0, 64)}, r"a query and a key, got shapes \(1, 2, 5, 64\) and \(1, 1, 0"),
    ],
)
def test_refused(monkeypatch, wrong, sentence):
    assert re.search(sentence, ask(monkeypatch, **wrong))


def test_no_gpu():
    tensors = [torch.zeros(1, 1, 4, 64, dtype=torch.bfloat16)] * 3
    assert "got cpu of None" in hopper.refusal(*tensors, None, 0.125)
