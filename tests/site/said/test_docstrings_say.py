"""Sentences of the reference that would mislead if they said the opposite: each is so.

What an example beside them shows is left out here: a false sentence would stand above its refusal.
"""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from docstrings import docstrings
from torch import Tensor, nn

from attention import (
    AttentionGraph,
    AttentionTable,
    Causal,
    Documents,
    KVCache,
    Mask,
    MultiHeadAttention,
    Padding,
    Positions,
    PrefixLM,
    RollingKVCache,
    Rotary,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)

SAID = {name: " ".join(words.split()) for name, words in docstrings().items()}
NAN, INF = float("nan"), float("inf")
Q, K, V = torch.randn(3, 1, 4, 8, generator=torch.Generator().manual_seed(0)).double()
FUNCTION, MODULE = "functional.dot_product_attention", "multi_head.MultiHeadAttention"
Case = tuple[str, str]
CASES: dict[Case, Callable[[], Any]] = {}


def says(name: str, *words: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """These words of a docstring hold where the function below them gives `True`."""

    def kept(holds: Callable[[], Any]) -> Callable[[], Any]:
        CASES.update({(name, each): holds for each in words})
        return holds

    return kept


def weights(mask: Any = None, **more: Any) -> Tensor:
    return dot_product_attention(Q, K, V, mask, return_weights=True, **more)[1]


def table(mask: Mask, queries: int = 4, keys: int = 4) -> list:
    return mask.to_tensor(queries, keys).squeeze().int().tolist()


def fails(call: Callable[[], Any]) -> bool:
    try:
        call()
    except (ValueError, RuntimeError):
        return True
    return False


def filled(cache: Any, *numbers: int) -> Any:
    for number in numbers:
        cache.update(*torch.full((2, 1, 1, 1), float(number)))
    return cache


@says(FUNCTION, "`True` means *attend*")
def _() -> bool:
    keep = torch.tensor([[True, False, False, False]]).expand(4, 4)
    return bool((weights(keep)[..., 0] == 1).all())


@says(FUNCTION, "A query that may attend to nothing gets a context of zeros, weights of zero")
def _() -> bool:
    both = dot_product_attention(Q, K, V, torch.zeros(4, 4).bool(), return_weights=True)
    return not any(part.any() for part in both)


@says(FUNCTION, "Keys and values that no query may attend to can hold anything.")
def _() -> bool:
    value = V.clone()
    value[:, 0] = NAN
    hidden = torch.tensor([[False, True, True, True]]).expand(4, 4)
    return bool(dot_product_attention(Q, K, value, hidden).isfinite().all())


@says(FUNCTION, "NaN in what a query sees makes its context NaN")
def _() -> bool:
    value = V.clone()
    value[:, 0] = NAN
    return bool(dot_product_attention(Q, K, value).isnan().all())


@says(FUNCTION, "−∞ masks")
def _() -> bool:
    bias = torch.zeros(4, 4).double()
    bias[:, 0] = -INF
    return not weights(bias=bias)[..., 0].any()


@says(FUNCTION, "The largest score in size, before the bias")
def _() -> bool:
    bias = torch.zeros(4, 4).double()
    bias[:, 0] = 9
    capped = weights(softcap=2.0, scale=1e6).log()
    raised = weights(softcap=2.0, scale=1e6, bias=bias).log()
    far = (capped[..., 1:] - capped[..., :1]).abs().max()
    shift = (raised - raised[..., 1:2] - capped + capped[..., 1:2])[..., 0]
    return bool(3.9 < far <= 4.0001) and bool((shift - 9).abs().max() < 1e-6)


@says(FUNCTION, "Unlike a module's, it is always on", "those that were used, after dropout")
@says("self_attention.SelfAttention", "Dropout is on the weights, and only in training.")
def _() -> bool:
    module, x = SelfAttention(8, dropout=0.5).double(), torch.randn(1, 9, 8).double()
    training, still = (f(x, return_weights=True)[1] for f in (module, copy.deepcopy(module).eval()))
    dropped = weights(dropout_p=0.5)
    return bool((dropped == 0).any() and (training == 0).any() and not (still == 0).any())


@says(FUNCTION, "To differentiate twice, name `tiled`, `eager` or `loops`.")
def _() -> bool:
    def twice(backend: Any) -> None:
        x = Q.clone().requires_grad_()
        out = dot_product_attention(x, K, V, backend=backend).sum()
        (once,) = torch.autograd.grad(out, x, create_graph=True)
        torch.autograd.grad(once.sum(), x)

    return fails(lambda: twice("fused")) and not any(
        fails(lambda name=name: twice(name)) for name in ("tiled", "eager", "loops")
    )


class Told(Positions):
    """Keeps what it is told."""

    def place(self, query: Tensor, key: Tensor, past: int, first: Any = 0) -> tuple[Tensor, Tensor]:
        self.query, self.first = query, first
        return query, key


@says(MODULE, "They count from the first token that padding on the left leaves.")
@says("masks.base.Mask.first", "at 0, or after padding on the left")
def _() -> bool:
    told = Told()
    module = MultiHeadAttention(8, 2, positions=told)
    module(torch.randn(2, 5, 8), mask=Padding(torch.tensor([3, 5]), side="left"))
    return told.first.tolist() == [2, 0]


@says(MODULE, "With `qk_norm` each query and key is normalised, and after that `positions`")
def _() -> bool:
    told = Told()
    MultiHeadAttention(8, 2, positions=told, qk_norm=True)(9 * torch.randn(1, 5, 8))
    return bool((told.query.square().mean(dim=-1) - 1).abs().max() < 1e-3)


@says(f"{MODULE}.from_torch", "Torch's boolean masks say whom to ignore, ours whom to attend to")
@says(f"{MODULE}.from_torch", "Its weights are averaged over heads, ours are not.")
def _() -> bool:
    theirs, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(1, 5, 8)
    ignored = ~torch.ones(5, 5).tril().bool()
    out, mean = theirs(x, x, x, attn_mask=ignored)
    ours, each = MultiHeadAttention.from_torch(theirs)(x, mask=~ignored, return_weights=True)
    return torch.allclose(out, ours, atol=1e-6) and torch.allclose(mean, each.mean(dim=1))


@says("masks.base.Mask.span", "It is never too short and may be too long")
def _() -> bool:
    rules = [Causal(), SlidingWindow(2), PrefixLM(2), Causal() & SlidingWindow(3), ~Causal()]
    seen = [(rule.span(3, 5, keys=9), rule.to_tensor(9, 9)[3:6].any(dim=0)) for rule in rules]
    return all(set(keep.nonzero()[:, 0].tolist()) <= {*range(*span)} for span, keep in seen)


@says("masks.base.Mask.full", "False in doubt")
def _() -> bool:
    class Mine(Mask):
        def __call__(self, batch: Any, head: Any, query: Any, key: Any) -> Any:
            return key >= 0

    return Mine().full(0, 1, start=0, stop=2) is False


@says("masks.window.SlidingWindow", "less than `width` away, on either side.")
def _() -> bool:
    return table(SlidingWindow(2)) == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]


PADDING = "masks.padding.Padding"


@says(PADDING, "More than `S` counts as `S`, and less than 0 as 0.")
def _() -> bool:
    return table(Padding(torch.tensor([9, -1])), 1) == [[1, 1, 1, 1], [0, 0, 0, 0]]


@says(PADDING, "The queries that stand on padding attend like the others")
def _() -> bool:
    return table(Padding(torch.tensor([1]), side="left"), 4) == [[0, 0, 0, 1]] * 4


@says("masks.documents.Documents", "A document need not be in one piece.")
def _() -> bool:
    return table(Documents(torch.tensor([[0, 1, 0]])), 1, 3) == [1, 0, 1]


@says("masks.prefix.PrefixLM", "with 0 the mask is causal")
def _() -> bool:
    return table(PrefixLM(0)) == table(Causal())


@says("positions.rotary.Rotary", "How many numbers of each head turn, from the first on")
def _() -> bool:
    x = torch.ones(1, 6)
    turned = Rotary(width=2).rotate(x, torch.tensor([1]))[0]
    return turned[2:].tolist() == [1.0] * 4 and bool((turned[:2] != 1).all())


KV, ROLLING = "cache.growing.KVCache", "cache.rolling.RollingKVCache"


@says(KV, "where there is no more, it doubles", "What is held is detached")
@says(KV, "Whether it stays so, and one position too many is an error.")
def _() -> bool:
    cache = filled(KVCache(capacity=2), 0, 1, 2)
    key = torch.ones(1, 1, 1, requires_grad=True)
    held = KVCache()
    held.update(key, key)
    full = filled(KVCache(capacity=1, fixed=True), 0)
    return cache.capacity == 4 and not held.key.requires_grad and fails(lambda: filled(full, 1))


@says(
    ROLLING, "Once more positions have come than the window holds, `crop` can go back to 0 alone."
)
@says(
    "cache.base.Cache", "How many positions have come so far, also those that are no longer held."
)
def _() -> bool:
    cache = filled(RollingKVCache(window=2), *range(4))
    refused = cache.length == 4 and fails(lambda: cache.crop(3))
    cache.crop(0)
    return refused and cache.length == 0


@says(ROLLING, "A module refuses others, and none.")
def _() -> bool:
    module, x = MultiHeadAttention(8, 2), torch.randn(1, 1, 8)
    masks = [None, Causal(), Causal() & SlidingWindow(3)]
    refused = [fails(lambda m=m: module(x, mask=m, cache=RollingKVCache(2))) for m in masks]
    module(x, mask=Causal() & SlidingWindow(2), cache=RollingKVCache(2))
    return all(refused)


@says("cache.memory.Memory", "it is not detached: gradients reach the module that made it.")
def _() -> bool:
    module = MultiHeadAttention(8, 2)
    module(torch.randn(1, 1, 8), module.remember(torch.randn(1, 5, 8))).sum().backward()
    return bool(module.in_proj_weight.grad[8:].any())


@says("cache.base.Cache.crop", "Forget all positions after the first `length`")
@says("cache.base.Cache", "A copy of a cache has memory of its own.")
def _() -> bool:
    cache = filled(KVCache(capacity=4), 5, 6, 7)
    other = copy.deepcopy(cache)
    cache.crop(1)
    filled(cache, 9)
    return cache.key.flatten().tolist() == [5, 9] and other.key.flatten().tolist() == [5, 6, 7]


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
    assert SAID[name].count(words) == 1, f"{name} does not say once: {words}"
    assert CASES[name, words](), f"{name} says, and it is not so: {words}"
