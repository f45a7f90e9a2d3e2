"""Attention as one function of queries, keys and values."""

from typing import Any, Literal, overload

from jaxtyping import Bool, Float
from torch import Tensor

from attention import autocast, checks
from attention.absent import bounded, sound
from attention.backends.names import AUTO, NAMES, Backend
from attention.dispatch.call import Call
from attention.dispatch.direct import direct
from attention.dispatch.route import route
from attention.masks import Mask
from attention.transforms import traced


@overload
def dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | Tensor | None = None,
    *,
    bias: Tensor | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    dropout_p: float = 0.0,
    return_weights: Literal[False] = False,
    backend: Backend = "auto",
) -> Tensor: ...


@overload
def dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | Tensor | None = None,
    *,
    bias: Tensor | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    dropout_p: float = 0.0,
    return_weights: Literal[True],
    backend: Backend = "auto",
) -> tuple[Tensor, Tensor]: ...


def dot_product_attention(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    mask: Mask | Bool[Tensor, "..."] | None = None,
    *,
    bias: Float[Tensor, "..."] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    dropout_p: float = 0.0,
    return_weights: bool = False,
    backend: Backend = "auto",
) -> (
    Float[Tensor, "*heads queries value_dim"]
    | tuple[Float[Tensor, "*heads queries value_dim"], Float[Tensor, "*heads queries keys"]]
):
    """Average the values, each weighted by how well its key answers the query.

    With `T` queries, `S` keys, head width `D` and value width `E`, in each head:

        scores[i, j]  = scale · query[i] · key[j]                         (T, S)
        scores[i, j]  = softcap · tanh(scores[i, j] / softcap)            if given
        scores[i, j]  = scores[i, j] + bias[i, j]                         if given
        weights[i, j] = softmax over the j that mask allows of scores[i, j]
        context[i]    = sum over j of  weights[i, j] · value[j]           (T, E)

    The axes before the last two are the heads and, before them, a batch; both may be missing.
    With `H` query heads and `K` key heads, query head `h` reads key head `h // (H // K)`.

    Args:
        query: Shape `(…, H, T, D)` or `(T, D)`, the vectors that ask; float64, float32, float16 or
            bfloat16. Key, value and bias have the same dtype; autocast gives them one.
        key: Shape `(…, K, S, D)` or `(S, D)`, the vectors that are compared with them.
        value: Shape `(…, K, S, E)` or `(S, E)`, the vectors that are averaged.
        mask: A [`Mask`][attention.masks.Mask], or a boolean tensor of at least two axes that
            broadcasts to `(…, H, T, S)`; a table of padding, `(batch, S)`, needs
            `[:, None, None]`, and one for each sequence, `(batch, T, S)`, needs `[:, None]`. `True`
            means *attend*. A query that may attend to nothing gets a context of zeros, weights of
            zero and no gradient. Keys and values that no query may attend to can hold anything.
            Those that some query sees must be finite, also for the queries that may not see them:
            0 · NaN is NaN. NaN in what a query sees makes its context NaN; of infinite scores,
            hidden or not, the softmax may be NaN or zeros.
        bias: What is added to the scores; of at least two axes, it broadcasts to `(…, H, T, S)`.
            −∞ masks; what is not masked must be finite.
        scale: What multiplies the scores, without unit; `1 / sqrt(D)` if not given.
        softcap: The largest score in size, before the bias; no limit if not given.
        dropout_p: The share of weights that is made zero at random, at least 0 and below 1;
            the others are divided by `1 − dropout_p`. Unlike a module's, it is always on.
        return_weights: Whether to return the weights beside the context: those that were used,
            after dropout, as `nn.MultiheadAttention` does.
        backend: How to compute it: `fused` with torch's own kernel, `spans` with that kernel on
            the blocks that a mask leaves, `onednn` with the products of oneDNN, `triton` with our
            own kernels for NVIDIA GPUs, `tiled` a tile at a time, `eager` with two matrix products,
            `loops` with Python loops; `auto` chooses among those that can, by what was measured on
            CPUs and, for `triton`, on an H200. All give the same to within rounding. To
            differentiate twice, name `tiled`, `eager` or `loops`.

    Returns:
        The context, shape `(…, H, T, E)`; with `return_weights`, a pair of it and the weights,
            shape `(…, H, T, S)`.

    Raises:
        TypeError: An argument has the wrong type or dtype.
        ValueError: A shape, a device, a number or the backend does not fit. The message names
            the argument, what was expected and what came.
        NotImplementedError: A mask of your own has no `__call__`.
        RuntimeError: Later, where a gradient is differentiated again and the backend cannot.

    Source:
        Vaswani et al., *Attention Is All You Need* (2017), section 3.2.1, equation 1. Heads in
        groups: Ainslie et al., *GQA* (2023), section 2.2. Softcap: Gemma Team, *Gemma 2*
        (2024), section 2.

    Examples:
        A query that agrees with the first key takes more of the first value:

        >>> import torch
        >>> from attention import dot_product_attention
        >>> query = torch.tensor([[2.0, 0.0]])
        >>> key = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> value = torch.tensor([[10.0], [20.0]])
        >>> dot_product_attention(query, key, value, scale=1.0, return_weights=True)
        (tensor([[11.1920]]), tensor([[0.8808, 0.1192]]))

        Where a mask leaves the first key alone, its value; where it leaves none, zeros:

        >>> dot_product_attention(query, key, value, torch.tensor([[True, False]]))
        tensor([[10.]])
        >>> dot_product_attention(query, key, value, torch.tensor([[False, False]]))
        tensor([[0.]])
    """
    values_known = not traced()
    # By identity, since of an array `==` is no truth; another "auto" takes the longer way.
    mask_alone = backend is AUTO and bias is None and softcap is None and return_weights is False
    if values_known and mask_alone and type(dropout_p) is float and not dropout_p:
        context = direct(query, key, value, mask, scale)
        if context is not None:
            return context
    checks.backend(backend, NAMES)
    checks.flag("return_weights", return_weights)
    mixed = autocast.active(query)
    if mixed:
        query, key, value, bias = autocast.lower(query, key, value, bias)
    if not checks.usual(query, key, value, whole=values_known):
        checks.explain(query, key, value)
    scale = checks.scale(scale, query.shape[-1])
    softcap = checks.softcap(softcap)
    dropout_p = checks.dropout("dropout_p", dropout_p)
    if bias is not None:
        checks.bias(bias, query, key.shape[-2])
        checks.one_dtype("bias", bias, "query", query)
    call = Call(query, key, value, mask, bias, softcap, dropout_p, return_weights)
    found = route(backend, call)
    name, run, columns, keep = found.name, found.run, found.columns, found.over(mask)
    if columns is not None:
        key, value = key[..., columns, :], value[..., columns, :]
        bias = bias if bias is None or bias.shape[-1] == 1 else bias[..., columns]
    if bias is not None and name != "tiled" and not sound(bias):  # tile by tile the same is done
        bias, keep = bounded(bias, keep if isinstance(keep, Tensor) else None)
    if mixed:  # the backends choose their own precision
        run = autocast.off(run, query.device.type)
    both: Any = run(query, key, value, keep, bias, scale, softcap, dropout_p)
    return both if return_weights else both[0]
