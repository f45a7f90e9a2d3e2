"""Dropout, alike in every backend, though no two draw the same."""

import pytest
import torch

from attention import Causal, dot_product_attention

BACKENDS = ["loops", "eager", "fused", "auto"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("p", [0.25, 0.75])
def test_dropout_is_on_the_weights(backend: str, p: float, draw) -> None:
    """With the identity as values a context is the weights that were used."""
    torch.manual_seed(0)
    query, key = draw(4, 32, 4), draw(2, 32, 4)
    value = torch.eye(32, dtype=query.dtype, device=query.device).expand(2, 32, 32)
    sure = dot_product_attention(query, key, value, Causal())
    used = dot_product_attention(query, key, value, Causal(), dropout_p=p, backend=backend)
    dropped = (used == 0) & (sure > 0)
    # Of 2112 weights: four standard deviations of the share are less than 0.04.
    assert abs(dropped.sum() / (sure > 0).sum() - p) < 0.04
    torch.testing.assert_close(used[~dropped], sure[~dropped] / (1 - p))
    again = dot_product_attention(query, key, value, Causal(), dropout_p=p, backend=backend)
    assert not torch.equal(used, again)


@pytest.mark.parametrize("backend", ["loops", "eager", "auto"])
def test_weights_are_those_that_were_used(backend: str, draw) -> None:
    query, key, value = draw(3, 8, 4), draw(3, 8, 4), draw(3, 8, 2)
    context, weights = dot_product_attention(
        query, key, value, dropout_p=0.5, return_weights=True, backend=backend
    )
    assert (weights == 0).any()
    torch.testing.assert_close(weights @ value, context)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_empty_row_stays_empty(backend: str, draw) -> None:
    query, key, value = draw(1, 3, 4), draw(1, 2, 4), draw(1, 2, 3)
    context = dot_product_attention(query, key, value, Causal(), dropout_p=0.5, backend=backend)
    (gradient,) = torch.autograd.grad(context.sum(), query)
    assert not context[0, 0].any()
    assert not gradient[0, 0].any()
    assert gradient.isfinite().all()
