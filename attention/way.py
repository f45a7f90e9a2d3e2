"""What computes a call, and what it needs of the mask: found once for a small mask."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attention import checks
from attention.backends.fused import fused
from attention.backends.names import load
from attention.choice import auto, learning, many, named, square
from attention.kept import Kept
from attention.masks import Causal, Mask
from attention.masks.table import small, table
from attention.transforms import unseen


class Way(NamedTuple):
    """A backend, and what it is given."""

    name: str
    run: Callable[..., Any]
    keep: Any  # a boolean tensor or None; a plan or numbers for those that take them
    seen: slice | None  # the keys that it is given; None: all


SQUARE = Way("fused", partial(fused, causal=True), None, None)
# A mask that leaves out no query and no key: nothing is absent, and nothing is looked for.
FUSED_WHOLE = partial(fused, whole=True)

# Of 4 queries on 8,192 keys, which take 1.5 ms, to choose and to lay out took 0.13 ms each time.
kept: Kept[Way] = Kept(16)  # a tensor of at most 1 MiB each, in single precision


def way(
    backend: str,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Mask | Tensor | None,
    bias: Tensor | None,
    softcap: float | None,
    dropout_p: float,
    weights: bool,
) -> Way:
    """How to compute a call; errors where a mask does not fit or a backend cannot."""
    given = query, key, value, mask, bias, softcap, dropout_p, weights
    name, plan = auto(*given) if backend == "auto" else (backend, named(backend, *given))
    if plan is not None:
        return Way(name, load(name), plan, None)
    if isinstance(mask, Mask) and name != "tiled":
        return laid(name, mask, bias is None, query, key)
    if isinstance(mask, Mask):
        checks.fits(mask, query, key)
    elif mask is not None:
        checks.mask(mask, query, key)
    keep = None if name == "tiled" else mask  # which asks the mask itself, tile by tile
    return Way(name, load(name), keep, None)


def laid(name: str, mask: Mask, plain: bool, query: Tensor, key: Tensor) -> Way:
    """A rule as the tensor that a backend needs."""
    run, queries, keys = load(name), query.size(-2), key.size(-2)
    if type(mask) is Causal:
        if queries == 1:  # it stands at the last key and sees all: decoding copies no cache
            return Way(name, run, None, None)
        if square(mask, query, key) and run is fused and plain:
            return SQUARE
    checks.counts(mask, queries, keys)
    checks.fits(mask, query, key)
    narrow = run is fused  # the others may have to give the weights of all keys
    added = query.dtype if narrow and plain else None
    seen, keep, whole = table(mask, queries, keys, query.device, narrow, added)
    return Way(name, FUSED_WHOLE if whole and plain and narrow else run, keep, seen)


def lasting(backend: str, mask: Any, query: Tensor, key: Tensor, plain: bool) -> bool:
    """Whether the way is kept for later calls; not one that is found as soon as looked up.

    A `plain` call has neither weights nor bias nor softcap.
    """
    if not isinstance(mask, Mask) or torch.compiler.is_compiling():
        return False
    queries, keys = query.size(-2), key.size(-2)
    if plain and backend == "auto" and square(mask, query, key) and not many(query, keys):
        return False
    return not unseen() and small(mask, queries, keys, query.device)


def again(
    backend: str,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Any,  # a Mask
    bias: Tensor | None,
    softcap: float | None,
    dropout_p: float,
    weights: bool,
) -> Way:
    """The way of such a call before, if there was one."""
    given = query, key, value, mask, bias, softcap, dropout_p, weights
    asked = backend, bias is None, softcap is None, dropout_p > 0, bool(weights)
    shapes = query.shape, key.shape, value.size(-1), query.dtype, learning(query, key, value)
    return kept.get(mask, (asked, shapes), lambda: way(backend, *given))
