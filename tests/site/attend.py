"""States of the explorer, and what the package finds for them."""

import math
import random
from typing import Any

import torch
from torch.testing import assert_close

from attention import Causal, MultiHeadAttention, SlidingWindow, dot_product_attention

CASES = 320
State = dict[str, Any]


def states() -> list[State]:
    """Random states of all sizes, some with scores in the millions."""
    chance = random.Random(0)

    def matrix(rows: int, columns: int, size: float) -> list[list[float]]:
        return [
            [
                round(chance.uniform(-size, size), 6) * (chance.random() > 0.1)
                for _ in range(columns)
            ]
            for _ in range(rows)
        ]

    found = []
    for _ in range(CASES):
        tokens, width = chance.randint(2, 8), chance.randint(1, 8)
        heads = chance.choice([n for n in range(1, width + 1) if width % n == 0])
        size = chance.choice([0.1, 1, 10, 100])
        found.append({
            "words": chance.choices(["I", "can't", "green ?", "ü", "the&=#"], k=tokens),
            "x": matrix(tokens, width, size),
            "wq": matrix(width, width, size),
            "wk": matrix(width, width, size),
            "wv": matrix(width, heads * chance.randint(1, 8 // heads), size),
            "scale": round(chance.choice([1, 1 / math.sqrt(width), chance.uniform(-2, 2)]), 6),
            "mask": chance.choice(["none", "causal", "window", "both", "beyond"]),
            "window": chance.randint(1, 8),
            "heads": heads,
        })  # fmt: skip
    return found


def rule(state: State) -> Any:
    window = SlidingWindow(state["window"])
    return {
        "none": None,
        "causal": Causal(),
        "window": window,
        "both": Causal() & window,
        "beyond": Causal() & ~window,
    }[state["mask"]]


def heads(a: torch.Tensor, count: int) -> torch.Tensor:
    return torch.stack(a.chunk(count, dim=-1))


def same(state: State, found: State) -> None:
    """What the module found is what the package finds, and torch."""
    x, wq, wk, wv = (
        torch.tensor(state[name], dtype=torch.float64) for name in ("x", "wq", "wk", "wv")
    )
    q, k, v = (heads(x @ w, state["heads"]) for w in (wq, wk, wv))
    mask = rule(state)
    context, weights = dot_product_attention(
        q, k, v, mask, scale=state["scale"], return_weights=True
    )
    got = {
        name: torch.tensor([
            [[-math.inf if score is None else score for score in row] for row in head]
            for head in found[name]
        ], dtype=torch.float64)
        for name in ("weights", "scores")
    }  # fmt: skip
    close = {"rtol": 1e-9, "atol": 1e-9}
    assert_close(got["weights"], weights, **close)
    contexts = torch.tensor(found["contexts"], dtype=torch.float64)
    assert_close(contexts, torch.cat([*context], dim=-1), **close)
    scores = state["scale"] * q @ k.mT
    keep = torch.ones(scores.shape[-2:], dtype=torch.bool)
    if mask is not None:
        keep = mask.to_tensor(*keep.shape)
    assert_close(got["scores"], scores.masked_fill(~keep, -math.inf), **close)
    sees = keep.any(dim=-1)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        q[:, sees], k, v, keep[sees], scale=state["scale"]
    )
    assert_close(contexts[sees], torch.cat([*theirs], dim=-1), **close)
    assert not contexts[~sees].any()
    if wv.shape == wq.shape:
        same_module(state, x, (wq, wk, wv), contexts)


def same_module(
    state: State, x: torch.Tensor, matrices: tuple[torch.Tensor, ...], contexts: torch.Tensor
) -> None:
    width = x.shape[-1]
    attend = MultiHeadAttention(
        width, state["heads"], bias=False, scale=state["scale"], dtype=torch.float64
    )
    parts = (attend.query_proj, attend.key_proj, attend.value_proj, attend.out_proj)
    with torch.no_grad():
        for part, matrix in zip(parts, (*matrices, torch.eye(width)), strict=True):
            part.weight.copy_(matrix.T)
    out, _ = attend(x, mask=rule(state), return_weights=True)
    assert_close(contexts, out.detach(), rtol=1e-9, atol=1e-9)


def digits(state: State, found: State) -> None:
    """What is shown is within half a unit of its last digit."""
    for text, number in found["shown"]:
        if number is None:
            assert text == "−∞"
            continue
        shown = float(text.replace("−", "-"))
        half = 0.5e-4 if abs(number) < 1000 else abs(number) * 0.5e-6
        assert abs(shown - number) <= half * (1 + 1e-6), f"{text} for {number}"
        assert text != "−0.0000"


FOUND = """data.map(state => {
  const found = attend.attend(state)
  const numbers = [found.scores, found.weights, found.contexts].flat(3)
  return { ...found, shown: numbers.map(n => [address.shown(n), n]) }
})"""
