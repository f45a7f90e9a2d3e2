"""What computes a call, and what it needs of the mask: found once for a small mask."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from torch import Tensor

from attention import checks
from attention.backends import suited
from attention.backends.fused import fused
from attention.backends.names import load
from attention.backends.suited import REGISTER
from attention.dispatch.call import Call
from attention.dispatch.choice import auto
from attention.dispatch.dense import SMALL, dense, small
from attention.dispatch.named import named
from attention.dispatch.onednn import LEAST
from attention.fingerprint import label
from attention.kept import Kept
from attention.masks import Causal, Mask
from attention.transforms import learns, traced


class Route(NamedTuple):
    """A backend, and what it is given."""

    name: str
    run: Callable[..., Any]
    given: Any  # of a mask: a boolean tensor or None; a plan, numbers or a rule where it takes them
    columns: slice | None  # the keys that it is given; None: all
    bare: bool = False  # whether torch's kernel takes all as it is

    def over(self, mask: Any) -> Any:
        """What it is given of a mask. Tiles ask the rule itself, as it is in each call."""
        return mask if self.name == "tiled" else self.given


CAUSAL = Route("fused", partial(fused, causal=True), None, None)
# A mask that leaves out no query and no key: nothing is absent, and nothing is looked for.
FUSED_WHOLE = partial(fused, whole=True)

# Of 4 queries on 8,192 keys, which take 1.5 ms, to choose and to lay out took 0.13 ms each time.
kept: Kept[Route] = Kept(16)  # a plan each, or tensors of at most 1.25 MiB in single precision
# Of a single query the keys are more in each step: its route serves the layers of one.
steps: Kept[Route] = Kept(4)


def route(backend: str, call: Call) -> Route:
    """How to compute a call: as one like it was computed before, if that was kept."""
    mask = call.mask
    if not isinstance(mask, Mask) or traced():
        return new(backend, call)
    given = call.bias is None, call.softcap is None, call.dropout_p > 0, call.return_weights
    name = signature(call.query, call.key, call.value, mask, (backend, *given))
    return new(backend, call) if name is None else kept_or_new(name, call, backend)


# What `route` makes of the options of a call that asks for a mask alone.
MASK_ALONE = ("auto", True, True, False, False)


def kept_or_new(name: object, call: Call, backend: str = "auto") -> Route:
    """How a call of this name is computed: found out if none was before."""
    return kept_for(call.query).under(name, lambda: new(backend, call))


def kept_for(query: Tensor) -> Kept[Route]:
    """Where a route for such queries is kept."""
    return steps if query.size(-2) == 1 else kept


def signature(
    query: Tensor, key: Tensor, value: Tensor, mask: object, asked: tuple[object, ...]
) -> object:
    """What calls have in common that are computed in the same way; None if it is not kept."""
    q, k = query.shape, key.shape
    # One query under the causal mask sees all: nothing is found out. And what is kept lies on the
    # processor.
    if not isinstance(mask, Mask) or (q[-2] == 1 and type(mask) is Causal) or not query.is_cpu:
        return None
    # A mask has at most an entry for each score; how many it has is a question of 1 µs. And where
    # oneDNN may be sooner, more is asked in each call than is known here.
    scores = q[:-1].numel() * k[-2]
    if scores >= LEAST:
        return None
    if scores > SMALL and not small(mask, q[-2], k[-2], query.device):
        return None
    if (content := label(mask)) is None:
        return None
    return content, q, k, value.shape, query.dtype, learns(query, key, value), asked


def new(backend: str, call: Call) -> Route:
    """How to compute it; errors where a mask does not fit or a backend cannot."""
    name, plan = auto(call) if backend == "auto" else (backend, named(backend, call))
    if plan is not None:
        return Route(name, load(name), plan, None)
    if isinstance(call.mask, Mask):
        if name != "tiled":
            return tensor_route(name, call, call.mask, backend == "auto")
        checks.fits(call.mask, call.query, call.key)
    elif call.mask is not None:
        checks.mask(call.mask, call.query, call.key)
    # The tiles ask the mask of each call: a route that is kept must not keep one alive.
    return Route(name, load(name), None if name == "tiled" else call.mask, None)


def tensor_route(name: str, call: Call, mask: Mask, chosen: bool) -> Route:
    """A rule as the tensor that a backend needs."""
    run = load(name)
    alone = run is fused and call.bias is None  # torch's kernel, with nothing but the mask
    if type(mask) is Causal:
        if call.queries == 1:  # it stands at the last key and sees all: decoding copies no cache
            return Route(name, run, None, None)
        if alone and call.is_causal:
            return CAUSAL
    checks.fits(mask, call.query, call.key)
    # One that is named asks all keys: the others are held against it. So do weights.
    narrow = run is fused or (chosen and not call.return_weights)
    dtype = call.query.dtype if alone else None
    device = call.query.device
    found = dense(mask, call.queries, call.keys, device, narrow, dtype)
    columns, keep, added = found.columns, found.keep, found.added
    if not alone:
        return Route(name, run, keep, columns)
    if not found.whole:
        return Route(name, partial(run, idle=found.idle, added=added), keep, columns)
    keys = call.keys if columns is None else columns.stop - columns.start
    ready = added is not None or (keep is None and keys >= REGISTER)
    bare = ready and suited.plain(call.query, call.key, call.value)
    return Route(name, FUSED_WHOLE, keep if added is None else added, columns, bare)
