"""What the compilers make of our GPU kernels, on a machine without a GPU: gpu_offline.json.

Registers and spilled bytes are those that ptxas reports; `hot` counts the instructions that spill
in a loop over tiles; shared memory is what Triton asks for; the instructions are counted in the PTX
that Triton wrote, loads of tiles and products on tensor cores.
Each kernel is compiled as a call on a GPU would compile it, from the same launch.
"""

import json
import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

from attention.backends.triton import configs, launch
from attention.backends.triton.configs import DTYPES, WIDTHS, Config
from attention.backends.triton.rules import Rule

OUT = Path(__file__).with_suffix(".json")
TOOLS = Path(triton.__file__).parent / "backends/nvidia/bin"
TARGETS = {80: "sm_80", 90: "sm_90a"}  # Triton's number, and ptxas's name
INSTRUCTIONS = {
    "mma": "mma.sync.aligned",
    "wgmma": "wgmma.mma_async.sync.aligned",
    "cp.async": "cp.async.cg.shared.global",
}


class Pretended:
    """A GPU of a kind, for a driver that has none: enough to compile, and not to start."""

    def __init__(self, capability: int) -> None:
        self.capability = capability

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self) -> int:
        return self.capability  # compiled kernels are kept by device

    def get_current_stream(self, device: int) -> int:
        return 0


def measured(kernel: Any, capability: int) -> dict[str, int]:
    """What one compiled kernel takes."""
    ptx = kernel.asm["ptx"]
    with TemporaryDirectory() as folder:
        source, out = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        ran = run("ptxas", "-v", f"--gpu-name={TARGETS[capability]}", source, "-o", out)
        code = run("nvdisasm", "-c", out).stdout
    spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", ran.stderr)
    used = re.search(r"Used (\d+) registers", ran.stderr)
    assert spills is not None, ran.stderr
    assert used is not None, ran.stderr
    counted = {name: ptx.count(text) for name, text in INSTRUCTIONS.items()}
    spilled = sum(map(int, spills.groups()))
    shared = kernel.metadata.shared
    found = {"registers": int(used[1]), "spilled": spilled, "hot": hot(code), "shared": shared}
    return found | counted


def run(name: str, *given: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TOOLS / name, *given], capture_output=True, text=True, check=True)


def hot(code: str) -> int:
    """Instructions that spill, within loops that have products and no loop of their own."""
    lines = code.splitlines()
    labels = {line.split(":")[0]: at for at, line in enumerate(lines) if line.startswith(".L_x_")}
    jumps = ((re.search(r"BRA\S* .*`\((\.L_x_\d+)\)", line), at) for at, line in enumerate(lines))
    loops = [(labels[to[1]], at) for to, at in jumps if to and labels[to[1]] < at]
    inner = [
        lines[a : b + 1]
        for a, b in loops
        if not any((a, b) != (c, d) and a <= c and d <= b for c, d in loops)
    ]
    return sum(
        sum(bool(re.search(r"\b(?:LDL|STL)\b", line)) for line in loop)
        for loop in inner
        if any("MMA" in line for line in loop)
    )


def compiled(capability: int, dtype: torch.dtype, width: int, padded: bool) -> dict[str, Any]:
    """Each kernel at one width: what a call with gradients, and one of decoding, would start."""
    found: dict[str, Any] = {}

    def start(kernel: Any, programs: int, config: Config, *given: Any, early: bool = False) -> None:
        made = kernel.warmup(
            *given, grid=(programs,), num_warps=config.warps, num_stages=config.stages,
            launch_pdl=early,
        )  # fmt: skip
        found[kernel.__name__] = {**config._asdict(), **measured(made, capability)}

    driver.set_active(Pretended(capability))
    query = torch.empty(2, 8, 4096, width, dtype=dtype)
    key = torch.empty(2, 2, 4096, width, dtype=dtype)
    rule = Rule(spans=torch.empty(2, 2, dtype=torch.int64) if padded else None)
    kept = launch.start, launch.is_hopper, configs.is_hopper
    launch.start = start
    launch.is_hopper = configs.is_hopper = lambda device: capability == 90
    try:
        context, sums = launch.contexts(query, key, key, rule, 0.1)
        launch.gradients(query, key, key, context, sums, context, rule, 0.1)
        launch.contexts(query[:, :, :1], key, key, rule, 0.1)
    finally:
        launch.start, launch.is_hopper, configs.is_hopper = kept
    return found


def table() -> dict[str, Any]:
    """All of it, with the versions that made it."""
    kernels = {
        f"sm_{capability} {str(dtype).removeprefix('torch.')} {width}"
        f"{' padded' if padded else ''}": compiled(capability, dtype, width, padded)
        for capability in TARGETS
        for dtype in DTYPES
        for width in WIDTHS
        for padded in (False, True)
    }
    versions = {"triton": triton.__version__, "torch": torch.__version__.partition("+")[0]}
    return {"versions": versions, "kernels": kernels}


if __name__ == "__main__":
    found = table()
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    for name, kernels in found["kernels"].items():
        for kernel, row in kernels.items():
            print(f"{name:28} {kernel:10}", *(f"{k} {v}" for k, v in row.items()))
