"""The glossary: the order of its terms, its letters, and each definition that can be computed."""

import re

import pytest
import torch
from docstrings import docstrings
from pages import DOCS, says
from torch import nn
from torch.nn import functional as F

from attention import (
    ALiBi,
    AttentionGraph,
    Causal,
    MultiHeadAttention,
    Padding,
    PrefixLM,
    RollingKVCache,
    SlidingWindow,
    dot_product_attention,
)

PAGE = "about/glossary.md"
AXES = {
    "query": ("query heads", "queries", "entries of a query"),
    "key": ("key heads", "keys", "entries of a query"),
    "value": ("key heads", "keys", "entries of a value"),
}


def test_a_size_has_the_letter_that_the_package_gives_it() -> None:
    text = (DOCS / PAGE).read_text("utf-8")
    sizes = dict(re.findall(r"^\| `([A-Z])` \| ([a-z ]+)", text, re.M))
    said = docstrings()["functional.dot_product_attention"]
    for name, words in AXES.items():
        (shape,) = re.findall(rf"^    {name}: Shape `\(…, (\w), (\w), (\w)\)`", said, re.M)
        assert [sizes[letter].strip() for letter in shape] == [*words]


def test_the_terms_of_the_glossary_stand_in_their_order() -> None:
    glossary = (DOCS / PAGE).read_text("utf-8")
    terms = re.findall(r"^\| \[([^\]]+)\]\(", glossary, re.M)
    assert len(terms) > 100
    assert terms == sorted(terms, key=lambda term: re.sub(r"[`*$\\]", "", term).casefold())


def seen(mask: object, queries: int = 4, keys: int = 4) -> list:
    return mask.to_tensor(queries, keys).squeeze().int().tolist()


def rolled() -> list[float]:
    cache = RollingKVCache(window=2)
    for number in range(4):
        key, _ = cache.update(*torch.full((2, 1, 1, 1), float(number)))
    return key.flatten().tolist()


def entropy(weights: torch.Tensor) -> float:
    return torch.special.entr(weights).sum().item()


torch.manual_seed(0)
X, SCORES = torch.randn(5, 8), torch.tensor([2.0, 1.0, 0.0])
KEEP = torch.tensor([[True, False]])
GRAPH = AttentionGraph(torch.tensor([[0.7, 0.3], [0.1, 0.9]]), ["a", "b"])
ORDER = torch.tensor([3, 1, 0, 4, 2])
NORM, RMS = nn.LayerNorm(8), nn.RMSNorm(8)
SHARED = MultiHeadAttention(8, 4, num_kv_heads=1)
_, ATTENDED = dot_product_attention(X, X, X, return_weights=True)
BIAS = ALiBi().bias(torch.zeros(2, 1, 3), 3)

CASES = {
    "here `True` means attend": dot_product_attention(X[:1], X[:2], X[:2], KEEP).equal(X[:1]),
    "A token attends to itself and to those before it.": seen(Causal(), 2, 2) == [[1, 0], [1, 1]],
    "A token attends only to those near it.": seen(SlidingWindow(2), 4)[0] == [1, 1, 0, 0],
    "The first tokens, to which all may attend.": seen(PrefixLM(2))[0] == [1, 1, 0, 0],
    "What fills short sentences of a batch up to the longest; nobody may attend to it.": (
        seen(Padding(torch.tensor([3])))[3] == [1, 1, 1, 0]
    ),
    "in which the newest token takes the place of the oldest": rolled() == [2, 3],
    "All query heads share one head of keys and values.": SHARED.key_proj.weight.shape == (2, 8),
    "The number that scores are divided by: the hotter, the flatter the weights.": (
        entropy((SCORES / 9).softmax(0)) > entropy((SCORES / 1).softmax(0))
    ),
    "0 where one key has all, largest where all have the same": (
        entropy(torch.eye(3)[0]) == 0
        and entropy(torch.full((3,), 1 / 3)) > entropy(SCORES.softmax(0))
    ),
    "Attention whose scores are divided by the root of the width of a query.": torch.allclose(
        ATTENDED, (X @ X.T / 8**0.5).softmax(-1)
    ),
    "`exp` of each score, divided by the sum: scores become shares.": torch.allclose(
        SCORES.exp() / SCORES.exp().sum(), SCORES.softmax(0)
    ),
    "The logarithm of the sum of `exp` of some scores.": torch.isclose(
        SCORES.logsumexp(0), SCORES.exp().sum().log()
    ),
    "Turns negative numbers into 0, and keeps the others.": (
        F.relu(torch.tensor([-2.0, 3.0])).tolist() == [0, 3]
    ),
    "A token's entries less their mean, divided by their standard deviation": torch.allclose(
        NORM(X), (X - X.mean(-1, True)) / X.std(-1, correction=0, keepdim=True), atol=1e-4
    ),
    "A token's entries divided by the root of the mean of their squares": torch.allclose(
        RMS(X), X / X.square().mean(-1, True).sqrt(), atol=1e-4
    ),
    "Reorder what goes in, and what comes out is reordered in the same way": torch.allclose(
        dot_product_attention(X[ORDER], X[ORDER], X[ORDER]),
        dot_product_attention(X, X, X)[ORDER],
        atol=1e-6,
    ),
    "the sum of the weights that arrive at a node, 1 for each token; and of those that leave it": (
        [sum(e.weight for e in GRAPH.edges(0) if e.query == i) for i in (0, 1)]
        == pytest.approx([1, 1])
    ),
    "the distance times a slope is subtracted from each score, with one slope a head": (
        bool((BIAS[:, 0].diff() > 0).all()) and BIAS[0, 0, 0] != BIAS[1, 0, 0]
    ),
    "divided by both their lengths: 1 where they point the same way": torch.isclose(
        F.cosine_similarity(X[0], 2 * X[0], dim=0), torch.tensor(1.0)
    ),
}


@pytest.mark.parametrize("words", CASES)
def test_a_definition_is_so(words: str) -> None:
    says(PAGE, words, bool(CASES[words]))
