"""What a docstring computes within a sentence is so, and nothing that is nearly it."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from docstrings import Formula, docstrings, formulas, inline
from torch import Tensor

from attention import (
    ALiBi,
    AttentionGraph,
    Causal,
    Mask,
    MultiHeadAttention,
    RollingKVCache,
    Rotary,
    SlidingWindow,
    checks,
    dot_product_attention,
)
from attention.affine import affine
from attention.positions.alibi import slopes
from attention.positions.tables import frequencies

from .docstring_formulas import holds, neighbours, refused

Case = tuple[str, *tuple[dict[str, Any], ...]]  # what the formula is of, and values of its names
T, S = 4, 7
CPU = torch.device("cpu")


def biased() -> Case:
    x, weight, bias = torch.randn(4, 3), torch.randn(5, 3), torch.randn(5)
    return "affine", {"affine": affine(x, weight, bias), "x": x, "W": weight, "b": bias}


def held() -> Case:
    """How many keys a rolling cache gives to queries, before it is full and after."""
    return "shape", after(2), after(10)


def after(length: int) -> dict[str, Any]:
    cache = RollingKVCache(window=6)
    cache.update(*torch.randn(2, 1, length, 3))
    key, _ = cache.update(*torch.randn(2, 1, T, 3))
    shape = (..., T, key.shape[-2])
    return {"shape": shape, "T": T, "length": length, "window": 6, "min": min}


def groups() -> Case:
    """Which key head each query head reads: each has its own number as its value."""
    values = torch.arange(2.0)[:, None, None]
    context = dot_product_attention(torch.zeros(6, 1, 1), torch.zeros(2, 1, 1), values)
    return "read[h]", {"read": context.flatten(), "h": range(6), "H": 6, "K": 2}


def default_scale() -> Case:
    """By what a score is multiplied: of scores 1 and 0, the logarithm of the weights' ratio."""
    query, key = torch.tensor([[1.0, 0, 0, 0, 0, 0]]).double(), torch.eye(2, 6).double()
    _, weights = dot_product_attention(query, key, key, return_weights=True)
    return "scale", {"scale": (weights[0, 0] / weights[0, 1]).log(), "D": 6}


def divided() -> Case:
    """What the equal weights that dropout leaves are divided by."""
    query = torch.zeros(64, 1).double()
    _, weights = dot_product_attention(query, query, query, dropout_p=0.25, return_weights=True)
    return "divisor", {"divisor": 1 / 64 / weights.max(), "dropout_p": 0.25}


def nodes() -> Case:
    tokens = [str(at) for at in range(S)]
    graph = AttentionGraph(torch.full((T, S), 1 / S), tokens, tokens[:T]).to_networkx()
    node = sorted(each for each, side in graph.nodes(data="bipartite") if side == 1)
    return "node[i]", {"node": node, "S": S, "i": range(T)}


def positions() -> Case:
    """Where a mask is told that its queries stand."""
    told: list[Tensor] = []

    class Listening(Mask):
        def __call__(self, batch: Any, head: Any, query: Any, key: Any) -> Any:
            told.append(query)
            return query >= key

    Listening().to_tensor(T, S)
    return "position[i]", {"position": told[-1].flatten(), "T": T, "S": S, "i": range(T)}


def alone() -> Case:
    return "seen", {"seen": SlidingWindow(4).to_tensor(9, 9)[4].sum(), "width": 4}


def beside() -> Case:
    """How many keys a query sees beside its own."""
    mask = Causal() & SlidingWindow(4)
    return "seen", {"seen": mask.to_tensor(9, 9)[8, :8].sum(), "width": 4}


SIZES = {"embed_dim": 12, "H": 6, "K": 2, "D": 5}
GROUPED = MultiHeadAttention(12, 6, num_kv_heads=2, head_dim=5)
PLAIN = MultiHeadAttention(12, 4)


def shape(weight: Tensor) -> Case:
    return "shape", SIZES | {"shape": tuple(weight.shape)}


def head_dim(width: int) -> Case:
    return "width", {"width": width, "embed_dim": 12, "num_heads": 4}


def far() -> Case:
    """By what the bias of the last query differs from that of the first key."""
    bias = ALiBi().bias(torch.zeros(2, 1, 3), S)
    rise = bias - bias[..., :1]
    return "rise[h, 0, j]", {"rise": rise, "slope": slopes(2), "h": range(2), "j": range(S)}


def partners(layout: Any) -> list[int]:
    """With which of six numbers each one turns."""
    turned = Rotary(layout=layout).rotate(torch.eye(6), torch.ones(6, dtype=torch.long))
    return (turned - turned.diagonal().diag()).abs().argmax(dim=-1).tolist()


def partner(left: str, layout: str) -> Case:
    return left, {"partner": partners(layout), "width": 6, "i": range(3)}


def angle() -> Case:
    """By how much three pairs turn at three positions, below half a turn each."""
    unit, at = torch.eye(6).double(), [torch.full((6,), p) for p in range(3)]
    turned = torch.stack([Rotary(base=50.0).rotate(unit, p) for p in at])
    angles = turned[:, range(3), range(3)].arccos()
    return "", {"angle": angles, "base": 50.0, "width": 6, "p": range(3), "i": range(3)}


def half() -> Case:
    return "shape", {"shape": tuple(Rotary().frequencies(6, CPU).shape), "width": 6}


def turn() -> Case:
    """How many positions the slowest wave takes for one turn."""
    slowest = frequencies(6, 50.0, CPU)[-1]
    return "positions", {"positions": 2 * math.pi / slowest, "base": 50.0, "width": 6}


FUNCTION, MODULE = "functional.dot_product_attention", "multi_head.MultiHeadAttention"
WINDOW, ROTARY = "masks.window.SlidingWindow", "positions.rotary.Rotary"
# A piece of a sentence with its formula.
CASES: dict[tuple[str, str], Callable[[], Case]] = {
    ("affine.affine", "`x W.T + b`, as `torch.nn.functional.linear` computes it"): biased,
    (
        "cache.rolling.RollingKVCache",
        "over the keys that are held and those that come, `(…, T, min(length, window − 1) + T)`",
    ): held,
    ("checks.numbers.scale", "`1 / sqrt(head_dim)`"): lambda: (
        "scale",
        {"scale": checks.scale(None, 6), "head_dim": 6},
    ),
    (FUNCTION, "query head `h` reads key head `h // (H // K)`"): groups,
    (FUNCTION, "scale: What multiplies the scores, without unit; `1 / sqrt(D)` if not given"): (
        default_scale
    ),
    (FUNCTION, "the others are divided by `1 − dropout_p`"): divided,
    ("graph.AttentionGraph.to_networkx", "query `i` is node `S + i`"): nodes,
    ("masks.base.Mask", "query `i` stands at position `i + S − T`"): positions,
    (WINDOW, "and the window alone to `2 · width − 1`"): alone,
    (WINDOW, "how many there are *beside* its own, `width − 1`"): beside,
    (MODULE, "`in_proj_weight`, with `K` key heads of shape `((H + 2K) · D, embed_dim)`"): lambda: (
        shape(GROUPED.in_proj_weight)
    ),
    (MODULE, "finds `out_proj` alone, whose weight has shape `(embed_dim, H · D)`"): lambda: shape(
        GROUPED.out_proj.weight
    ),
    (MODULE, "head_dim: `D`; `embed_dim / num_heads` if not given"): lambda: head_dim(
        PLAIN.head_dim
    ),
    (MODULE, "scale: What multiplies the scores, without unit; `1 / sqrt(D)` if not given"): (
        lambda: ("scale", {"scale": GROUPED.scale, "D": 5})
    ),
    (f"{MODULE}.to_torch", "of another width than `embed_dim / num_heads`"): lambda: head_dim(
        PLAIN.to_torch().head_dim
    ),
    ("positions.alibi.ALiBi", "Some code adds `slope[h] · j` instead"): far,
    (ROTARY, "With `angle[p, i] = p · base^(−2i / width)`, at position `p`"): angle,
    (ROTARY, "in halves, `i` and `i + width / 2`"): lambda: partner("partner[i]", "half"),
    (ROTARY, "interleaved, `2i` and `2i + 1`"): lambda: partner("partner[2i]", "interleaved"),
    (f"{ROTARY}.frequencies", "`(width / 2,)`"): half,
    (
        "positions.sinusoidal.sinusoidal",
        "The slowest wave takes `2 pi · base^(1 − 2 / width)` positions for one turn",
    ): turn,
}
# Of these each says how something is done within, what another library does, or is code.
WITHIN = {
    ("backends.triton.backward", "2^(score − log-sum-exp)"),
    ("backends.triton.backward.of_queries", "grad · context"),
    ("backends.triton.tiles", "p = i + keys − queries"),
    ("blocks.rectangles.triangle", "r + 1"),
    ("blocks.rectangles.triangle", "LONG / n"),
    ("heads", "h // group size"),
    ("loading.from_llama", "1 + weight"),
    ("positions.base.Positions.place", "past + 1"),
    ("positions.sinusoidal.sinusoidal", "torch.arange(T) - mask.first(T)[:, None]"),
}
SAID = docstrings()


def test_none_is_left_out() -> None:
    found = sorted((name, text) for name, words in SAID.items() for text in inline(words))
    assert found == sorted([*WITHIN, *((name, inline(piece)[0]) for name, piece in CASES)])


@pytest.mark.parametrize(("name", "piece"), CASES)
def test_sentence(name: str, piece: str) -> None:
    assert " ".join(SAID[name].split()).count(piece) == 1
    (text,) = inline(piece)
    left, *cases = CASES[name, piece]()
    formula = Formula(left, "=", text) if left else formulas(text)[0]
    assert all(holds(formula, given) for given in cases)
    for near in neighbours(formula, cases[0]):
        assert any(refused(near, given) for given in cases), f"{near} holds too"
