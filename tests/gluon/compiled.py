"""The kernel for Hopper as machine code, which Triton makes without a GPU.

`.venv/bin/python tests/gluon/compiled.py` prints what the tests look at as a table.
"""

import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

from attention.backends.triton.hopper import CONFIGS, REGISTERS
from attention.backends.triton.hopper_kernel import hopper

TOOLS = Path(triton.__file__).parent / "backends/nvidia/bin"
DTYPES = {"bf16": gl.bfloat16, "fp16": gl.float16}


class Code(NamedTuple):
    shared: int  # bytes of shared memory
    registers: int  # of a thread, when the kernel starts
    stack: int  # bytes of a thread in slow memory
    spills: int  # instructions that read or write them
    products: int  # instructions of the tensor cores (HGMMA)
    loads: int  # copies in bulk, from global to shared memory (UTMALDG)
    stores: int  # and back (UTMASTG)
    regrouped: tuple[int, ...]  # numbers of registers that groups of warps change to
    turns: tuple[tuple[int, int], ...]  # of each loop: products begun, powers of 2 under the last


def source(width: int, causal: bool, dtype: str = "bf16") -> GluonASTSource:
    config = CONFIGS[width]

    def tiles(length: int) -> str:
        block = [1, 1, length, width]
        layout = gl.NVMMASharedLayout.get_default_for(block, DTYPES[dtype])
        return f"tensordesc<{dtype}{block},{layout!r}>"

    constants = {"CAUSAL": causal, "REGISTERS": REGISTERS[config.consumers][1]}
    constants |= {name.upper(): size for name, size in config._asdict().items()}
    types = {
        "q_map": tiles(config.rows), "k_map": tiles(config.columns), "v_map": tiles(config.columns),
        "o_map": tiles(config.rows), "sums": "*fp32", "scale": "fp32",
        "queries": "i32", "keys": "i32", "group": "i32",
    }  # fmt: skip
    types |= dict.fromkeys(constants, "constexpr")
    return GluonASTSource(hopper, types, constants, {(4,): [["tt.divisibility", 16]]})


def compiled(width: int, causal: bool, dtype: str = "bf16") -> Code:
    options = {"num_warps": 4, "maxnreg": REGISTERS[CONFIGS[width].consumers][0]}
    kernel = triton.compile(source(width, causal, dtype), GPUTarget("cuda", 90, 32), options)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(kernel.asm["cubin"])
        file.flush()
        usage = tool("cuobjdump", "-res-usage", file.name)
        sass = tool("nvdisasm", "-c", file.name)
    return Code(
        shared=kernel.metadata.shared,
        registers=number(r"REG:(\d+)", usage),
        stack=number(r"STACK:(\d+)", usage),
        spills=len(re.findall(r"\b(?:LDL|STL)\b", sass)),
        products=sass.count("HGMMA"),
        loads=sass.count("UTMALDG"),
        stores=sass.count("UTMASTG"),
        regrouped=tuple(int(n, 16) for n in re.findall(r"USETMAXREG\S*[^;]*?(0x\w+)", sass)),
        turns=turns(sass),
    )


def turns(sass: str) -> tuple[tuple[int, int], ...]:
    """Wherever the wait for all products but one is: what comes before it and after it.

    Before: products, back to the wait before. After: powers of 2, up to the next wait.
    """
    wait = r"WARPGROUP\.DEPBAR\S* gsb0, (0x\w)"
    pieces = re.split(wait, sass)
    return tuple(
        (pieces[i - 1].count("HGMMA"), pieces[i + 1].count("MUFU.EX2"))
        for i in range(1, len(pieces), 2)
        if pieces[i] == "0x1"
    )


def tool(name: str, *args: str) -> str:
    run = subprocess.run([TOOLS / name, *args], capture_output=True, text=True, check=True)
    return run.stdout


def number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, f"no {pattern} in {text}"
    return int(found[1])


if __name__ == "__main__":
    print(f"Triton {triton.__version__}, sm_90\n")
    print("| width | mask | dtype |", " | ".join(Code._fields), "|")
    print("| --- " * (3 + len(Code._fields)) + "|")
    for width in CONFIGS:
        for causal in (False, True):
            for dtype in DTYPES:
                code = compiled(width, causal, dtype)
                mask = "causal" if causal else "none"
                print("|", " | ".join(map(str, (width, mask, dtype, *code))), "|", flush=True)
