"""The machine code of the kernel for Hopper, on a machine without a GPU."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from attention.backends.triton.hopper import CONFIGS, REGISTERS

# In a process of its own: in this one Triton interprets.
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from compiled import compiled
print(json.dumps(compiled(int(sys.argv[2]), sys.argv[3] == "True", sys.argv[4])._asdict()))
"""


def compiled(width: int, causal: bool, dtype: str) -> SimpleNamespace:
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", SCRIPT, here, str(width), str(causal), dtype]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return SimpleNamespace(**json.loads(run.stdout))


@pytest.mark.parametrize("dtype", ["bf16", pytest.param("fp16", marks=pytest.mark.slow)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", CONFIGS)
def test_softmax_runs_under_a_product(width, causal, dtype):
    consumers, rows, columns, stages = CONFIGS[width]
    first, later = REGISTERS[consumers]
    assert 32 * 4 * (consumers * later + 24) <= 32 * 4 * (consumers + 1) * first <= 65_536
    code = compiled(width, causal, dtype)
    tiles = 2 * width * (consumers * rows + 2 * stages * columns)
    assert tiles < code.shared < tiles + 1024
    assert code.shared <= 227 * 1024
    assert (code.registers, code.stack, code.spills) == (first, 0, 0)
    assert {24, later} <= set(code.regrouped)
    assert code.loads > 0
    assert code.stores == consumers  # a tile of context from each
    loops = 2 if causal else 1  # over masked tiles, and over the others
    scores, context = width // 16, columns // 16  # products of depth 16
    assert code.products == consumers * (1 + loops) * (scores + context)
    # In each loop of each consumer: both products begun, then the whole softmax before the end of
    # the second. A thread has 1 / 128 of the shares, and the factors of two rows.
    assert code.turns == [[scores + context, rows * columns // 128 + 2]] * consumers * loops
