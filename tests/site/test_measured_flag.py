"""What chapter 19 says that torch's causal flag takes, held against the measurement."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/speed/masks-that-save-work.md"


def test_the_page_shows_what_the_flag_took_beside_no_mask() -> None:
    found = re.findall(
        r"([\d.]+)<!-- source: benchmarks/masks.json, is_causal beside no mask, (\d+) tokens -->",
        PAGE.read_text("utf-8"),
    )
    cells = json.loads((ROOT / "benchmarks/masks.json").read_text("utf-8"))["flag"]["cells"]
    assert found == [
        (f"{cell['is_causal']['ratio']:.2f}", length) for length, cell in cells.items()
    ]
