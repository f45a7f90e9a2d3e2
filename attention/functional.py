"""Attention as one function of queries, keys and values."""

from typing import Literal, overload

from jaxtyping import Bool, Float
from torch import Tensor

from attention import checks
from attention.backends.eager import eager
from attention.backends.loops import loops
from attention.masks import Mask

Backend = Literal["auto", "loops", "eager"]

# Every backend is the same function, (query, key, value, keep, scale) → (context, weights).
# "auto" takes eager: loops is there to be read.
BACKENDS = {"auto": eager, "eager": eager, "loops": loops}


@overload
def dot_product_attention(
    query: Float[Tensor, "*batch queries head_dim"],
    key: Float[Tensor, "*batch keys head_dim"],
    value: Float[Tensor, "*batch keys value_dim"],
    mask: Mask | Bool[Tensor, "..."] | None = None,
    *,
    scale: float | None = None,
    return_weights: Literal[False] = False,
    backend: Backend = "auto",
) -> Float[Tensor, "*batch queries value_dim"]: ...


@overload
def dot_product_attention(
    query: Float[Tensor, "*batch queries head_dim"],
    key: Float[Tensor, "*batch keys head_dim"],
    value: Float[Tensor, "*batch keys value_dim"],
    mask: Mask | Bool[Tensor, "..."] | None = None,
    *,
    scale: float | None = None,
    return_weights: Literal[True],
    backend: Backend = "auto",
) -> tuple[
    Float[Tensor, "*batch queries value_dim"],
    Float[Tensor, "*batch queries keys"],
]: ...


def dot_product_attention(
    query: Float[Tensor, "*batch queries head_dim"],
    key: Float[Tensor, "*batch keys head_dim"],
    value: Float[Tensor, "*batch keys value_dim"],
    mask: Mask | Bool[Tensor, "..."] | None = None,
    *,
    scale: float | None = None,
    return_weights: bool = False,
    backend: Backend = "auto",
) -> (
    Float[Tensor, "*batch queries value_dim"]
    | tuple[
        Float[Tensor, "*batch queries value_dim"],
        Float[Tensor, "*batch queries keys"],
    ]
):
    """Average the values, each weighted by how well its key answers the query.

    With `T` queries, `S` keys, head width `D` and value width `E`:

        weights[i, j] = softmax over j of  scale · query[i] · key[j]      (T, S)
        context[i]    = sum over j of  weights[i, j] · value[j]           (T, E)

    The axes before the last two are a batch: sentences, heads, or both. They are the same in
    query, key and value, and may be missing. With a batch, `mask` may have the same axes.

    Args:
        query: Shape `(…, T, D)`, the vectors that ask.
        key: Shape `(…, S, D)`, the vectors that are compared with them.
        value: Shape `(…, S, E)`, the vectors that are averaged.
        mask: A [`Mask`][attention.masks.Mask], or a boolean tensor that broadcasts to
            `(…, T, S)`. `True` means *attend*. A query that may attend to nothing gets a
            context of zeros, weights of zero and no gradient. What a query may not attend to
            must still be finite, unless no query of the call may: 0 · NaN is NaN.
        scale: What multiplies the scores, without unit; `1 / sqrt(D)` if not given.
        return_weights: Whether to return the weights beside the context.
        backend: How to compute it: `eager` with two matrix products, `loops` with Python loops,
            `auto` with the fastest that fits. All give the same to within rounding.

    Returns:
        The context, shape `(…, T, E)`; with `return_weights`, a pair of it and the weights,
            shape `(…, T, S)`.

    Raises:
        TypeError: An argument has the wrong type or dtype.
        ValueError: A shape, a device, the scale or the backend does not fit. The message names
            the argument, what was expected and what came.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1, equation 1.

    Examples:
        A query that agrees with the first key takes more of the first value:

        >>> import torch
        >>> from attention import dot_product_attention
        >>> query = torch.tensor([[2.0, 0.0]])
        >>> key = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> value = torch.tensor([[10.0], [20.0]])
        >>> dot_product_attention(query, key, value, scale=1.0, return_weights=True)
        (tensor([[11.1920]]), tensor([[0.8808, 0.1192]]))
    """
    checks.backend(backend, BACKENDS)
    checks.inputs(query, key, value)
    factor = checks.scale(scale, query.shape[-1])
    if isinstance(mask, Mask):
        keep = mask.to_tensor(query.shape[-2], key.shape[-2], device=query.device)
    else:
        checks.mask(mask, query, key)
        keep = mask
    context, weights = BACKENDS[backend](query, key, value, keep, factor)
    return (context, weights) if return_weights else context
