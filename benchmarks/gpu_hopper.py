"""The forward for Hopper, which no call takes yet: whether it is right, then its times.

    .venv/bin/python benchmarks/gpu.py --part hopper    # needs a GPU of compute capability 9.0

`gpu.py` starts it, with the number of rounds and the pause, in a process of its own: where a copy
never lands, it waits for ever. Writes its part of `gpu.json`.
"""

import faulthandler
import math
import sys
from functools import partial
from itertools import product
from pathlib import Path

import torch
from gpu_check import DTYPES, LONG, SIZES, draw, formula, wrong
from gpu_rounds import say
from gpu_shapes import Shape, published
from gpu_table import machine, table, versions
from gpu_ways import Make, Way, ours, torchs
from timing import keep
from torch import Tensor
from torch.nn.attention import SDPBackend

from attention import Causal

WIDTHS = (64, 128)
HANGS = 120  # seconds, for all checks, and for each shape: by then it waits for what never comes


def there() -> bool:
    """Whether the GPU is one that it was written for."""
    return torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)


def forward(inputs: list[Tensor], causal: bool) -> tuple[Tensor, Tensor]:
    """Contexts, and log-sum-exps in powers of 2; what it refuses is an error here."""
    from attention.backends.triton import hopper  # late: Triton is for Linux alone

    scale = inputs[0].shape[-1] ** -0.5
    refused = hopper.refusal(*inputs, Causal() if causal else None, scale)
    if refused is not None:
        raise ValueError(refused)
    return hopper.forward(*inputs, scale, causal)


def sums(query: Tensor, key: Tensor, causal: bool) -> Tensor:
    """The log-sum-exp of the scores in float64, in powers of 2; +∞ where nothing is seen."""
    key = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
    scores = query.double() @ key.double().mT / query.shape[-1] ** 0.5
    if causal:
        seen = Causal().to_tensor(scores.shape[-2], scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(~seen, -math.inf)
    found = scores.logsumexp(dim=-1) / math.log(2)
    return found.masked_fill(found == -math.inf, math.inf)


def check(device: str) -> list[str]:
    """What is wrong, a line each: contexts by the rule of `gpu_check`, log-sum-exps beyond 1e-4."""
    found: list[str] = []
    sizes = [*SIZES, *LONG] if device == "cuda" else SIZES
    cases = product(sizes, WIDTHS, DTYPES, (False, True), (False, True))
    for size, width, dtype, causal, turned in cases:
        *inputs, _ = draw(size, width, dtype, device, turned)
        mask = Causal() if causal else None
        exact = formula(*(x.double() for x in inputs), mask)
        plain = formula(*inputs, mask)
        context, logs = forward(inputs, causal)
        lines = wrong([context], [plain], [exact])
        if not torch.allclose(logs.double(), sums(*inputs[:2], causal), rtol=0, atol=1e-4):
            lines.append("log-sum-exp: expected an error of at most 0.0001, got more")
        case = f"hopper, {size} of {width}, {'causal' if causal else 'none'}, {dtype}, {turned=}"
        found += [f"{case}: {line}" for line in lines]
    return found


def way(shape: Shape) -> Way:
    return lambda *inputs: forward([*inputs], shape.causal)[0]


def ways(shape: Shape, device: str) -> dict[str, Make]:
    return {
        "triton": partial(ours, "triton", shape),
        "cudnn": partial(torchs, SDPBackend.CUDNN_ATTENTION, shape),
        "hopper": partial(way, shape),
    }


def main(rounds: int, pause: float) -> int:
    if not there():
        say("no GPU of compute capability 9.0: expected one, such as an H100")
        return 2
    torch.manual_seed(0)
    faulthandler.dump_traceback_later(HANGS, exit=True)
    if errors := check("cuda"):
        say("\n".join(errors))
        return 1
    say("the forward for Hopper is right at small and ragged shapes")
    faulthandler.dump_traceback_later(HANGS, exit=True)
    script = str(Path(__file__).with_name("gpu.py"))
    measured = {"gpu": machine(), **versions()}
    for cells in table(published(backward=False), "cuda", "triton", rounds, pause, ways):
        keep(script, "hopper", cells, **measured)
        faulthandler.dump_traceback_later(HANGS, exit=True)
    faulthandler.cancel_dump_traceback_later()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2])))
