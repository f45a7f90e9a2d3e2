"""Whether our GPU kernels can compute a call, whether they should, and by which rule."""

import os
from functools import cache
from importlib.util import find_spec
from shutil import which
from typing import Any

import torch
from torch import Tensor

from attention import checks
from attention.dispatch.sight import in_sight
from attention.masks import Mask

INSTALLED = find_spec("triton") is not None  # asked once: it looks through folders
MIN_CAPABILITY = (8, 0)  # compute capability: bfloat16, and copies that run beside the products


def obstacle(query: Tensor) -> str | None:
    """Why the kernels cannot take such queries, as the end of a sentence; None if they can."""
    if not INSTALLED:
        return "needs the package triton, which is not installed (for Linux: pip install triton)"
    # Late: Triton takes as long to load as all of ours, and is needed by nobody else.
    from attention.backends import triton
    from attention.backends.triton.configs import DTYPES, WIDTHS

    device, width = query.device, query.shape[-1]
    if device.type == "cuda":
        least = (
            torch.version.hip is None and torch.cuda.get_device_capability(device) >= MIN_CAPABILITY
        )
        if not least:
            return "is for NVIDIA GPUs of compute capability 8.0 or higher"
        if not compilable():
            return "needs a C compiler, which Triton finds as gcc or clang, or by CC"
    elif device.type != "cpu" or not triton.INTERPRETED:
        return f"is for NVIDIA GPUs and query is on {device}"
    if query.dtype not in DTYPES:
        return f"takes float16 and bfloat16 and query has {query.dtype}"
    if width not in WIDTHS:
        return f"takes heads of width {', '.join(map(str, WIDTHS))} and query has {width}"
    return None


@cache
def compilable() -> bool:
    """Whether Triton finds what it makes the start of a kernel with; without, its error is late."""
    from triton import knobs

    if knobs.build.impl is not None:
        return True
    names = [os.environ["CC"]] if "CC" in os.environ else ["gcc", "clang"]
    return any(which(name) is not None for name in names)


def rule(query: Tensor, key: Tensor, mask: Mask) -> Any:
    """The rule of a mask, if it has one; a mask that does not fit raises."""
    from attention.backends.triton.rules import ruled

    checks.fits(mask, query, key)
    return ruled(mask, key.size(-2))


def sparing(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> Any:
    """The rule of a mask that torch's kernels would need as a tensor; None if of another, or none.

    Torch's kernels know the square causal mask. Any other they need as a tensor of all scores, and
    compute every tile of it. On an H200 a window of 256 on 8,192 tokens took them 18 times as long
    as ours, and the last 512 queries of as many tokens twice as long. Torch has all else, and is
    about as fast there; also a mask that only cuts keys off, the same for each query: a slice.
    """
    queries, keys = query.size(-2), key.size(-2)
    sight = in_sight(mask, queries, keys)
    if mask.over(keys).full(keys - queries, keys - 1, sight.start, sight.stop):
        return None
    if query.shape[-1] != value.shape[-1] or obstacle(query) is not None:
        return None
    return rule(query, key, mask)
