"""What npm brings for these tests alone."""

from pathlib import Path

import pytest

MODULES = Path(__file__).parents[2] / "node_modules"


def judge(file: str) -> Path:
    path = MODULES / file
    if not path.exists():
        pytest.fail(f"there is no node_modules/{file}: run `make .venv/.judges`", pytrace=False)
    return path
