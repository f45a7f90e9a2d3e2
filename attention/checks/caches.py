"""What a cache is made with, what comes into it, and which calls it fits."""

from typing import Any

from torch import Tensor

from attention.checks.kinds import brief, kind
from attention.checks.numbers import count, flag
from attention.checks.tensors import counted, floats, integers, one_device, one_dtype, shape
from attention.transforms import traced


def capacity(positions: object, fixed: object) -> int | None:
    flag("fixed", fixed)
    if positions is not None:
        return count("capacity", positions, 1)
    if fixed:
        raise ValueError("capacity is None but fixed is True: expected a count of at least 1")
    return None


def cached(key: Any, value: Any, keys: Tensor | None, values: Tensor | None) -> None:
    """Keys and values that come, each by itself, together, and beside those that are held."""
    floats("key", key)
    floats("value", value)
    if key.ndim < 3 or key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            "key and value do not go together: expected key (…, K, T, D) and value (…, K, T, E), "
            f"got key {shape(key)} and value {shape(value)}"
        )
    if keys is not None and values is not None:
        like_held("key", key, keys)
        like_held("value", value, values)
    else:
        one_device("value", value, "key", key)
        one_dtype("value", value, "key", key)


def like_held(name: str, x: Tensor, held: Tensor) -> None:
    one_device(name, x, "the cache", held)
    one_dtype(name, x, "the cache", held)
    for what, came, there in (
        ("batch axes", shape(x)[:-3], shape(held)[:-3]),
        ("heads", x.shape[-3], held.shape[-3]),
        ("width", x.shape[-1], held.shape[-1]),
    ):
        if came != there:
            raise ValueError(
                f"{name} has {what} {came} but the cache has {there}: expected the same"
            )


def inside(made: int, now: int) -> None:
    """What torch.func makes ends with it: a cache from outside would hold what is gone."""
    if now > made:
        raise ValueError(
            "cache was made outside of a transform of torch.func, such as vmap or grad: expected "
            "one that is made in the function that is transformed"
        )


def exported(made: bool, now: bool) -> None:
    """What is exported has the length of its cache as a constant, and writes while it is traced."""
    if now and not made:
        raise ValueError(
            "cache was made outside of what is exported: expected one that is made in it, "
            "with keys and values that go in and come out"
        )


def full(length: int, tokens: int, room: int) -> None:
    if length + tokens > room:
        raise ValueError(
            f"cache is full: {counted(tokens, 'position')} came and {length} of {room} are taken, "
            f"expected at most {room - length}, or a cache that is not fixed"
        )


def cropped(length: Any, held: int) -> int:
    length = count("length", length, 0)
    if length > held:
        raise ValueError(f"length is {length} but the cache has {held}: expected no more")
    return length


def forgotten(length: int, held: int, window: int) -> None:
    if 0 < length < held and held > window:
        raise ValueError(
            f"cache cannot go back from {held} to {length}: of what came before, only a window of "
            f"{window} is held; expected a length of 0, a KVCache, or at most {window} positions "
            "before"
        )


def order(index: Any, held: Tensor | None, name: str) -> None:
    integers("index", index, "(sequences,)", 1)
    if held is None or held.ndim < 4:
        has = "nothing yet" if held is None else "one sequence, without a batch axis"
        raise ValueError(f"{name} holds {has}: expected a batch to reorder")
    one_device("index", index, f"the {name}", held)
    if index.is_meta or traced():
        return  # no values to look at
    if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < held.shape[0]:
        raise ValueError(
            f"index goes from {int(index.min())} to {int(index.max())}: "
            f"expected 0 to {held.shape[0] - 1}, the sequences of the {name}"
        )


def reach(mask: Any, window: int, length: int, queries: int) -> None:
    """Whether a mask looks back no farther than a window, from the queries that come.

    A later query is asked about too: so most masks that look too far are refused in the first call,
    where nothing is gone yet.
    """
    late = 2 * window
    for first, last in ((late, late), (length, length + queries - 1)):
        if mask is None or mask.span(first, last, last + 1)[0] <= first - window:
            raise ValueError(
                f"mask {brief(mask)} may attend to what a rolling cache no longer holds: expected "
                f"SlidingWindow({window}) in it, as in Causal() & SlidingWindow({window})"
            )


def alone(cache: object, key: object, expected: type) -> None:
    """What a module is called with beside its query."""
    if isinstance(cache, type):
        raise TypeError(f"cache is the class {cache.__name__}: expected an instance")
    if not isinstance(cache, expected):
        raise TypeError(f"cache is {kind(cache)}: expected KVCache() or RollingKVCache(window)")
    if key is not None:
        raise ValueError(
            "key is given with a cache: expected the query alone, whose keys the cache takes up; "
            "another sequence is read without a cache, by its tokens or by what remember makes"
        )


def remembered(positions: object) -> None:
    if positions is not None:
        raise ValueError(
            f"positions is {brief(positions)}: expected None to remember another sequence, "
            "from which there is no distance"
        )


def memory(memory: Any, query: Tensor, value: object, module: Any) -> None:
    """Keys and values of another sequence, that another call has made."""
    if value is not None:
        raise ValueError("value is given with a Memory: expected none, since it holds the values")
    remembered(module.positions)
    expected = module.num_kv_heads, module.head_dim
    for name, x in (("keys", memory.key), ("values", memory.value)):
        came = tuple(x.shape[-3::2])
        if came != expected:
            raise ValueError(
                f"memory has {name} of {counted(came[0], 'head')} of width {came[1]}: expected "
                f"{expected[0]} of width {expected[1]}, as this module's remember makes it"
            )
        batch = tuple(query.shape[:-2])
        if tuple(x.shape[:-3]) != batch:
            raise ValueError(
                f"memory has {name} with batch axes {tuple(x.shape[:-3])}: expected {batch}, "
                "as query has"
            )
