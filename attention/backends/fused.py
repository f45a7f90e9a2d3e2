"""Attention as torch computes it: one kernel, which need not hold all the scores at once.

On a CPU it does, with dropout, with values of another width that are not filled up, and under a
bias that learns.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention.absent import REGISTER, clean, idle, scores_clean, silence, values_clean
from attention.backends import suited
from attention.backends.once import once
from attention.backends.suited import FORWARD
from attention.booleans import added as table
from attention.heads import fold, four, unfold
from attention.transforms import learns, readable


def fused(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    keep: Bool[Tensor, "..."] | Float[Tensor, "..."] | None,
    bias: Float[Tensor, "..."] | None,
    scale: float,
    softcap: float | None,
    dropout_p: float,
    causal: bool = False,
    whole: bool = False,
    empty: Bool[Tensor, "..."] | None = None,
    added: Float[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*heads queries value_dim"], None]:
    """Call torch's kernel; what a mask leaves out cannot reach it as NaN.

    With `whole`, nothing is absent, and `keep` may be what the kernel adds to the scores. Else that
    is `added`, and `empty` says which queries may attend to nothing, if they are known.

    `causal` is for as many queries as keys: with fewer, torch aligns the first query with the
    first key, and a cache needs the last with the last.

    Source:
        Dao, *FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning*
        (2023), section 3.
    """
    keys = key.size(-2)
    if keys == 0 or (keep is None and loses(query, key)):
        rows = query.size(-2) if causal else 1
        keep = torch.ones(rows, keys, dtype=torch.bool, device=query.device).tril(keys - rows)
    if keep is None or whole:  # a bias that is finite hides nothing
        over = bias if keep is None else keep
        return kernel(query, key, value, over, scale, dropout_p, causal), None
    over = one_tensor(keep, bias) if added is None else added
    if not dropout_p and may_look(query, key, value, bias):
        # What is absent is nearly always finite, and then harmless. Torch's function returns no
        # log-sum-exp, which is sooner looked at.
        if over.ndim == 4 and scale > 0 and suited.as_it_is(query, key, value):
            numbers = over if over.is_floating_point() else table(over, query.dtype)
            context, sums = FORWARD(query, key, value, attn_mask=numbers, scale=scale)
            if scores_clean(sums) and values_clean(context):
                return context, None
        else:
            context = kernel(query, key, value, over, scale, dropout_p)
            if clean(context, idle(keep) if empty is None else empty):
                return context, None
    query, key, value, seen, empty = silence(query, key, value, keep, empty)
    over = over if seen is keep else one_tensor(seen, bias)
    context = kernel(query, key, value, over, scale, dropout_p)
    return context if empty is None else context.masked_fill(empty, 0.0), None


def loses(query: Float[Tensor, "..."], key: Float[Tensor, "..."]) -> bool:
    """Whether torch's kernel, without a mask, would lose NaN."""
    # First, since what is asked of sizes while compiling makes the code for these alone.
    if not readable(query) or key.size(-2) >= REGISTER:
        return False
    return not (query.detach().sum() + key.detach().sum()).isfinite()


def may_look(query: Tensor, *others: Tensor | None) -> bool:
    """Whether a result may be looked at before it is returned, and computed anew if need be.

    Not where there are no values; not where a gradient could meet what is absent; not on a device
    that would have to wait for it.
    """
    given = [x for x in others if x is not None]
    return readable(query) and not learns(query, *given)


def one_tensor(
    keep: Bool[Tensor, "..."], bias: Float[Tensor, "..."] | None
) -> Bool[Tensor, "..."] | Float[Tensor, "..."]:
    """Mask and bias as the one tensor that torch's kernels take."""
    return keep if bias is None else bias + table(keep, bias.dtype)


def kernel(
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
        return kernel(q, k, v, added, scale, dropout_p, causal).to(query.dtype)
    if suited.uneven(query, value) and not dropout_p:
        same = suited.of_one_width(query, key, value)
        return kernel(*same, over, scale, 0.0, causal)[..., : value.size(-1)]
    query, scale = positive_scale(query, scale)
    axes = query.ndim
    if over is not None and (axes != 4 or over.ndim != 4):
        over = four_of(over, query.shape[:-3])
    if over is not None and over.is_cuda:
        over = rows_of(over, key.size(-2))
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
        return -query, -scale
    # 0 has no sign to give away; and a size, while exporting, would be fixed.
    if not isinstance(scale, float) or scale == 0:
        return query * scale, 1.0
    return query, scale


def rows_of(
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
