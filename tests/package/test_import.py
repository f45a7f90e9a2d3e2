"""What it costs to import the package, beside torch."""

import subprocess
import sys

import pytest

# In processes of their own, which beartype does not reach.
pytestmark = pytest.mark.untyped
SCRIPT = """
import sys, time, torch
start = time.process_time()
import attention
cost = time.process_time() - start
print(cost, *(name for name in ("networkx", "matplotlib", "triton") if name in sys.modules))
"""


def test_importing_costs_torch_and_little_more() -> None:
    """At most 50 ms of the processor in one of three tries; and no drawing library."""
    costs = []
    for _ in range(3):
        command = [sys.executable, "-c", SCRIPT]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        cost, *imported = ran.stdout.split()
        assert not imported
        costs.append(float(cost))
        if min(costs) < 0.05:
            return
    raise AssertionError(f"importing took {costs} seconds")
