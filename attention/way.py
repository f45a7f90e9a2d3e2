"""What computes a call, and what it needs of the mask: found once for a small mask."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch

from attention import checks
from attention.backends.fused import fused
from attention.backends.names import load
from attention.call import Call
from attention.choice import FEW, auto
from attention.kept import Kept
from attention.masks import Causal, Mask
from attention.masks.table import small, table
from attention.named import named
from attention.transforms import transformed, unseen


class Way(NamedTuple):
    """A backend, and what it is given."""

    name: str
    run: Callable[..., Any]
    keep: Any  # a boolean tensor or None; a plan, numbers or a rule for those that take them
    seen: slice | None  # the keys that it is given; None: all


PLAIN = Way("fused", fused, None, None)
CAUSAL = Way("fused", partial(fused, causal=True), None, None)
# A mask that leaves out no query and no key: nothing is absent, and nothing is looked for.
FUSED_WHOLE = partial(fused, whole=True)

# Of 4 queries on 8,192 keys, which take 1.5 ms, to choose and to lay out took 0.13 ms each time.
kept: Kept[Way] = Kept(16)  # a plan each, or a tensor of at most 1 MiB in single precision


def way(backend: str, call: Call) -> Way:
    """How to compute a call: as the same was computed before, if that was kept."""
    mask = call.mask
    if mask is None and backend == "auto" and by_torch(call):
        return PLAIN  # as is found below, in 0.8 µs more
    if not isinstance(mask, Mask) or torch.compiler.is_compiling():
        return new(backend, call)
    if backend == "auto" and call.square and call.scores < FEW and by_torch(call):
        return CAUSAL  # as is found below, in 3 µs more
    if unseen() or not small(mask, call.queries, call.keys, call.query.device):
        return new(backend, call)
    query, value = call.query, call.value
    given = call.bias is None, call.softcap is None, call.dropout_p > 0, bool(call.weights)
    shapes = query.shape, call.key.shape, value.size(-1), query.dtype, call.learns
    return kept.get(mask, (backend, given, shapes), lambda: new(backend, call))


def by_torch(call: Call) -> bool:
    """Whether torch's kernel can do it, but for the mask."""
    return call.bias is None and call.softcap is None and not call.weights and not transformed()


def new(backend: str, call: Call) -> Way:
    """How to compute it; errors where a mask does not fit or a backend cannot."""
    name, plan = auto(call) if backend == "auto" else (backend, named(backend, call))
    if plan is not None:
        return Way(name, load(name), plan, None)
    if isinstance(call.mask, Mask):
        if name != "tiled":
            return laid(name, call, call.mask)
        checks.fits(call.mask, call.query, call.key)
    elif call.mask is not None:
        checks.mask(call.mask, call.query, call.key)
    # The tiled backend asks the rule itself, as it is in each call.
    return Way(name, load(name), None if name == "tiled" else call.mask, None)


def laid(name: str, call: Call, mask: Mask) -> Way:
    """A rule as the tensor that a backend needs."""
    run, plain = load(name), call.bias is None
    if type(mask) is Causal:
        if call.queries == 1:  # it stands at the last key and sees all: decoding copies no cache
            return Way(name, run, None, None)
        if call.square and run is fused and plain:
            return CAUSAL
    checks.fits(mask, call.query, call.key)
    narrow = run is fused  # the others may have to give the weights of all keys
    added = call.query.dtype if narrow and plain else None
    device = call.query.device
    seen, keep, whole = table(mask, call.queries, call.keys, device, narrow, added)
    return Way(name, FUSED_WHOLE if whole and plain and narrow else run, keep, seen)
