"""Which tiles are fastest on this GPU: what `configs.py` could say, each candidate timed.

    .venv/bin/python benchmarks/gpu_tune.py 128    # heads of that width

One table of `configs.py` is changed at a time, the others stay as they are. A candidate that does
not fit, or that gives another result, has a reason in place of times. Writes a part of
`gpu_tune.json` after each candidate: milliseconds in bfloat16, the fastest first.
"""

import sys
from collections.abc import Iterator
from itertools import product

import torch
from gpu_check import draw
from gpu_clock import Call, take
from gpu_rounds import NEAR, apart, reason, say
from gpu_table import machine, versions
from timing import figures, keep
from torch import Tensor

from attention.backends.triton import launch
from attention.backends.triton.configs import DECODE, FORWARD, OF_KEYS, OF_QUERIES, WIDTHS, Config
from attention.backends.triton.rules import Rule

TABLES = {"forward": FORWARD, "of_queries": OF_QUERIES, "of_keys": OF_KEYS, "decode": DECODE}
# Rows, columns, warps, stages.
TALL = ((64, 128), (32, 64, 128), (4, 8), (2, 3))
SIZES = {
    "forward": TALL,
    "of_queries": TALL,
    "of_keys": ((32, 64, 128), (64, 128), (4, 8), (1, 2, 3)),
    "decode": ((16,), (32, 64, 128, 256), (4, 8), (2, 3, 4)),
}
CANDIDATES = {table: [Config(*each) for each in product(*sizes)] for table, sizes in SIZES.items()}
RULES = {"full": Rule(), "causal": Rule(right=0)}
# Sequences, query heads, key heads, queries, keys. What is best for long caches need not be for
# short ones, of which few programs fill the GPU.
LONG = [(2, 16, 16, 8192, 8192)]
CACHES = [(16, 64, 8, 1, 16384), (64, 64, 8, 1, 1024), (16, 64, 8, 1, 1024), (1, 64, 8, 1, 1024)]
LARGEST = 128 * 128 * 128  # with more numbers in a tile, a kernel compiles long and never fits


def call(table: str, inputs: list[Tensor], grad: Tensor, rule: Rule) -> Call:
    """What starts the kernel of a table; for gradients both kernels, since one needs the other."""
    scale = inputs[0].shape[-1] ** -0.5
    if table == "forward":
        return lambda: launch.portable(*inputs, rule, scale)
    if table == "decode":
        return lambda: launch.contexts(*inputs, rule, scale)
    context, sums = launch.contexts(*inputs, rule, scale)
    return lambda: launch.portable_gradients(*inputs, context, sums, grad, rule, scale)


def times(calls: dict[str, Call], expected: dict[str, object], device: str) -> dict[str, float]:
    """Milliseconds under each rule; an error if a result is another one than expected."""
    found: dict[str, float] = {}
    for name, start in calls.items():
        if not (share := apart(start(), expected[name])) <= NEAR:
            raise ValueError(f"another result: {share:.2g} of its size apart")
        found[name] = figures(take(lambda start=start: start, device))
    return found


def tune(
    table: str, size: tuple[int, ...], width: int, device: str, configs: list[Config]
) -> Iterator[dict[str, dict[str, float] | str]]:
    """After each candidate the times so far: the fastest under both rules first, none last."""
    *inputs, grad = draw(size, width, torch.bfloat16, device)
    entries = TABLES[table].on(torch.device(device))
    calls = {name: call(table, inputs, grad, rule) for name, rule in RULES.items()}
    expected = {name: start() for name, start in calls.items()}
    kept, found = entries[width], {}
    for place, config in enumerate(configs, 1):
        entries[width] = config
        try:
            found[config] = times(calls, expected, device)
        except Exception as error:  # too much shared memory, say: no reason to stop
            found[config] = reason(error)
        finally:
            entries[width] = kept
        say(f"{place}/{len(configs)} {table} {tuple(config)}: {found[config]}")
        best = sorted(found, key=lambda config: together(found[config]))
        yield {" ".join(map(str, config)): found[config] for config in best}


def together(found: dict[str, float] | str) -> float:
    return float("inf") if isinstance(found, str) else found["full"] * found["causal"]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in map(str, WIDTHS):
        say(f"which width? expected one of {', '.join(map(str, WIDTHS))}")
        return 2
    if not torch.cuda.is_available():
        say("no CUDA device: expected an NVIDIA GPU and a torch built for CUDA")
        return 2
    width = int(arguments[0])
    cells: dict[str, object] = {}
    measured = {"gpu": machine(), **versions()}
    for table, candidates in CANDIDATES.items():
        now = TABLES[table].on(torch.device("cuda", 0))[width]
        fit = [x for x in candidates if x.rows * x.columns * width <= LARGEST]
        configs = [now, *(config for config in fit if config != now)]
        for size in CACHES if table == "decode" else LONG:
            for times in tune(table, size, width, "cuda", configs):
                cells[f"{table}, {size}"] = {"now": list(now), "times": times}
                keep(__file__, str(width), cells, **measured)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
