"""What the docstrings of the graph and the table of weights say."""

import pytest
import torch
from sentences import Cases, is_so, saying

from attention import AttentionGraph, AttentionTable

CASES: Cases = {}
says = saying(CASES)


@says("graph.AttentionGraph", "the queries are the last `T` of them", "the strongest first")
@says("table.AttentionTable", "larger ones have it too")
def _() -> bool:
    row = torch.tensor([[0.2, 0.7, 0.1]])
    first, last = (AttentionGraph(row, ["a", "b", "c"], strongest=n).lines() for n in (1, 3))
    full = AttentionTable(row, ["a", "b", "c"], full=0.2).markup()
    ordered = last == ["c ← b 0.70, a 0.20, c 0.10"] and first == ["c ← b 0.70"]
    return ordered and full.count("--t: 100.00%") == 2


@pytest.mark.parametrize(("name", "words"), CASES)
def test_a_sentence_is_so(name: str, words: str) -> None:
    is_so(name, words, CASES[name, words])
