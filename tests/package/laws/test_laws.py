"""What is true of attention whatever the numbers."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import Causal, Documents, Padding, SlidingWindow, dot_product_attention

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**31 - 1)
backends = st.sampled_from(["loops", "eager", "tiled", "fused"])


def draw(seed: int, queries: int, keys: int):
    generator = torch.Generator().manual_seed(seed)
    shapes = (queries, 4), (keys, 4), (keys, 3)
    return [torch.randn(2, *shape, generator=generator, dtype=torch.float64) for shape in shapes]


@settings(deadline=None, max_examples=40)
@given(seeds, sizes, sizes, backends)
def test_rows_are_shares(seed: int, queries: int, keys: int, backend: str) -> None:
    query, key, value = draw(seed, queries, keys)
    keep = torch.rand(queries, keys, generator=torch.Generator().manual_seed(seed)) < 0.5
    if backend in ("loops", "eager"):
        _, weights = dot_product_attention(
            query, key, value, keep, return_weights=True, backend=backend
        )
        assert (weights >= 0).all()
        assert not weights[:, ~keep].any()
        torch.testing.assert_close(weights.sum(-1), keep.any(-1).double().expand(2, -1))
    context = dot_product_attention(query, key, value, backend=backend)
    low, high = value.amin(-2, keepdim=True), value.amax(-2, keepdim=True)
    assert ((context >= low - 1e-12) & (context <= high + 1e-12)).all()


@settings(deadline=None, max_examples=40)
@given(seeds, sizes, sizes, backends)
def test_order_of_keys_does_not_matter(seed: int, queries: int, keys: int, backend: str) -> None:
    query, key, value = draw(seed, queries, keys)
    order = torch.randperm(keys, generator=torch.Generator().manual_seed(seed))
    plain = dot_product_attention(query, key, value, backend=backend)
    shuffled = dot_product_attention(query, key[:, order], value[:, order], backend=backend)
    torch.testing.assert_close(shuffled, plain)


@settings(deadline=None, max_examples=20)
@given(seeds, sizes, sizes, backends)
def test_order_of_queries_is_that_of_outputs(
    seed: int, queries: int, keys: int, backend: str
) -> None:
    query, key, value = draw(seed, queries, keys)
    order = torch.randperm(queries, generator=torch.Generator().manual_seed(seed))
    plain = dot_product_attention(query, key, value, backend=backend)
    shuffled = dot_product_attention(query[:, order], key, value, backend=backend)
    torch.testing.assert_close(shuffled, plain[:, order])


LENGTHS = torch.tensor([5, 2])
IDS = torch.tensor([[0, 0, 1, 1, 1, 1, 2]])
CAUSAL = {
    "causal": Causal(),
    "window": Causal() & SlidingWindow(3),
    "right": Causal() & Padding(LENGTHS),
    "left": Causal() & Padding(LENGTHS, side="left"),
    "documents": Documents(IDS) & Causal(),
    "tensor": Causal().to_tensor(7, 7),
}


@settings(deadline=None, max_examples=60)
@given(seeds, st.integers(1, 6), st.sampled_from(sorted(CAUSAL)), backends)
def test_causal_attention_cannot_see_the_future(
    seed: int, at: int, name: str, backend: str
) -> None:
    """Change what comes from `at` on, in place: not one bit before it moves."""
    query, key, value = (x[:, None] for x in draw(seed, 7, 7))
    before = dot_product_attention(query, key, value, CAUSAL[name], backend=backend)
    for tensor in (query, key, value):
        tensor[..., at:, :] += 100.0
    after = dot_product_attention(query, key, value, CAUSAL[name], backend=backend)
    assert torch.equal(after[..., :at, :], before[..., :at, :])
    assert name in ("right", "left") or not torch.equal(after[..., at:, :], before[..., at:, :])


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(0, 6), st.sampled_from(["right", "left"]), backends)
def test_padding_is_not_heard(seed: int, length: int, side: str, backend: str) -> None:
    """What stands on padding may change, and no context does."""
    query, key, value = (x[:1, None] for x in draw(seed, 7, 7))
    mask = Padding(torch.tensor([length]), side=side)
    before = dot_product_attention(query, key, value, mask, backend=backend)
    padding = slice(length, None) if side == "right" else slice(0, 7 - length)
    for tensor in (key, value):
        tensor[..., padding, :] += 100.0
    after = dot_product_attention(query, key, value, mask, backend=backend)
    assert torch.equal(after, before)


@settings(deadline=None, max_examples=30)
@given(seeds, sizes, sizes, backends)
def test_causal_is_aligned_at_the_end(seed: int, queries: int, keys: int, backend: str) -> None:
    """The last queries of a full run are what a run with those queries alone gives."""
    queries, keys = sorted((queries, keys))
    query, key, value = draw(seed, keys, keys)
    full = dot_product_attention(query, key, value, Causal(), backend=backend)
    last = dot_product_attention(query[:, -queries:], key, value, Causal(), backend=backend)
    torch.testing.assert_close(last, full[:, -queries:])


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(1, 9), st.integers(0, 4))
def test_a_window_is_local_attention(seed: int, width: int, more: int) -> None:
    """Against attention over the last `width` keys, cut out for each query by itself."""
    query, key, value = draw(seed, 5, 5 + more)
    mask = Causal() & SlidingWindow(width)
    windowed = dot_product_attention(query, key, value, mask)
    for i in range(5):
        near = slice(max(0, i + more - width + 1), i + more + 1)
        alone = dot_product_attention(query[:, i : i + 1], key[:, near], value[:, near])
        torch.testing.assert_close(windowed[:, i : i + 1], alone)
