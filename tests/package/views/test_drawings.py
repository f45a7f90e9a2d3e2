"""Every letter of what graphs, tables and masks draw, as it was when someone last looked at it.

`pytest --update-docs tests/package/views/test_drawings.py` draws them anew: look at them too.
"""

from pathlib import Path

import pytest
import torch

from attention import AttentionGraph, AttentionTable, Causal, Padding, SlidingWindow

FOLDER = Path(__file__).parent / "drawings"
CAUSAL = torch.tensor([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.2, 0.3, 0.5]])
HEADS = torch.stack([CAUSAL, CAUSAL.flip(-1), torch.full((3, 3), 1 / 3)])
IDLE = torch.tensor([[0.0, 0.0], [0.004, 0.996]])
CROSS = torch.tensor([[0.7, 0.1, 0.2], [0.0, 0.5, 0.5]])
MANY = torch.softmax(torch.arange(49.0).reshape(7, 7).sin() * 3, dim=-1)
WIDE = ["the", "開関", "e\u0301"]
LONG = ["a", "cafe\u0301 au lait", "floccinaucinihilipilification"]
PAIRS = torch.tensor([[[1.0, 0.0], [0.0, 1.0]], [[0.9, 0.1], [0.1, 0.9]]])

DRAWN = {
    "one.svg": lambda: AttentionGraph(torch.ones(1, 1), ["<a>"]).markup(),
    "two.svg": lambda: AttentionGraph(IDLE, ["a", "b"]).markup(),
    "causal.svg": lambda: AttentionGraph(CAUSAL, WIDE).markup(),
    "heads.svg": lambda: AttentionGraph(HEADS, WIDE).markup(),
    "many.svg": lambda: AttentionGraph(MANY, list("abcdefg"), at_least=0.1).markup(),
    "long.svg": lambda: AttentionGraph(CAUSAL, LONG).markup(),
    "left-out.svg": lambda: AttentionGraph(PAIRS, ["a", "b"], at_least=0.2).markup(),
    "cross.svg": lambda: AttentionGraph(CROSS, WIDE, ["a much longer word", "&"]).markup(),
    "one.html": lambda: AttentionTable(torch.ones(1, 1), ["<a>"]).markup(),
    "causal.html": lambda: AttentionTable(CAUSAL, WIDE).markup(),
    "heads.html": lambda: AttentionTable(HEADS, WIDE).markup(),
    "many.html": lambda: AttentionTable(MANY, list("abcdefg")).markup(),
    "cross.html": lambda: AttentionTable(CROSS, WIDE, ["x", "&"]).markup(),
    "causal.txt": lambda: repr(AttentionTable(CAUSAL, WIDE)) + "\n",
    "heads.txt": lambda: repr(AttentionTable(HEADS, WIDE)) + "\n",
    "heads-graph.txt": lambda: repr(AttentionGraph(HEADS, WIDE)) + "\n",
    "many-graph.txt": lambda: repr(AttentionGraph(MANY, list("abcdefg"), strongest=1)) + "\n",
    "window.svg": lambda: (Causal() & SlidingWindow(2)).svg(3, 5),
    "padding.svg": lambda: Padding(torch.tensor([1, 3])).svg(2, 3),
}


@pytest.mark.parametrize("name", DRAWN)
def test_is_drawn_to_the_letter(name: str, request: pytest.FixtureRequest) -> None:
    drawn, kept = DRAWN[name](), FOLDER / name
    if request.config.getoption("--update-docs"):
        FOLDER.mkdir(exist_ok=True)
        kept.write_text(drawn, "utf-8")
    assert drawn == kept.read_text("utf-8")
