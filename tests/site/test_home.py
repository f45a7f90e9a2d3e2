"""The numbers of the home page that no block computes: they are those that the script wrote."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_view_shows_what_was_measured() -> None:
    measured = json.loads((ROOT / "benchmarks/minilm.json").read_text("utf-8"))["weights"]
    home = (ROOT / "docs/index.md").read_text("utf-8")
    shown = [
        re.findall(r"\d\.\d{4}", row) for row in re.findall(r"^\| \S+ \|.*\d$|^\|.*", home, re.M)
    ]
    assert [row for row in shown if row] == [[f"{w:.4f}" for w in row] for row in measured]
