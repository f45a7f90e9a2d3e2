"""One query of each of four heads on keys that they share: two products in place of the kernel.

Where keys and values fit in no cache of the processor, a product with four columns reads them
faster than torch's kernel. On 8,192 keys of 8 such groups it takes 0.9 of the kernel's time, and
less than 0.8 where the keys are 128 wide or those of four requests. Groups of 2, 6 or 12 gain
nothing.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attention.transforms import learns, unseen

GROUP = 4
MIN_BYTES = 32 << 20  # bytes of keys and values; less stays in a cache, where the kernel is faster


def pays(
    query: Float[Tensor, "batch kv_heads rows head_dim"],
    key: Float[Tensor, "batch kv_heads keys head_dim"],
    value: Float[Tensor, "batch kv_heads keys value_dim"],
) -> bool:
    """Whether two products are faster: where nothing learns, and without a copy of the keys."""
    return (
        query.size(2) == GROUP
        and query.is_cpu
        and query.dtype is torch.float32
        and not unseen()
        and key.nbytes + value.nbytes >= MIN_BYTES
        and not learns(query, key, value)
        and one_after_another(key)
        and one_after_another(value)
    )


def one_after_another(rows: Float[Tensor, "batch kv_heads keys width"]) -> bool:
    """Whether the heads of a batch lie at equal distances, and a row in one piece."""
    apart = rows.stride(0) == rows.size(1) * rows.stride(1)
    return rows.stride(3) == 1 and (rows.size(0) == 1 or apart)


def products(
    query: Float[Tensor, "batch kv_heads rows head_dim"],
    key: Float[Tensor, "batch kv_heads keys head_dim"],
    value: Float[Tensor, "batch kv_heads keys value_dim"],
    scale: float,
) -> Float[Tensor, "batch kv_heads rows value_dim"]:
    """The formula, with the scores as keys by queries: the other way the product takes twice."""
    q, k, v = (x.flatten(0, 1) for x in (query, key, value))
    scores = torch.baddbmm(q.new_empty(()), k, q.mT, beta=0, alpha=scale)  # (heads, S, rows)
    scores = scores.mT.contiguous()
    weights = torch.softmax(scores, dim=-1, out=scores)
    return torch.bmm(weights, v).view(*query.shape[:-1], value.size(-1))
