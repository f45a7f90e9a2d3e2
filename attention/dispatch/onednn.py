"""Whether the products of oneDNN can compute a call, whether they should, and by which slabs."""

import math
from typing import Any

import torch
from torch import Tensor

from attention.dispatch import plans
from attention.dispatch.call import Call
from attention.masks import Mask
from attention.processor import narrow_mkl, sooner
from attention.transforms import traced

# Fewer scores of a sequence gain less than the threads cost, or than slabs of its own.
LEAST = 1 << 23
# Of what hides keys from some queries of a slab: 64 MiB. Tables of more would not be kept.
NUMBERS = 1 << 24
# Python runs one of its threads at a time, between torch's operations: of so many each should find
# it free. Measured with two.
MOST_THREADS = 8
# Narrower heads leave more time to the softmax, and of wider ones sums of oneDNN err more.
WIDTHS = range(64, 129)
# What a score costs here, of 1 that torch's kernel takes; and one in a slab that a mask hides part
# of. On two cores of Zen 5 with 64 entries a head that was 1.4 ns, with sums of 1,024 keys. Of 256
# it has not been measured there; on Zen 3 they take 9 % longer.
SCORE, HIDDEN = 0.66, 0.71
# What a slab of a head costs beside it; and for each thread, that those with which torch computed
# before wait some 5 ms for more work, and take turns with ours. With gradients the rest is three
# times as long.
SLAB, WAIT = 22_000, 2_000_000


def obstacle(query: Tensor) -> str | None:
    """Why its products cannot take such queries, as the end of a sentence; None if they can."""
    if query.device.type != "cpu":
        return "is for the CPU"
    if query.dtype is not torch.float32:
        return f"takes float32 and query has {query.dtype}"
    if not torch.backends.mkldnn.is_available():
        return "needs oneDNN, without which this PyTorch was built"
    return None


def most(query: Tensor) -> float:
    """Fewer scores than that surely do not come here."""
    return float(LEAST) if query.is_cpu and narrow_mkl() else math.inf


def plan(call: Call) -> tuple[Any, float] | None:
    """The slabs of a call, and what they cost, in scores; None where none can be sooner.

    Not of a mask that is a tensor: torch's kernel takes it as it is.
    """
    query, key, value, mask = call[:4]
    if traced() or not (mask is None or isinstance(mask, Mask)):
        return None
    if call.scores < LEAST * (1 if mask is None else mask.batch or 1):
        return None
    threads, heads = torch.get_num_threads(), key.shape[:-2].numel()
    fit = query.size(-1) == value.size(-1) and query.size(-1) in WIDTHS
    # Beside one another are heads of queries, and where something learns, of keys.
    if not fit or threads > MOST_THREADS or heads % threads or not sooner(query, key, value):
        return None
    found = plans.slabs(query, key, mask, NUMBERS)
    if found is None:
        return None
    batch = found.parts[-1][1]
    cost = WAIT * threads * 64 / query.size(-1) / (3 if call.learns else 1)
    for first, last, part in found.parts:
        each = query.shape[:-2].numel() * (last - first) / batch
        for slab in part:
            score = HIDDEN if slab.edges else SCORE
            cost += each * (score * slab.scores + SLAB * 64 / query.size(-1))
    return found, cost
