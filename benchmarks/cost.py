"""Time and memory of attention as its text grows, on one thread of a CPU: chapter 16's tables.

    .venv/bin/python benchmarks/cost.py

Writes `cost.json` beside it, which a test holds the chapter against. `eager` is two products and a
softmax, `fused` torch's kernel; 8 heads of 64 entries, float32. What is “held” writes its tables
into two that exist before the clock runs. A time is the least of several rounds, in each of which
every call of every length has its turn, so that what else the machine does hits all alike.
Memory is how far the peak of a fresh process rises during one call, as the system counts it: the
scratch space of a kernel is in it.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import torch
from timing import processor
from torch.nn.functional import scaled_dot_product_attention

HEADS, WIDTH, ROUNDS = 8, 64, 20
LENGTHS = (512, 1024, 2048, 4096)


def eager(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (q @ k.mT / WIDTH**0.5).softmax(dim=-1) @ v


def held(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, tables: torch.Tensor) -> torch.Tensor:
    """The same, but for where its tables lie."""
    scores, weights = tables
    torch.matmul(q, k.mT, out=scores)
    torch.div(scores, WIDTH**0.5, out=weights)
    torch.softmax(weights, dim=-1, out=scores)
    return scores @ v


CALLS = {"eager": eager, "fused": scaled_dot_product_attention}


def draw(length: int) -> torch.Tensor:
    return torch.randn(3, 1, HEADS, length, WIDTH)


def calls(length: int) -> dict[str, Callable[[], torch.Tensor]]:
    """Both ways, and the four operations of the first; where they make a table, also if held."""
    q, k, v = draw(length)
    scores = q @ k.mT
    weights = scores.softmax(dim=-1)
    tables = torch.zeros(2, *scores.shape)
    return {
        "eager": lambda: eager(q, k, v),
        "fused": lambda: scaled_dot_product_attention(q, k, v),
        "scores": lambda: q @ k.mT,
        "scale": lambda: scores / WIDTH**0.5,
        "softmax": lambda: scores.softmax(dim=-1),
        "average": lambda: weights @ v,
        "eager, held": lambda: held(q, k, v, tables),
        "scores, held": lambda: torch.matmul(q, k.mT, out=tables[0]),
        "scale, held": lambda: torch.div(scores, WIDTH**0.5, out=tables[0]),
        "softmax, held": lambda: torch.softmax(scores, dim=-1, out=tables[0]),
    }


def times() -> dict[int, dict[str, float]]:
    """The least milliseconds of each call, for each length."""
    every = {length: calls(length) for length in LENGTHS}
    best = {length: dict.fromkeys(every[length], float("inf")) for length in LENGTHS}
    for _ in range(ROUNDS):
        for length in LENGTHS:
            for name, call in every[length].items():
                start = perf_counter()
                call()
                best[length][name] = min(best[length][name], (perf_counter() - start) * 1e3)
    return {
        length: {name: round(ms, 1) for name, ms in each.items()} for length, each in best.items()
    }


def peak() -> float:
    """The most memory that this process has had so far, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would begin at what the parent had
        line = next(x for x in status.read_text("utf-8").splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS counts bytes


def rise(name: str, length: int) -> None:
    """Print by how many MiB a call raises the peak; a short one first, so that libraries are in."""
    CALLS[name](*draw(64))
    q, k, v = draw(length)
    before = peak()
    CALLS[name](q, k, v)
    print(peak() - before)


def memory(name: str, length: int) -> float:
    command = [sys.executable, __file__, name, str(length)]
    return round(float(subprocess.check_output(command, text=True)), 1)


def main() -> None:
    result = {
        "machine": f"{processor()}, one thread",
        "torch": torch.__version__.split("+")[0],
        "date": datetime.now(UTC).date().isoformat(),
        "heads": HEADS,
        "width": WIDTH,
        "lengths": {
            str(length): {
                "ms": each,
                "mib": {name: memory(name, length) for name in CALLS},
            }
            for length, each in times().items()
        },
    }
    target = Path(__file__).with_suffix(".json")
    target.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(target.read_text("utf-8"))


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    if len(sys.argv) > 1:
        rise(sys.argv[1], int(sys.argv[2]))
    else:
        main()
