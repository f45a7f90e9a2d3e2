"""The table of chapter 20 that no block computes: what the compilers made of the kernel."""

import json

from pages import ROOT

FOUND = json.loads((ROOT / "benchmarks/gpu_offline.json").read_text("utf-8"))
PAGE = ROOT / "docs/speed/a-gpu-kernel.md"
HEAD = (
    "GPU", "width", "tile", "threads",
    "registers", "spilled", "shared memory", "products", "copies",
)  # fmt: skip


def forward(gpu: str, width: int) -> dict[str, int]:
    return FOUND["kernels"][f"{gpu} float16 {width}"]["forward"]


def table() -> str:
    lines = [[*HEAD], ["---", *["---:"] * (len(HEAD) - 1)]]
    for gpu in ("sm_80", "sm_90"):
        for width in (64, 128, 256):
            row = forward(gpu, width)
            kind = "wgmma" if gpu == "sm_90" else "mma"
            tile = f"{row['rows']} × {row['columns']}"
            memory = f"{row['shared'] // 1024} KiB"
            threads, products = 32 * row["warps"], f"{row[kind]} {kind}"
            made = threads, row["registers"], row["spilled"], memory, products, row["cp.async"]
            lines.append([gpu, str(width), tile, *map(str, made)])
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    versions = f"triton {FOUND['versions']['triton']}"
    return f"{text}\n\n<!-- source: benchmarks/gpu_offline.py: float16, {versions} -->"


def test_the_table_is_what_the_compilers_said() -> None:
    assert table() in PAGE.read_text("utf-8")


def test_what_the_page_says_of_the_table_holds() -> None:
    for name, kernels in FOUND["kernels"].items():
        spilling = {kernel for kernel, row in kernels.items() if row["spilled"]}
        assert spilling <= ({"of_keys"} if name.startswith("sm_90") else set()), name
        assert all(row["hot"] == 0 for row in kernels.values()), name
        assert all(row["registers"] <= 255 for row in kernels.values()), name
    assert all(forward("sm_90", width)["mma"] == 0 for width in (64, 128, 256))
    assert forward("sm_80", 64)["registers"] == 255
    shared = [forward(gpu, w)["shared"] for gpu in ("sm_80", "sm_90") for w in (64, 128, 256)]
    assert all(size % 1024 == 0 for size in shared)
