"""The plan of a mask on a CPU: blocks for torch's kernel, or slabs for products of oneDNN."""

from typing import Any

from torch import Tensor

from attention import checks
from attention.heads import group
from attention.masks import Mask


def pays(query: Tensor, key: Tensor, mask: Mask) -> bool:
    """Whether a plan for each sequence may gain more than its calls cost.

    Asked before all else: of 64 new sequences of 64 tokens the rest took 4 % of the time.
    """
    if mask.batch in (None, 1):
        return True
    checks.fits(mask, query, key)  # first: what it holds will be read
    from attention import blocks  # late: a quarter of the time that the package takes to load

    rows = query.shape[:-2].numel() * max(query.size(-2), blocks.MIN_ROWS)
    return blocks.pays(mask, float(rows * key.size(-2)))


def plan(query: Tensor, key: Tensor, mask: Mask, learns: bool, most: float | None = None) -> Any:
    """The plan, if the mask has one for these queries; or None. A mask that does not fit raises.

    `most` is what it may cost, in scores. Of several sequences, one that costs more is not made.
    """
    checks.fits(mask, query, key)
    if apart(query, mask):
        return None
    from attention import blocks  # late, as above

    limit = None
    if most is not None and (mask.batch or 1) > 1:
        limit = blocks.Limit(most, key.shape[:-2].numel(), group(query, key))
    return blocks.plan(mask, query.size(-2), key.size(-2), learns, limit)


def slabs(query: Tensor, key: Tensor, mask: Mask | None, most: int | None = None) -> Any:
    """The slabs of a mask, or of all scores; None as above, or if tables had more numbers."""
    if mask is not None:
        checks.fits(mask, query, key)
        if apart(query, mask):
            return None
    from attention.blocks import slabs  # late, as above

    return slabs.slabs(mask, query.size(-2), key.size(-2), most)


def apart(query: Tensor, mask: Mask) -> bool:
    """Whether a mask has no plan though it tells its stretches."""
    return mask.heads is not None or (mask.batch not in (None, 1) and query.ndim != 4)
