"""What is true of attention whatever the numbers."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import Causal, dot_product_attention

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**31 - 1)
backends = st.sampled_from(["loops", "eager"])


def draw(seed: int, queries: int, keys: int):
    generator = torch.Generator().manual_seed(seed)
    shapes = (queries, 4), (keys, 4), (keys, 3)
    return [torch.randn(2, *shape, generator=generator, dtype=torch.float64) for shape in shapes]


@settings(deadline=None, max_examples=40)
@given(seeds, sizes, sizes, backends)
def test_rows_are_shares(seed: int, queries: int, keys: int, backend: str) -> None:
    query, key, value = draw(seed, queries, keys)
    context, weights = dot_product_attention(
        query, key, value, return_weights=True, backend=backend
    )
    assert (weights >= 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
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


@settings(deadline=None, max_examples=40)
@given(seeds, st.integers(2, 7), backends)
def test_causal_attention_cannot_see_the_future(seed: int, tokens: int, backend: str) -> None:
    """Change token `at` in place: not one bit before it moves."""
    query, key, value = draw(seed, tokens, tokens)
    at = seed % (tokens - 1) + 1
    before = dot_product_attention(query, key, value, Causal(), backend=backend)
    for tensor in (query, key, value):
        tensor[:, at:] += 100.0
    after = dot_product_attention(query, key, value, Causal(), backend=backend)
    assert torch.equal(after[:, :at], before[:, :at])
    assert not torch.equal(after[:, at:], before[:, at:])


@settings(deadline=None, max_examples=40)
@given(seeds, sizes, sizes)
def test_causal_is_aligned_at_the_end(seed: int, queries: int, keys: int) -> None:
    """The last queries of a full run are what a run with those queries alone gives."""
    query, key, value = draw(seed, max(queries, keys), keys)
    if queries > keys:
        return
    full = dot_product_attention(query[:, :keys], key, value, Causal())
    last = dot_product_attention(query[:, keys - queries : keys], key, value, Causal())
    torch.testing.assert_close(last, full[:, keys - queries :])
