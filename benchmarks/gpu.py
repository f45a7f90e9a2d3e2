"""Our GPU kernels beside cuDNN, FlashAttention 2 and FlexAttention of the installed torch.

    .venv/bin/python benchmarks/gpu.py                  # needs an NVIDIA GPU of sm_80 or newer
    .venv/bin/python benchmarks/gpu.py --part forward   # one part of it, or several
    .venv/bin/python benchmarks/gpu.py --part forward --only flex  # ours and this: a part apart
    .venv/bin/python benchmarks/gpu.py --part decode --written     # see gpu_clock.py
    .venv/bin/python benchmarks/gpu.py --dry            # on the CPU, tiny: writes nothing

First our kernels are checked: where heads of a width go wrong, none of that width are timed. Then
every shape of `gpu_shapes.py` is timed in rounds, three if nothing else is said, bfloat16; a way
whose result no other way gives has no time. Writes a part of `gpu.json` after each shape, so a run
that is cut off leaves what it has. `ms` is the median of the rounds, `ratio` how many times as long
as ours, `tflops` and `gbs` what the published count of work makes of it; `ceilings` what a matrix
product and a copy of this machine reach. `triton` is our backend; `portable` or `hopper` are those
of its kernels, for every GPU and for Hopper, that it does not take for the shape; `fused` is the
kernel that torch takes unasked. FlexAttention is compiled as `torch.compile` does unasked; with
`flash-attn-4` installed, FlashAttention 4 is there too.
"""

import argparse
import json
import sys

import torch
from gpu_check import WIDTHS, check
from gpu_rounds import say
from gpu_shapes import DRY, PARTS, Shape
from gpu_table import machine, table, versions
from gpu_ways import Make, ways
from timing import keep


def main(arguments: list[str]) -> int:
    asked = argparse.ArgumentParser(description="Our GPU kernels beside torch's.")
    asked.add_argument("--dry", action="store_true", help="on the CPU, tiny: writes nothing")
    asked.add_argument("--part", choices=[*PARTS], action="append", help="only this one")
    asked.add_argument("--rounds", type=int, default=3, choices=range(1, 10))
    asked.add_argument("--pause", type=float, default=0.5, help="seconds before each way, to cool")
    asked.add_argument("--without", action="append", default=[], help="leave a way out, flex say")
    asked.add_argument("--only", action="append", default=[], help="ours, and this way alone")
    asked.add_argument("--written", action="store_true", help="a cache full of what was written")
    given = asked.parse_args(arguments)
    if not given.dry and not torch.cuda.is_available():
        say("no CUDA device: expected an NVIDIA GPU and a torch built for CUDA, or --dry")
        return 2
    device, ours = ("cpu", "eager") if given.dry else ("cuda", "triton")
    torch.manual_seed(0)
    wrong = 0
    right: list[int] = []
    parts = given.part or [*PARTS]
    made = DRY if given.dry else PARTS
    timed = {x.width for part in PARTS if part in parts for x in made[part]()}
    for width in sorted(timed) if given.part else WIDTHS:
        if errors := check(ours, device, width):
            say("\n".join(errors))
            wrong = 1
        else:
            say(f"{ours} is right at small and ragged shapes of width {width}")
            right.append(width)
    shapes = {
        part: [x for x in made[part]() if x.width in right] for part in PARTS if part in parts
    }

    def every(shape: Shape, device: str) -> dict[str, Make]:
        found = ways(shape, device)
        taken = [ours, *given.only] if given.only else [*found]
        return {x: make for x, make in found.items() if x in taken and x not in given.without}

    if given.dry:
        tables = {
            part: list(table(each, device, ours, 1, 0, every)) for part, each in shapes.items()
        }
        print(json.dumps(tables, indent=1))
        return wrong
    measured = {"gpu": machine(), **versions(), "pause": given.pause}
    for part, each in shapes.items():
        name = ", ".join([part, *given.only, *(["written"] if given.written else [])])
        for cells in table(each, device, ours, given.rounds, given.pause, every, given.written):
            keep(__file__, name, cells, **measured)
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
