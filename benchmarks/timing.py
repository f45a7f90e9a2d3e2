"""How the scripts here measure: every call has its turn in each round, and ratios are compared.

What else a machine does, and how warm it is, hits all calls of a round alike: a ratio within a
round holds where milliseconds do not.
"""

import json
import platform
import random
import statistics
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import torch

Calls = dict[str, Callable[[], object]]
Cell = dict[str, dict[str, float]]

NUMBERS = {"cpu family": "family", "model": "model"}  # as Linux calls them
SHORT = 2e-3  # seconds: a shorter call is repeated until it takes so long
LEAST, MOST = 5, 100  # rounds


def compare(calls: Calls, ours: str, seconds: float = 4.0, most: int = MOST) -> Cell:
    """Median milliseconds of each call, and how many times as long as ours it takes.

    Beside that ratio, the median over the rounds, stand the two between which half of them lie.

    Args:
        calls: What to time.
        ours: The name of the call that the others are compared with.
        seconds: About how long to measure, within the least and the most rounds.
        most: The most rounds.
    """
    for call in calls.values():  # the first call pays for what is loaded, planned, compiled
        call()
    times = {name: once(call) for name, call in calls.items()}
    repeats = {name: max(1, round(SHORT / time)) for name, time in times.items()}
    round_takes = sum(times[name] * repeats[name] for name in times)
    rounds = min(most, max(LEAST, round(seconds / round_takes)))
    found: dict[str, list[float]] = {name: [] for name in times}
    for _ in range(rounds):
        for name in random.sample(list(times), len(times)):
            start = perf_counter()
            for _ in range(repeats[name]):
                calls[name]()
            found[name].append((perf_counter() - start) / repeats[name])
    return {
        name: {"ms": figures(statistics.median(each) * 1e3)}
        | spread([a / b for a, b in zip(each, found[ours], strict=True)])
        for name, each in found.items()
    }


def spread(ratios: list[float]) -> dict[str, float]:
    """Their median and quartiles, to two decimals."""
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"ratio": round(median, 2), "low": round(low, 2), "high": round(high, 2)}


def once(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def rate(size: int = 2048) -> float:
    """The best GFLOP/s of a matrix product of this machine, now."""
    a, b = torch.randn(2, size, size)
    return round(2 * size**3 / min(once(lambda: a @ b) for _ in range(7)) / 1e9, 1)


def figures(number: float) -> float:
    """To three figures."""
    return float(f"{number:.3g}")


def here() -> dict[str, object]:
    """What measured, and when."""
    return {
        "machine": processor(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__.split("+")[0],
        "date": datetime.now(UTC).date().isoformat(),
    }


def processor() -> str:
    """Its name, and where there are numbers of family and model, those: many share a name."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").split("\n\n")[0].splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    said = {name.strip(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    numbers = [f"{name} {said[key]}" for key, name in NUMBERS.items() if key in said]
    return ", ".join([said.get("model name", platform.machine()), *numbers])


def say(name: str, cell: Cell, ours: str) -> None:
    """Progress: a line a cell, with the ratios to ours."""
    others = ", ".join(f"{n} {x['ratio']:.2f}" for n, x in cell.items() if n != ours)
    print(f"{name}: {ours} {cell[ours]['ms']} ms; {others}", file=sys.stderr, flush=True)


def keep(script: str, part: str, cells: dict[str, object], **more: object) -> None:
    """One part of the JSON beside a script, the others as they were; whole or not at all.

    Args:
        script: The script's path.
        part: The name of the part.
        cells: What was measured.
        more: What else measured, beside the processor.
    """
    target = Path(script).with_suffix(".json")
    result = json.loads(target.read_text("utf-8")) if target.exists() else {}
    result[part] = {**here(), **more, "cells": cells}
    new = target.with_suffix(".part")
    new.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    new.replace(target)
    print(f"wrote {part} to {target.name}", file=sys.stderr)
