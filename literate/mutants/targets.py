"""What can be changed: the package, its GPU kernels, or the machinery of the book; on which tests.

This folder is no target: the driver would hear of its own faults from itself.
"""

from pathlib import Path
from typing import NamedTuple

from literate.mutants import record


class Target(NamedTuple):
    name: str
    folder: str
    left_out: set[str]  # folders and files that are changed only if they are named
    record: Path
    tests: list[str]
    options: list[str]
    late: list[str]  # what tests load late: once for all, not in each copy of the process
    each: bool = False  # whether all tests that reach a mutant run, or until one notices it
    seconds: float = 60.0  # of tests for one mutant

    @property
    def package(self) -> str:
        return self.folder.replace("/", ".")

    def sources(self) -> list[Path]:
        every = Path(self.folder).rglob("*.py")
        return sorted(path for path in every if not self.left_out & {*path.parts})


PACKAGE = Target(
    "attention",
    "attention",
    {"triton"},  # GPU kernels take long on an interpreter: they are a target of their own
    record.TESTS,
    ["attention", "tests/package"],
    [
        # They ask another process, which sees the files as they are.
        "--deselect=tests/package/test_wheel.py",
        "--deselect=tests/package/test_import.py",
        "--deselect=tests/package/kernels/test_triton_offline.py",
    ],
    ["torch._dynamo", "matplotlib.pyplot", "transformers.models.llama.modeling_llama"],
)
PAGES = PACKAGE._replace(
    record=record.PAGES,
    tests=["README.md", "docs", "attention"],  # the reference is made of the package's examples
    options=[],
    each=True,
    seconds=300.0,
)
KERNELS = Target(
    "kernels",
    "attention/backends/triton",
    # No interpreter; tests/gluon plants faults of its own.
    {
        f"hopper{part}.py"
        for part in ("", "_backward", "_kernel", "_keys", "_launch", "_pieces", "_queries")
    },
    record.KERNELS,
    [
        f"tests/package/kernels/test_triton_{name}.py"
        for name in ("borders", "edges", "forward", "launch", "rules", "wide")
    ],
    [],
    [],
)
LITERATE = Target(
    "literate",
    "literate",
    {"mutants", "chromium.py"},  # what the flags of a browser do, the slow tests see
    record.LITERATE,
    [
        *("tests/literate", "tests/supply/test_sources.py", "tests/site/named/test_names.py"),
        *(f"tests/site/built/test_{name}.py" for name in ("social", "printing")),
    ],
    [
        *("-m", "not slow"),  # which repeat what others ran
        # They ask another process, or read what is committed rather than what the code does.
        "--deselect=tests/literate/mutants/test_mutants_record.py",
        "--deselect=tests/literate/mutants/test_mutants.py::test_every_mutant_of_a_small_package",
        "--deselect=tests/literate/running/test_figures.py::test_a_new_process_draws_the_same",
    ],
    ["matplotlib.pyplot", "matplotlib.backends.backend_svg"],
)
