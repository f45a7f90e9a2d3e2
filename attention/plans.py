"""The plan of a mask: by which stretches of keys torch's kernel is called, on a CPU."""

from typing import Any

from torch import Tensor

from attention import checks
from attention.heads import group
from attention.masks import Mask


def plan(query: Tensor, key: Tensor, mask: Mask, learns: bool, most: float | None = None) -> Any:
    """The plan, if the mask has one for these queries; or None. A mask that does not fit raises.

    `most` is what it may cost, in scores. Of many sequences, one that costs more is not made.
    """
    checks.fits(mask, query, key)
    if mask.heads is not None or (mask.batch not in (None, 1) and query.ndim != 4):
        return None
    from attention import blocks  # late: a quarter of the time that the package takes to load

    limit, batch = None, mask.batch or 1
    if most is not None and batch > 1:
        if most < blocks.LEAST * batch:
            return None
        if batch >= blocks.MANY:
            heads = key.shape[:-2].numel() / batch
            limit = blocks.Limit(most / batch, heads, group(query, key))
    return blocks.plan(mask, query.size(-2), key.size(-2), learns, limit)
