"""What chapter 19 says that torch's causal flag takes, held against the measurement."""

import json
import re

import torch
from pages import ROOT
from torch.nn.functional import scaled_dot_product_attention

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


def test_the_kernel_has_blocks_of_as_many_keys_as_the_page_says() -> None:
    [size] = re.findall(r"and these have (\d+)<!-- source: PyTorch", PAGE.read_text("utf-8"))
    spoiled = []
    for place in (int(size) - 1, int(size)):
        query, key, value = torch.ones(3, 1, 1, 1024, 8)
        value[..., place, :] = torch.nan  # 0 · NaN is NaN: a hidden key shows where it is read
        context = scaled_dot_product_attention(query, key, value, is_causal=True)
        spoiled.append(bool(context[..., 0, :].isnan().any()))
    assert spoiled == [True, False]
