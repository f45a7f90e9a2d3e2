"""Inputs that nobody thought of: shapes, strides, numbers and masks, as hypothesis draws them.

Each property runs some examples in `make test`, always the same. With FUZZ=100 it runs a hundred
times as many, and others with each `--hypothesis-seed`.
"""

import os
import re
import traceback
from collections.abc import Callable
from itertools import product

import pytest
import torch
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from torch import Tensor

from attention import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow

FUZZ = int(os.environ.get("FUZZ", "1"))
WILD = [float("nan"), float("inf"), float("-inf"), 1e30]
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
LAYOUTS = ["whole", "turned", "every other", "a piece", "expanded"]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]


def examples(count: int) -> settings:
    return settings(
        max_examples=count * FUZZ,
        derandomize=FUZZ == 1,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def laid_out(tensor: Tensor, layout: str) -> Tensor:
    """The same numbers in another memory layout; `expanded` takes one row for all of an axis."""
    if layout == "turned":
        return tensor.mT.contiguous().mT
    if layout == "every other":
        wide = tensor.new_zeros(*tensor.shape[:-1], 2 * tensor.shape[-1])
        wide[..., ::2] = tensor
        return wide[..., ::2]
    if layout == "a piece":
        around = torch.full([n + 2 for n in tensor.shape], float("nan"), dtype=tensor.dtype)
        inside = around[tuple(slice(1, n + 1) for n in tensor.shape)]
        return inside.copy_(tensor)
    if layout == "expanded":
        axis = max(tensor.ndim - 3, 0)
        return tensor.narrow(axis, 0, min(1, tensor.shape[axis])).expand_as(tensor)
    return tensor


@st.composite
def tensors(draw: st.DrawFn, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Numbers of a normal distribution, some of them equal, large or small; in any layout."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32 - 1)))
    numbers = torch.randn(shape, generator=generator, dtype=torch.float64)
    size = draw(st.sampled_from([1.0, 1.0, 0.0, 1e-4, 30.0]))
    rounded = draw(st.booleans())
    numbers = (numbers * size).round() if rounded else numbers * size
    return laid_out(numbers.to(dtype), draw(st.sampled_from(LAYOUTS)))


@st.composite
def shapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Of query, key and value, any count of which may be 0."""
    axes = draw(st.integers(0, 3))
    queries, keys = draw(st.integers(0, 5)), draw(st.integers(0, 6))
    head_dim, value_dim = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    value_dim = head_dim if draw(st.booleans()) else value_dim
    batch = draw(st.lists(st.integers(0, 3), min_size=max(axes - 1, 0), max_size=max(axes - 1, 0)))
    kv_heads, group = draw(st.integers(0, 2)), draw(st.integers(1, 3))
    heads = [kv_heads * group] * (axes > 0)
    read = [kv_heads] * (axes > 0)
    return (
        (*batch, *heads, queries, head_dim),
        (*batch, *read, keys, head_dim),
        (*batch, *read, keys, value_dim),
    )


class Rule(Mask):
    """A mask of one's own, which tells its heads apart if it has some."""

    def __init__(self, name: str, heads: int | None = None) -> None:
        self.name, self.count = name, heads

    @property
    def heads(self) -> int | None:
        return self.count

    def __call__(self, batch, head, query, key):
        if self.name == "a bool":
            return True
        if self.name == "heads":
            return key % (head + 1) == 0
        return (query + key) % 3 != 1

    def __repr__(self) -> str:
        return f"Rule({self.name!r}, {self.count})"


@st.composite
def leaves(draw: st.DrawFn, batch: int, heads: int | None, keys: int) -> Mask:
    kind = draw(st.sampled_from(["causal", "window", "prefix", "padding", "documents", "rule"]))
    if kind == "causal":
        return Causal()
    if kind == "window":
        return SlidingWindow(draw(st.integers(1, 8)))
    if kind == "prefix":
        return PrefixLM(draw(st.integers(0, 8)))
    count = draw(st.sampled_from([1, batch]))
    dtype = draw(st.sampled_from(INTEGERS))
    if kind == "padding":
        least = 0 if dtype == torch.uint8 else -2
        lengths = draw(st.lists(st.integers(least, keys + 2), min_size=count, max_size=count))
        side = draw(st.sampled_from(["left", "right"]))
        return Padding(torch.tensor(lengths, dtype=dtype), side=side)
    if kind == "documents":
        rows = st.lists(st.integers(0, 3), min_size=keys, max_size=keys)
        ids = draw(st.lists(rows, min_size=count, max_size=count))
        return Documents(torch.tensor(ids, dtype=dtype).view(count, keys))
    name = draw(st.sampled_from(["a bool", "places", "heads"]))
    return Rule(name, heads if name == "heads" else None)


def masks(batch: int, heads: int | None, keys: int) -> st.SearchStrategy[Mask]:
    """Masks of all kinds, and what `&`, `|` and `~` make of them."""
    return st.recursive(
        leaves(batch, heads, keys),
        lambda made: st.one_of(
            st.builds(lambda a, b: a & b, made, made),
            st.builds(lambda a, b: a | b, made, made),
            st.builds(lambda a: ~a, made),
        ),
        max_leaves=4,
    )


def said(mask: Mask, batch: int, head: int, query: int, key: int, keys: int) -> bool:
    """What a mask says of one query and one key, as its docstring defines it: the definition."""
    both = {"&": all, "|": any}
    if hasattr(mask, "sign"):
        sides = (said(side, batch, head, query, key, keys) for side in (mask.left, mask.right))
        return both[mask.sign](sides)
    if hasattr(mask, "mask"):
        return not said(mask.mask, batch, head, query, key, keys)
    if isinstance(mask, Causal):
        return key <= query
    if isinstance(mask, SlidingWindow):
        return abs(query - key) < mask.width
    if isinstance(mask, PrefixLM):
        return key < mask.length or key <= query
    if isinstance(mask, Padding):
        length = mask.lengths.tolist()[batch if len(mask.lengths) > 1 else 0]
        return key < length if mask.side == "right" else key >= keys - length
    if isinstance(mask, Documents):
        ids = mask.ids.tolist()[batch if len(mask.ids) > 1 else 0]
        return query >= 0 and ids[query] == ids[key]
    return bool(mask(batch, head, query, key))


def defined(mask: Mask, queries: int, keys: int) -> Tensor:
    """The mask as a tensor, asked for one query and one key at a time."""
    shape = mask.batch or 1 if mask.batch is not None else 1, mask.heads or 1, queries, keys
    shape = (mask.batch if mask.batch is not None else 1, *shape[1:])
    keep = torch.zeros(shape, dtype=torch.bool)
    for b, h, i, j in product(*map(range, shape)):
        keep[b, h, i, j] = said(mask, b, h, i + keys - queries, j, keys)
    return keep.view(mask.shape(queries, keys))


def ours(call: Callable[[], object]) -> object:
    """What a call gives, or the sentence with which the package refuses it; no other error."""
    try:
        return call()
    except (TypeError, ValueError) as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        said, where = str(error), frame.f_globals["__name__"]
    if not where.startswith("attention.") or not re.search("expected|is made for", said):
        pytest.fail(f"{where} raised, and not the package: {said}")
    return said
