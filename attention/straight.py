"""The usual call, straight to torch's kernel, which takes 80 µs for 8 heads of 64 tokens.

Beside it this takes 3 µs more, and what is looked at elsewhere 6; under a mask that came before 6
to 8, in the place of 14 to 18. Where keys and values fill the caches of the processor, the code of
a call comes from memory each time: one query on 8,192 keys paid 100 µs for it.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention.absent import REGISTER
from attention.backends import fused
from attention.checks.numbers import LARGEST
from attention.checks.numbers import scale as default
from attention.checks.tensors import DTYPES
from attention.choice import MANY
from attention.masks import Causal, Mask
from attention.transforms import unseen
from attention.way import again


def straight(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    mask: Mask | Bool[Tensor, "..."] | None,
    scale: float | None,
) -> Float[Tensor, "*heads queries value_dim"] | None:
    """The context, of a call that is surely right and of a known kind; None of any other.

    What is wrong with a call, and how to compute an unusual one, is found elsewhere: also where
    torch refuses it.
    """
    if unseen() or torch._C._is_any_autocast_enabled():
        return None
    if scale is not None and not (isinstance(scale, float) and 0 < scale <= LARGEST):
        return None
    try:
        if mask is None or type(mask) is Causal:
            context = plain(query, key, value, mask is not None, scale)
            if context is not None:
                return context
        return known(query, key, value, mask, scale)
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return None


def plain(
    query: Tensor, key: Tensor, value: Tensor, causal: bool, scale: float | None
) -> Float[Tensor, "batch heads queries head_dim"] | None:
    """Without a mask, or with the causal one where torch means the same by it."""
    (batch, heads, queries, width), k = query.shape, key.shape
    sequences, kv_heads, keys, _ = k
    # Of fewer keys torch's kernel loses NaN; of none of something it knows nothing.
    if keys < REGISTER or 0 in query.shape or 0 in k or query.dtype not in DTYPES:
        return None
    if k != value.shape or k[3] != width or sequences != batch:
        return None
    causal = causal and queries > 1  # the last query sees all
    # With more keys torch means another mask; and of many tokens blocks may be faster.
    if causal and (queries != keys or batch * heads * keys * keys >= MANY):
        return None
    if heads == kv_heads:
        return kernel(query, key, value, None, causal, scale)
    if heads % kv_heads:
        return None
    return fused.kernel(query, key, value, None, default(scale, width), 0.0, causal)


def known(
    query: Tensor, key: Tensor, value: Tensor, mask: object, scale: float | None
) -> Float[Tensor, "*heads queries value_dim"] | None:
    """Under a mask that came before, with inputs of these shapes."""
    found = again(query, key, value, mask)
    if found is None:
        return None
    if found.seen is not None:
        key, value = key[..., found.seen, :], value[..., found.seen, :]
    scale = default(scale, query.size(-1))
    if found.straight:
        return kernel(query, key, value, found.keep, False, scale)
    return found.run(query, key, value, found.keep, None, scale, None, 0.0)[0]


def kernel(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    over: Tensor | None,
    causal: bool,
    scale: float | None,
) -> Float[Tensor, "batch heads queries head_dim"]:
    context = scaled_dot_product_attention(query, key, value, over, 0.0, causal, scale=scale)
    if context.requires_grad:
        fused.tell(context)
    return context
