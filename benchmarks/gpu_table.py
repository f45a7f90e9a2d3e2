"""A part of `gpu.json`: the cells of its shapes, round after round, and what measured them."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

import torch
from gpu_clock import ceilings
from gpu_rounds import Round, merge, say, turn
from gpu_shapes import Shape
from gpu_ways import Make, ways
from timing import figures

QUERY = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit"


def machine() -> dict[str, str]:
    """The GPU, its driver, clocks and limit of power, as far as they are known."""
    card = torch.cuda.get_device_properties()  # by its own name: some GPUs may be hidden
    command = ["nvidia-smi", f"--query-gpu={QUERY}", f"--id=GPU-{card.uuid}"]
    try:
        out = subprocess.check_output([*command, "--format=csv,noheader"], text=True, timeout=20)
        return dict(zip(QUERY.split(","), out.strip().split(", "), strict=True))
    except (OSError, ValueError, subprocess.SubprocessError):
        return {"name": card.name}


def versions() -> dict[str, object]:
    """Of what the numbers are, beside torch."""
    cuda, cudnn = torch.version.cuda, torch.backends.cudnn.version()
    found = {"cuda": cuda, "cudnn": cudnn, "triton": version("triton")}
    with suppress(PackageNotFoundError):
        found["flash-attn-4"] = version("flash-attn-4")
    return found


def brief(found: Round) -> str:
    return ", ".join(
        f"{way} {x if isinstance(x, str) else f'{x:.3g} ms'}" for way, x in found.items()
    )


def table(
    shapes: list[Shape],
    device: str,
    ours: str,
    rounds: int,
    pause: float,
    every: Callable[[Shape, str], dict[str, Make]] = ways,
    written: bool = False,
) -> Iterator[dict[str, object]]:
    """After each shape, the cells of all rounds so far and what the machine gave in them."""
    taken: dict[Shape, list[Round]] = {shape: [] for shape in shapes}
    tops: list[dict[str, float]] = []
    for turns in range(1, rounds + 1):
        small = (64, 2**16) if device == "cpu" else ()
        tops.append({name: figures(x) for name, x in ceilings(device, *small).items()})
        say(f"round {turns} of {rounds}: {tops[-1]}")
        for place, (shape, found) in enumerate(taken.items(), 1):
            found.append(turn(shape, every(shape, device), device, pause, written))
            say(f"  {place}/{len(shapes)} {shape.name}: {brief(found[-1])}")
            known = {x.name: merge(x, each, ours) for x, each in taken.items() if each}
            yield {"ceilings": tops, "rounds": turns, "shapes": known}
