"""Triton where there is no GPU: its interpreter, which runs a kernel's lines in numpy.

Triton looks at TRITON_INTERPRET when it is loaded and when it makes a kernel, so the variable is
set for that moment alone. Where there is a GPU the same tests run on it, compiled.
"""

import os
import sys
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch

if find_spec("triton") is None:
    pytest.skip("Triton is for Linux alone", allow_module_level=True)

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
assert DEVICE == "cuda" or "triton" not in sys.modules, "triton was loaded before these tests"

with patch.dict(os.environ, {} if DEVICE == "cuda" else {"TRITON_INTERPRET": "1"}):
    import triton.experimental.gluon  # noqa: F401 - the first launch would load it, and it looks too
    import triton.language as tl
    from triton.runtime import interpreter

    from attention.backends import triton as backend
    from attention.backends.triton import configs

assert (DEVICE == "cpu") == backend.INTERPRETED


def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles so small that short sequences have inner ones, and others on each side of them."""
    for sizes in (configs.FORWARD, configs.OF_QUERIES, configs.OF_KEYS, configs.DECODE):
        for table in sizes:
            for width in table:
                monkeypatch.setitem(table, width, configs.Config(16, 16, 4, 1))


# The interpreter keeps bfloat16 as its 16 bits. In 3.6.0, 3.7.1 and 3.9.0 its `dot` multiplies
# those bits as if they were integers, and its cast from float32 cuts bits off instead of rounding.
dot, cast = interpreter.InterpreterBuilder.create_dot, interpreter.InterpreterBuilder.cast_impl


def widened(x: Any) -> Any:
    """A bfloat16 is the upper half of the float32 of the same value."""
    if x.dtype.scalar != tl.bfloat16:
        return x
    bits = x.data.astype(np.uint32) << 16
    return interpreter.TensorHandle(bits.view(np.float32), tl.float32)


def rounded(numbers: np.ndarray) -> np.ndarray:
    """The bits of the nearest bfloat16; of two as near, the even one."""
    bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    nearest = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(numbers), np.uint16(0x7FC0), nearest)


def right_dot(self: Any, a: Any, b: Any, *rest: Any) -> Any:
    return dot(self, widened(a), widened(b), *rest)


def right_cast(self: Any, source: Any, kind: Any) -> Any:
    if (source.dtype.scalar, kind.scalar) == (tl.bfloat16, tl.float32):
        return widened(source)  # theirs is right, and a hundred times slower
    if (source.dtype.scalar, kind.scalar) == (tl.float32, tl.bfloat16):
        return interpreter.TensorHandle(rounded(source.data), tl.bfloat16)
    return cast(self, source, kind)


interpreter.InterpreterBuilder.create_dot = right_dot
interpreter.InterpreterBuilder.cast_impl = right_cast
