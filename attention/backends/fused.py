"""Attention as torch computes it: one kernel, which need not hold all the scores at once.

On a CPU it does, with dropout, with values of another width that are not filled up, and under a
bias that learns.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention.absent import idle_queries, silence
from attention.backends import suited
from attention.backends.clean import clean, scores_clean, values_clean
from attention.backends.sdpa import sdpa
from attention.backends.suited import FORWARD, REGISTER
from attention.booleans import additive
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
    idle: Bool[Tensor, "..."] | None = None,
    added: Float[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*heads queries value_dim"], None]:
    """Call torch's kernel; what a mask leaves out cannot reach it as NaN.

    With `whole`, nothing is absent, and `keep` may be what the kernel adds to the scores. Else that
    is `added`, and `idle` says which queries may attend to nothing, if they are known.

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
        return sdpa(query, key, value, over, scale, dropout_p, causal), None
    over = one_tensor(keep, bias) if added is None else added
    if not dropout_p and may_look(query, key, value, bias):
        context = if_clean(query, key, value, over, scale, keep, idle)
        if context is not None:
            return context, None
    query, key, value, seen, idle = silence(query, key, value, keep, idle)
    over = over if seen is keep else one_tensor(seen, bias)
    context = sdpa(query, key, value, over, scale, dropout_p)
    return context if idle is None else context.masked_fill(idle, 0.0), None


def if_clean(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    over: Bool[Tensor, "..."] | Float[Tensor, "..."],
    scale: float,
    keep: Bool[Tensor, "..."] | Float[Tensor, "..."],
    idle: Bool[Tensor, "..."] | None,
) -> Float[Tensor, "*heads queries value_dim"] | None:
    """The context, unless something absent is heard in it: that is nearly always finite, and then
    harmless.
    """
    # Torch's function returns no log-sum-exp, which is sooner looked at.
    if over.ndim == 4 and scale > 0 and suited.as_it_is(query, key, value):
        numbers = over if over.is_floating_point() else additive(over, query.dtype)
        context, lse = FORWARD(query, key, value, attn_mask=numbers, scale=scale)
        return context if scores_clean(lse) and values_clean(context) else None
    context = sdpa(query, key, value, over, scale, 0.0)
    return context if clean(context, idle_queries(keep) if idle is None else idle) else None


def short(
    query: Float[Tensor, "batch heads queries head_dim"],
    key: Float[Tensor, "batch heads keys head_dim"],
    value: Float[Tensor, "batch heads keys value_dim"],
    scale: float,
    causal: bool,
) -> Float[Tensor, "batch heads queries value_dim"] | None:
    """The context of fewer keys than fill a register, by one call; None where NaN may be lost.

    The log-sum-exp of a query whose NaN was lost is 0; so is that of a single score of 0.
    """
    context, lse = FORWARD(query, key, value, is_causal=causal, scale=scale)
    return context if lse.all() or not loses(query, key) else None


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
    return keep if bias is None else bias + additive(keep, bias.dtype)
