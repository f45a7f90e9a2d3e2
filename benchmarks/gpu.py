"""Our GPU kernels beside cuDNN, FlashAttention 2 and FlexAttention of the installed torch.

    .venv/bin/python benchmarks/gpu.py                  # needs an NVIDIA GPU of sm_80 or newer
    .venv/bin/python benchmarks/gpu.py --part forward   # one part of it, or several
    .venv/bin/python benchmarks/gpu.py --dry            # on the CPU, tiny: writes nothing

First our kernels are checked, that for Hopper too where there is one: an error, and nothing is
timed. Then every shape of `gpu_shapes.py` is timed in three rounds, bfloat16. Writes a part of
`gpu.json` after each shape, so a run that is cut off leaves what it has. `ms` is the median of the
rounds, `ratio` how many times as long as ours, `tflops` and `gbs` what the published count of work
makes of it; `ceilings` what a matrix product and a copy of this machine reach.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version

import gpu_hopper
import torch
from gpu_check import check
from gpu_clock import ceilings
from gpu_rounds import Round, merge, turn
from gpu_shapes import DRY, PARTS, Shape
from timing import figures, keep

QUERY = "name,driver_version,clocks.sm,clocks.max.sm,clocks.mem,power.limit"


def machine() -> dict[str, str]:
    """The GPU, its driver, clocks and limit of power, as far as they are known."""
    card = torch.cuda.get_device_properties()  # by its own name: some GPUs may be hidden
    command = ["nvidia-smi", f"--query-gpu={QUERY}", f"--id=GPU-{card.uuid}"]
    try:
        out = subprocess.check_output([*command, "--format=csv,noheader"], text=True)
    except (OSError, subprocess.CalledProcessError):
        return {"name": card.name}
    return dict(zip(QUERY.split(","), out.strip().split(", "), strict=True))


def versions() -> dict[str, object]:
    """Of what the numbers are, beside torch."""
    cuda, cudnn = torch.version.cuda, torch.backends.cudnn.version()
    return {"cuda": cuda, "cudnn": cudnn, "triton": version("triton")}


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def brief(found: Round) -> str:
    return ", ".join(
        f"{way} {x if isinstance(x, str) else f'{x:.3g} ms'}" for way, x in found.items()
    )


def table(
    shapes: list[Shape], device: str, ours: str, rounds: int, pause: float
) -> Iterator[dict[str, object]]:
    """After each shape, the cells of all rounds so far and what the machine gave in them."""
    taken: dict[Shape, list[Round]] = {shape: [] for shape in shapes}
    tops: list[dict[str, float]] = []
    for turns in range(1, rounds + 1):
        small = (64, 2**16) if device == "cpu" else ()
        tops.append({name: figures(x) for name, x in ceilings(device, *small).items()})
        say(f"round {turns} of {rounds}: {tops[-1]}")
        for place, (shape, found) in enumerate(taken.items(), 1):
            found.append(turn(shape, device, pause))
            say(f"  {place}/{len(shapes)} {shape.name}: {brief(found[-1])}")
            known = {x.name: merge(x, each, ours) for x, each in taken.items() if each}
            yield {"ceilings": tops, "rounds": turns, "shapes": known}


def main(arguments: list[str]) -> int:
    asked = argparse.ArgumentParser(description="Our GPU kernels beside torch's.")
    asked.add_argument("--dry", action="store_true", help="on the CPU, tiny: writes nothing")
    asked.add_argument("--part", choices=PARTS, action="append", help="only this one")
    asked.add_argument("--rounds", type=int, default=3, choices=range(1, 10))
    asked.add_argument("--pause", type=float, default=0.5, help="seconds before each way, to cool")
    given = asked.parse_args(arguments)
    if not given.dry and not torch.cuda.is_available():
        say("no CUDA device: expected an NVIDIA GPU and a torch built for CUDA, or --dry")
        return 2
    device, ours = ("cpu", "eager") if given.dry else ("cuda", "triton")
    torch.manual_seed(0)
    errors = check(ours, device) + (gpu_hopper.check(device) if gpu_hopper.there(device) else [])
    if errors:
        say("\n".join(errors))
        return 1
    say(f"{ours} is right at small and ragged shapes")
    parts = given.part or list(PARTS)
    if given.dry:
        tables = {part: list(table(DRY[part](), device, ours, 1, 0)) for part in parts}
        print(json.dumps(tables, indent=1))
        return 0
    for part in parts:
        for cells in table(PARTS[part](), device, ours, given.rounds, given.pause):
            keep(__file__, part, cells, gpu=machine(), **versions())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
