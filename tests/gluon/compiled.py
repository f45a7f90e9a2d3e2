"""The kernels for Hopper as machine code, which Triton makes without a GPU.

`.venv/bin/python tests/gluon/compiled.py` prints what the tests look at as a table.
"""

import re
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import NamedTuple

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

from attention.backends.triton.hopper import CONFIGS
from attention.backends.triton.hopper_backward import OF_KEYS, OF_QUERIES
from attention.backends.triton.hopper_kernel import hopper
from attention.backends.triton.hopper_keys import of_keys
from attention.backends.triton.hopper_launch import REGISTERS
from attention.backends.triton.hopper_queries import of_queries

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from gpu_offline import hot  # noqa: E402

TOOLS = Path(triton.__file__).parent / "backends/nvidia/bin"
DTYPES = {"bf16": gl.bfloat16, "fp16": gl.float16}
KERNELS = {
    "hopper": (hopper, CONFIGS),
    "of_queries": (of_queries, OF_QUERIES),
    "of_keys": (of_keys, OF_KEYS),
}
BY_ROWS = ("q_map", "c_map", "g_map", "o_map", "to_map")
BY_COLUMNS = ("k_map", "v_map", "to_key_map", "to_value_map")


class Code(NamedTuple):
    shared: int  # bytes of shared memory
    registers: int  # of a thread, when the kernel starts
    stack: int  # bytes of a thread in slow memory
    spills: int  # instructions that read or write them
    hot: int  # those of them in a loop over tiles
    products: int  # instructions of the tensor cores (HGMMA)
    loads: int  # copies in bulk, from global to shared memory (UTMALDG)
    stores: int  # and back (UTMASTG)
    regrouped: tuple[int, ...]  # numbers of registers that groups of warps change to
    turns: tuple[tuple[int, int], ...]  # of each loop: products begun, powers of 2 under the last
    waits: str  # for products, in the order of the text: how many may be under way after each
    bare: int  # powers of 2 while no product is under way
    under: tuple[tuple[int, int], ...]  # in each turn, under the last product: SHFL, F2FP
    registered: int  # products whose left side is in registers


WAIT = r"WARPGROUP\.DEPBAR\S* gsb0, 0x(\w)"


def source(name: str, width: int, causal: bool, dtype: str = "bf16") -> GluonASTSource:
    kernel, configs = KERNELS[name]
    config = configs[width]

    def tiles(length: int) -> str:
        block = [1, 1, length, width]
        layout = gl.NVMMASharedLayout.get_default_for(block, DTYPES[dtype])
        return f"tensordesc<{dtype}{block},{layout!r}>"

    constants = {"CAUSAL": causal, "REGISTERS": REGISTERS[config.consumers][1]}
    constants |= {name.upper(): size for name, size in config._asdict().items()}
    numbers = dict.fromkeys(("sums", "sames"), "*fp32")
    types = dict.fromkeys(BY_ROWS, tiles(config.rows))
    types |= dict.fromkeys(BY_COLUMNS, tiles(config.columns)) | numbers | {"scale": "fp32"}
    types |= dict.fromkeys(("queries", "keys", "group"), "i32")
    types |= dict.fromkeys(constants, "constexpr")
    types = {name: types[name] for name in kernel.arg_names}
    aligned = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(types) if name in numbers}
    return GluonASTSource(kernel, types, constants, aligned)


def compiled(name: str, width: int, causal: bool, dtype: str = "bf16") -> Code:
    options = {"num_warps": 4, "maxnreg": REGISTERS[KERNELS[name][1][width].consumers][0]}
    made = source(name, width, causal, dtype)
    kernel = triton.compile(made, GPUTarget("cuda", 90, 32), options)
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
        hot=hot(sass),
        products=sass.count("HGMMA"),
        loads=sass.count("UTMALDG"),
        stores=sass.count("UTMASTG"),
        regrouped=tuple(int(n, 16) for n in re.findall(r"USETMAXREG\S*[^;]*?(0x\w+)", sass)),
        turns=turns(sass),
        waits="".join(re.findall(WAIT, sass)),
        bare=bare(sass),
        under=under(sass),
        registered=len(re.findall(r"HGMMA\S* R\d+, R\d+", sass)),
    )


def turns(sass: str) -> tuple[tuple[int, int], ...]:
    """Wherever the wait for all products but one is: what comes before it and after it.

    Before: products, back to the wait before. After: powers of 2, up to the next wait.
    """
    pieces = re.split(WAIT, sass)
    return tuple(
        (pieces[i - 1].count("HGMMA"), pieces[i + 1].count("MUFU.EX2"))
        for i in range(1, len(pieces), 2)
        if pieces[i] == "1"
    )


def under(sass: str) -> tuple[tuple[int, int], ...]:
    """From the wait for all products but one up to the next: numbers that go from thread to thread,
    and pairs that are rounded."""
    pieces = re.split(WAIT, sass)
    return tuple(
        (pieces[i + 1].count("SHFL"), pieces[i + 1].count("F2FP"))
        for i in range(1, len(pieces), 2)
        if pieces[i] == "1"
    )


def bare(sass: str) -> int:
    """Powers of 2 between a wait for all products and the start of the next."""
    pieces = re.split(WAIT, sass)
    after_all = [pieces[0], *(pieces[i + 1] for i in range(1, len(pieces), 2) if pieces[i] == "0")]
    return sum(piece.split("HGMMA")[0].count("MUFU.EX2") for piece in after_all)


def tool(name: str, *args: str) -> str:
    run = subprocess.run([TOOLS / name, *args], capture_output=True, text=True, check=True)
    return run.stdout


def number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, f"no {pattern} in {text}"
    return int(found[1])


if __name__ == "__main__":
    print(f"Triton {triton.__version__}, sm_90\n")
    print("| kernel | width | mask | dtype |", " | ".join(Code._fields), "|")
    print("| --- " * (4 + len(Code._fields)) + "|")
    for name, width, causal, dtype in product(KERNELS, CONFIGS, (False, True), DTYPES):
        code = compiled(name, width, causal, dtype)
        mask = "causal" if causal else "none"
        print("|", " | ".join(map(str, (name, width, mask, dtype, *code))), "|", flush=True)
