"""What torch's CPU kernel is given in the place of what it is slow with: more zeros, or digits."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad

from attention.transforms import traced

# As torch's own functions are bound: by `torch.ops` a call takes 3 µs more.
BINDINGS: Any = torch._C
FORWARD = BINDINGS._VariableFunctions._scaled_dot_product_flash_attention_for_cpu

# Torch's CPU kernel makes zeros of a row of NaN that fills no register of the processor, unless a
# mask lies over it. The widest hold sixteen numbers.
REGISTER = 16

# So many queries on so many keys are worth the copies. On fewer, and where one width is more than
# twice the other and beyond WIDTH, two products and a softmax are faster, or tiles.
ROWS, WIDTH = 1024, 64


def without_halves() -> bool:
    """Whether this processor has no instructions for products of float16."""
    onednn: Any = torch.ops.mkldnn
    return torch.backends.mkldnn.is_available() and not onednn._is_mkldnn_fp16_supported()


WITHOUT_HALVES = without_halves()


def coarse(query: Float[Tensor, "..."]) -> bool:
    """Whether the kernel is faster with these numbers in single precision.

    In float16 it took 1.1 to 6 times as long, in training 3 to 7 times.
    """
    return WITHOUT_HALVES and query.dtype is torch.float16 and query.is_cpu


def plain(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
) -> bool:
    """Whether these have nothing to be changed: four axes, one width, a key head a query head."""
    q, k = query.shape, key.shape
    alike = len(q) == 4 and k == value.shape and q[:2] == k[:2] and q[3] == k[3]
    return alike and 0 not in (*q, k[2]) and not coarse(query)


def as_it_is(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
) -> bool:
    """Whether torch would run its CPU kernel, and change nothing before or after."""
    return (
        plain(query, key, value)
        and query.stride(3) == key.stride(3) == value.stride(3) == 1
        and torch.backends.cuda.flash_sdp_enabled()
    )


def uneven(
    query: Float[Tensor, "*heads queries head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
) -> bool:
    """Whether values have another width than keys, and zeros pay.

    The kernel takes no such values: torch then makes all scores, and copies what heads share. With
    keys of 192 and values of 128, 1,024 tokens took 1.6 times as long, under a causal mask 2.2
    times.
    """
    if query.size(-1) == value.size(-1) or not query.is_cpu or traced():
        return False
    narrow, wide = sorted((query.size(-1), value.size(-1)))
    many = min(query.size(-2), value.size(-2)) >= ROWS
    return many and (wide <= WIDTH or wide <= 2 * narrow)


def of_one_width(
    query: Float[Tensor, "*heads queries head_dim"],
    key: Float[Tensor, "*kv_heads keys head_dim"],
    value: Float[Tensor, "*kv_heads keys value_dim"],
) -> tuple[
    Float[Tensor, "*heads queries width"],
    Float[Tensor, "*kv_heads keys width"],
    Float[Tensor, "*kv_heads keys width"],
]:
    """All of one width, with zeros behind: they change no score, and no entry of a context."""
    more = query.size(-1) - value.size(-1)
    if more < 0:
        return pad(query, (0, -more)), pad(key, (0, -more)), value
    return query, key, pad(value, (0, more)) if more else value
