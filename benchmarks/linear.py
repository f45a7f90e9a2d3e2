"""A linear layer's product by torch's own function, and as the convolution that ours may make.

    .venv/bin/python benchmarks/linear.py                            # 1 minute
    ONEDNN_MAX_CPU_ISA=AVX2 .venv/bin/python benchmarks/linear.py    # oneDNN as wide as MKL

Writes `linear.json`. Float32, without gradients; a ratio is how many times as long torch's `linear`
takes. Ours is asked without its limits, so that what they leave out is seen too. “new” has
another number of rows in each call, from 900 on; ours fills all of these up to the same number.
"""

import os
import statistics
from functools import partial

import torch
from timing import compare, figures, keep, once, say, spread
from torch.nn.functional import linear

from attention import affine as path
from attention import processor

# Width of a token, and how many rows the matrix has.
MATRICES = [
    (64, 192),
    (128, 384),
    (256, 256),
    (256, 768),
    (512, 512),
    (512, 1536),
    (1024, 1024),
    (4096, 4096),
]
ROWS = [128, 256, 512, 777, 1000, 1024, 2048, 3000]
NARROW = os.environ.get("ONEDNN_MAX_CPU_ISA") == "AVX2"


def cell(rows: int, width: int, outputs: int) -> object:
    x, weight, bias = torch.randn(rows, width), torch.randn(outputs, width), torch.randn(outputs)
    calls = {
        "ours": lambda: path.affine(x, weight, bias),
        "torch": lambda: linear(x, weight, bias),
    }
    found = compare(calls, "ours", 1.0)
    say(f"{rows} of {width} by {outputs}", found, "ours")
    return {"rows": rows, "width": width, "outputs": outputs, "ways": found}


def new(width: int, outputs: int) -> object:
    """Each time with one more row."""
    weight, bias = torch.randn(outputs, width), torch.randn(outputs)
    ours, torchs = [], []
    for rows in range(900, 1000):
        given = torch.randn(rows, width), weight, bias
        torchs.append(once(partial(linear, *given)))
        ours.append(once(partial(path.affine, *given)))
    found = {"ms": figures(statistics.median(ours) * 1e3)}
    found |= spread([a / b for a, b in zip(torchs, ours, strict=True)])
    print(f"new rows of {width} by {outputs}: {found}")
    return {"width": width, "outputs": outputs, "ours": found}


if __name__ == "__main__":
    path.MIN_ROWS = path.MIN_PRODUCTS = 0
    path.MAX_NUMBERS = 1 << 62
    processor.narrow_mkl = lambda: True
    with torch.no_grad():
        if NARROW:
            keep(__file__, "narrow", {"all": [cell(2048, 512, 512)]})
        else:
            cells = [cell(rows, *matrix) for matrix in MATRICES for rows in ROWS]
            keep(__file__, "linear", {"all": cells, "new": [new(256, 768), new(512, 1536)]})
