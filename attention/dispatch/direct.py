"""The usual call, which asks for a mask alone: at once to torch's kernel, or by a route to keep.

For 8 heads of 64 tokens the kernel takes 80 µs. What is found out elsewhere takes 6 more, here 2.4
to 3.7. Where keys and values fill the caches of the processor, the code of a call comes from
memory each time: one query on 8,192 keys paid 100 µs for it.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention import checks
from attention.backends import suited
from attention.backends.fused import short
from attention.backends.sdpa import guarded, sdpa
from attention.backends.suited import REGISTER
from attention.checks.numbers import LARGEST, SMALLEST
from attention.checks.numbers import scale as default
from attention.checks.tensors import DTYPES
from attention.dispatch import route
from attention.dispatch.call import Call
from attention.dispatch.onednn import most
from attention.dispatch.saving import MANY
from attention.holding import held
from attention.masks import Causal, Mask
from attention.masks.intervals import within
from attention.transforms import learns

EASY = DTYPES - {torch.float16}  # which has ways of its own


def direct(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    mask: Mask | Bool[Tensor, "..."] | None,
    scale: float | None,
) -> Float[Tensor, "*heads queries value_dim"] | None:
    """The context of a call with usual options; None if more is to be found out, or is wrong."""
    if torch._C._is_any_autocast_enabled():
        return None
    if scale is not None and not (isinstance(scale, float) and SMALLEST <= scale <= LARGEST):
        return None
    try:
        if mask is None or type(mask) is Causal:
            context = by_flag(query, key, value, mask is not None, scale)
            if context is not None or mask is None:
                return context
        return by_table(query, key, value, mask, scale)
    except (RuntimeError, IndexError):
        if checks.usual(query, key, value, whole=True):
            raise
        return None  # what is wrong with them is named elsewhere


def by_flag(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    causal: bool,
    scale: float | None,
) -> Float[Tensor, "*heads queries value_dim"] | None:
    """The context where torch's flag is all of the mask."""
    if easy(query, key, value):
        q = query.shape
        alike = q == key.shape == value.shape and len(q) == 4
        # Of so few scores, blocks are not faster.
        if alike and q[2] >= REGISTER and 0 < query.numel() * q[2] < MANY * q[3]:
            # Each argument less that torch has to read is 0.2 µs less.
            context = scaled_dot_product_attention(query, key, value, is_causal=causal, scale=scale)
            return guarded(context) if context.requires_grad else context
    if not checks.usual(query, key, value, whole=True):
        return None
    q, k = query.shape, key.shape
    # Of few keys torch's kernel loses NaN; of none of something it may know nothing. With more
    # keys torch means another mask, and of many tokens blocks may be faster.
    if not (
        len(q) == 4
        and k == value.shape
        and (k[2] >= REGISTER or at_hand(query, key, value))
        and 0 not in q
        and (q[2] == 1 or q[0] * q[1] * q[2] * k[2] < (MANY if causal else most(query)))
        and (not causal or q[2] == 1 or q[2] == k[2])
    ):
        return None
    causal = causal and q[2] > 1  # the last query sees all
    if k[2] < REGISTER:
        return short(query, key, value, default(scale, q[3]), causal)
    if q[1] != k[1] or suited.coarse(query):
        return sdpa(query, key, value, None, default(scale, q[3]), 0.0, causal)
    context = scaled_dot_product_attention(query, key, value, is_causal=causal, scale=scale)
    return guarded(context) if context.requires_grad else context


def by_table(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    mask: Mask | Bool[Tensor, "..."] | None,
    scale: float | None,
) -> Float[Tensor, "*heads queries value_dim"] | None:
    """The context where what is needed of the mask is kept, by all sizes that it is for."""
    checked = not easy(query, key, value)
    if checked and not checks.usual(query, key, value, whole=True):
        return None
    if isinstance(mask, Mask) and query.size(-2) == 1:
        context = last(query, key, value, mask, scale)
        if context is not None:
            return context
    if (name := route.signature(query, key, value, mask, route.MASK_ALONE)) is None:
        return None
    found = route.kept_for(query).known(name)
    if found is None or not found.bare:
        if not (checked or checks.usual(query, key, value, whole=True)):
            return None
        found = route.kept_or_new(name, Call(query, key, value, mask))
    if found.columns is not None:
        key, value = key[..., found.columns, :], value[..., found.columns, :]
    if found.bare:
        context = scaled_dot_product_attention(query, key, value, found.given, scale=scale)
        return guarded(context) if context.requires_grad else context
    scale = default(scale, query.size(-1))
    return found.run(query, key, value, found.over(mask), None, scale, None, 0.0)[0]


def last(
    query: Float[Tensor, "*heads 1 head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
    mask: Mask,
    scale: float | None,
) -> Float[Tensor, "*heads 1 value_dim"] | None:
    """The context of one query that sees all of a stretch of keys, such as a window: cut out.

    Of a window of 256 in 8,192 keys the rest of the way took as long as to attend.
    """
    keys = key.size(-2)
    anywhere = mask.batch is None and mask.heads is None and mask.keys is None
    if key.shape != value.shape or not anywhere or any(held(mask)):
        return None
    told = mask.over(keys)
    start, stop = within(*told.span(keys - 1, keys - 1, keys), keys)
    if start >= stop or not told.full(keys - 1, keys - 1, start, stop):
        return None
    seen = slice(start, stop)
    return by_flag(query, key[..., seen, :], value[..., seen, :], False, scale)


def easy(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether torch refuses whatever does not go together with these queries, but for sizes.

    To ask each of the three for its dtype, device and layout took 2 µs a call. (A mode that answers
    in torch's place may take what torch refuses.)
    """
    alike = type(query) is type(key) is type(value) is Tensor
    return alike and query.is_cpu and query.dtype in EASY


def at_hand(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
) -> bool:
    """Whether torch's CPU kernel itself, which also says what it summed, can be called."""
    return (
        not learns(query, key, value)
        and query.is_cpu
        and all(type(x) in (Tensor, torch.nn.Parameter) for x in (query, key, value))
        and suited.as_it_is(query, key, value)
    )
