"""Where PyTorch without CUDA comes from: one address, wherever it is named."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CPU = "https://download.pytorch.org/whl/cpu"
PLACES = ["README.md", "docs/reference/recipes.md", ".github/workflows/tests.yml"]
PLACES += [".github/workflows/pages.yml"]


@pytest.mark.parametrize("place", PLACES)
def test_the_address_is_the_same_everywhere(place: str) -> None:
    text = (ROOT / place).read_text("utf-8")
    assert {*re.findall(r"https://download[^\s`']+", text)} == {CPU}
