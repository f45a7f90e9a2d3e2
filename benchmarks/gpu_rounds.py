"""One cell of `gpu.json`: every way takes its turn, and rounds are put together."""

import random
import statistics
import sys
import time
from typing import Any

import torch
from gpu_clock import FLUSH, Call, take
from gpu_shapes import Shape
from gpu_ways import Make, Way, inputs
from timing import figures

Round = dict[str, float | str]  # milliseconds, or why there are none

# How far two results may lie apart, as a share of their size: in bfloat16 a number has 8 bits.
NEAR = 0.02


def turn(
    shape: Shape, every: dict[str, Make], device: str, pause: float, written: bool = False
) -> Round:
    """Milliseconds of every way, in an order of chance, each after a pause to cool.

    A way that agrees with no other has no time.
    """
    if device != "cpu":
        torch.cuda.empty_cache()
        free = torch.cuda.mem_get_info()[0]
        if shape.memory + FLUSH > free * 0.9:
            need = f"needs about {(shape.memory + FLUSH) / 2**30:.1f} GiB"
            return dict.fromkeys(every, f"{need}, {free / 2**30:.1f} are free")
    given = inputs(shape, device)
    grad = torch.randn_like(given[0]) if shape.backward else None
    found: Round = {}
    results: dict[str, Any] = {}
    for name in random.sample(list(every), len(every)):
        time.sleep(pause)
        try:
            way = every[name]()
            found[name] = take(lambda way=way: bind(way, given, grad), device, written)
            results[name] = bind(way, given, grad)()
        except Exception as error:  # a way that cannot is a cell without a time, not the end
            found[name] = reason(error)
            say(f"    {name}: {found[name]}")  # now: after some errors of CUDA all else fails
    for name, result in results.items():
        others = [apart(result, other) for at, other in results.items() if at != name]
        if others and not any(share <= NEAR for share in others):  # NaN is not near
            found[name] = f"agrees with no other way: {min(others):.2g} of its size apart"
    return found


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def apart(one: Any, other: Any) -> float:
    """How far a context, or the gradients, lie from others, as a share of their size."""
    if isinstance(one, torch.Tensor):
        return ((one.float() - other.float()).norm() / other.float().norm()).item()
    return max(apart(a, b) for a, b in zip(one, other, strict=True))


def reason(error: Exception) -> str:
    """Its kind and first line; an assertion may have none."""
    return ": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]])


def bind(way: Way, given: list[torch.Tensor], grad: torch.Tensor | None) -> Call:
    """Forward; or the gradients alone, after a forward that is not timed."""
    if grad is None:
        return lambda: way(*given)
    context = way(*given)
    return lambda: torch.autograd.grad(context, given, grad)


def merge(shape: Shape, rounds: list[Round], ours: str) -> dict[str, object]:
    """The median of the rounds, the least and the most; a ratio is taken within a round.

    A way without a time in some round keeps the reason instead.
    """
    found: dict[str, object] = {}
    for name in rounds[0]:
        times = [each[name] for each in rounds]
        failed = [x for x in times if isinstance(x, str)]
        if failed:
            found[name] = {"missing": failed[0]}
            continue
        ms = statistics.median(times)
        found[name] = {
            "ms": figures(ms),
            "range": [figures(min(times)), figures(max(times))],
            "tflops": figures(shape.flops / ms / 1e9),
            "gbs": figures(shape.traffic / ms / 1e6),
        }
        if not any(isinstance(each[ours], str) for each in rounds):
            ratios = [x / each[ours] for x, each in zip(times, rounds, strict=True)]
            found[name]["ratio"] = round(statistics.median(ratios), 2)
    return found
