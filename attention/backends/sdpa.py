"""Torch's own function, given what it can take: four axes, a scale above 0, keys once a group."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention.backends import suited
from attention.backends.once import once
from attention.checks.numbers import SMALLEST
from attention.heads import fold, four, unfold


def sdpa(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    over: Bool[Tensor, "..."] | Float[Tensor, "..."] | None,
    scale: float,
    dropout_p: float,
    causal: bool = False,
) -> Float[Tensor, "*heads queries value_dim"]:
    """Torch's own, brought to its four axes and back."""
    if suited.coarse(query):
        added = over.float() if over is not None and over.is_floating_point() else over
        q, k, v = query.float(), key.float(), value.float()
        return sdpa(q, k, v, added, scale, dropout_p, causal).to(query.dtype)
    if suited.uneven(query, value) and not dropout_p:
        same = suited.of_one_width(query, key, value)
        return sdpa(*same, over, scale, 0.0, causal)[..., : value.size(-1)]
    query, scale = positive_scale(query, scale)
    axes = query.ndim
    if over is not None and (axes != 4 or over.ndim != 4):
        over = four_of(over, query.shape[:-3])
    if over is not None and over.is_cuda:
        over = for_each_key(over, key.size(-2))
    q, k, v = query, key, value
    if axes != 4:
        q, k, v = four(query), four(key), four(value)
    heads, kv_heads = q.size(1), k.size(1)
    if heads == 0:  # PyTorch 2.11 divides by the number of heads, which ends the process
        return with_bias(query @ key.mT @ value, over)
    grouped = False
    if heads != kv_heads:  # a branch: `!=` of symbols is a symbol too, which torch refuses
        grouped = True
    # The one query of each head of a group as rows of one head: its keys are read once, not once a
    # head. On 8,192 keys, four heads a group, 1.6 times as fast or more. Without a mask torch's
    # kernels for halves on a GPU do that themselves, and split the keys of few heads, which they
    # do not of rows: folded, one text of 131,072 keys took 11 times as long on an H200.
    itself = over is None and q.is_cuda and q.dtype.itemsize == 2
    folded = grouped and q.size(2) == 1 and not itself and (over is None or over.size(1) == 1)
    size = heads // kv_heads if folded else 1
    if folded:
        q, grouped = fold(q, size), False
    context = scaled_dot_product_attention(
        q, k, v, over, dropout_p, causal, scale=scale, enable_gqa=grouped
    )
    if over is not None and over.is_floating_point() and 0 in (key.size(-2), context.numel()):
        context = with_bias(context, over)
    if context.requires_grad and not torch.compiler.is_compiling():
        context = guarded(context)
    if folded:
        context = unfold(context, size)
    if axes != 4:
        context = context.reshape(*query.shape[:-1], value.shape[-1])
    return context


def with_bias(
    context: Float[Tensor, "*heads queries value_dim"],
    over: Bool[Tensor, "..."] | Float[Tensor, "..."] | None,
) -> Float[Tensor, "*heads queries value_dim"]:
    """A context without numbers or of no keys: torch's kernel forgets that a bias made it."""
    return context if over is None or not over.is_floating_point() else context + over.sum()


def positive_scale(
    query: Float[Tensor, "*heads queries head_dim"], scale: float
) -> tuple[Float[Tensor, "*heads queries head_dim"], float]:
    """Query and scale of the same product, with a scale above 0.

    Another would multiply the −∞ of the kernel's own causal mask too, which makes NaN. The sign
    goes to the query, which stays exact; in halves a product would not.
    """
    if isinstance(scale, float) and scale < 0:
        query, scale = -query, -scale
    # What is 0 in single precision has no sign to give away; and a size, while exporting, would be
    # fixed.
    if not isinstance(scale, float) or scale < SMALLEST:
        return query * scale, 1.0
    return query, scale


def for_each_key(
    over: Float[Tensor, "batch heads rows width"] | Bool[Tensor, "batch heads rows width"],
    keys: int,
) -> Float[Tensor, "batch heads rows keys"] | Bool[Tensor, "batch heads rows keys"]:
    """A number for each key: one for all of them torch's kernels for a GPU read as several.

    On an H200, with PyTorch 2.11, a bias of one column in float16 ended in a misaligned address.
    A column becomes as large as the scores of one head.
    """
    return over if over.size(-1) == keys else over.expand(*over.shape[:-1], keys).contiguous()


def four_of(
    over: Float[Tensor, "..."] | Bool[Tensor, "..."], batch: torch.Size
) -> Float[Tensor, "batch heads rows width"] | Bool[Tensor, "batch heads rows width"]:
    """The same for what is laid over the scores, which may lack axes or have one for all."""
    while over.ndim < 4:
        over = over[None]
    if len(batch) > 1:
        over = over.expand(*batch, *over.shape[-3:]).flatten(0, -4)
    return over


def guarded(context: Tensor) -> Tensor:
    """The context; whoever differentiates it twice is told which backends could.

    Torch's error does not say.
    """
    made = context.grad_fn
    if made is not None and made.name().startswith("ScaledDotProduct"):
        made.register_hook(lambda grads, _: once(grads))
    return context
