"""The machine code of the kernels for Hopper, on a machine without a GPU."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from attention.backends.triton.hopper import CONFIGS
from attention.backends.triton.hopper_backward import OF_KEYS, OF_QUERIES
from attention.backends.triton.hopper_launch import REGISTERS

# In a process of its own: in this one Triton interprets.
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from compiled import compiled
code = compiled(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "True", sys.argv[5])
print(json.dumps(code._asdict()))
"""


@pytest.fixture(params=["bf16", pytest.param("fp16", marks=pytest.mark.slow)])
def dtype(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["all", "causal"])
def causal(request):
    return request.param


def compiled(name: str, width: int, causal: bool, dtype: str) -> SimpleNamespace:
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", SCRIPT, here, name, str(width), str(causal), dtype]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return SimpleNamespace(**json.loads(run.stdout))


def fits(code: SimpleNamespace, consumers: int, shared: int) -> None:
    """Shared memory and registers suffice; beside tiles and numbers there are barriers alone."""
    first, later = REGISTERS[consumers]
    assert 32 * 4 * (consumers * later + 24) <= 32 * 4 * (consumers + 1) * first <= 65_536
    assert shared < code.shared < shared + 1024
    assert code.shared <= 227 * 1024
    assert (code.registers, code.hot) == (first, 0)
    assert {24, later} <= set(code.regrouped)
    assert code.loads > 0


def spills(code: SimpleNamespace) -> tuple[int, int]:
    return code.stack, code.spills


@pytest.mark.parametrize("width", CONFIGS)
def test_softmax_runs_under_a_product(width, causal, dtype):
    consumers, rows, columns, stages = CONFIGS[width]
    code = compiled("hopper", width, causal, dtype)
    fits(code, consumers, 2 * width * (consumers * rows + 2 * stages * columns))
    assert spills(code) == (0, 0)
    assert code.stores == consumers  # a tile of context from each
    loops = 2 if causal else 1  # over masked tiles, and over the others
    scores, context = width // 16, columns // 16  # products of depth 16
    assert code.products == consumers * (1 + loops) * (scores + context)
    # In each loop of each consumer: both products begun, then the whole softmax before the end of
    # the second. A thread has 1 / 128 of the shares, and the factors of two rows. Under no product:
    # the softmax of the first tile.
    powers = rows * columns // 128 + 2
    assert code.turns == [[scores + context, powers]] * consumers * loops
    assert code.bare == consumers * powers
    # Of each of two rows the largest score, of four threads; sums stay with the thread. Two by two
    # the shares are rounded there too, where they are rounded early.
    early, loaded = consumers == 2 and causal, consumers == 2 and not causal
    assert code.under == [[4, rows * columns // 256 if early else 0]] * consumers * loops
    assert code.registered == consumers * (1 + loops) * (context + scores * loaded)


@pytest.mark.parametrize("width", OF_QUERIES)
def test_for_queries_weights_are_computed_under_a_product(width, causal, dtype):
    consumers, rows, columns, stages = OF_QUERIES[width]
    code = compiled("of_queries", width, causal, dtype)
    fits(code, consumers, 2 * width * (3 * consumers * rows + 2 * stages * columns))
    assert spills(code) == (0, 0)
    assert code.stores == consumers
    turns = consumers * 2  # two loops, over masked tiles and over the others
    assert code.products == turns * (2 * (width // 16) + columns // 16)
    # Scores and gradients of weights begun; under the latter all weights; the gradient by itself.
    assert code.turns == [[2 * (width // 16), rows * columns // 128]] * turns
    assert code.waits == "100" * turns  # none that the compiler had to add
    assert code.bare == 0


@pytest.mark.parametrize("width", OF_KEYS)
def test_for_keys_some_product_is_always_under_way(width, causal, dtype):
    consumers, rows, columns, stages = OF_KEYS[width]
    code = compiled("of_keys", width, causal, dtype)
    fits(code, consumers, 2 * width * 2 * (consumers * columns + stages * rows) + 8 * stages * rows)
    # Three consumers: numbers that no loop needs lie in slow memory while the loops run.
    assert spills(code) <= ((24, 14) if consumers == 3 else (0, 0))
    assert code.stores == 2 * consumers  # of keys and of values
    turns = consumers * (2 if causal else 1)
    assert code.products == turns * 2 * (width // 16 + rows // 16)
    # After two of the three waits of a turn a product goes on. In the first turn of one consumer
    # ptxas also waits for the scores alone, before it begins the gradients of the weights; they
    # are still under way while the weights are computed.
    assert re.fullmatch("0?(110)+", code.waits)
    assert code.waits.count("110") == turns
    assert code.bare == 0
