"""What a mask is made with, and what its rule gives."""

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from attention.checks.kinds import brief, kind
from attention.checks.numbers import count
from attention.checks.tensors import INTEGERS, broadcasts, integers, shape, spreads, strided
from attention.holding import parts
from attention.transforms import traced


def properties(rule: type) -> None:
    """What a class of masks says by a name alone: a method there would be true, and no count."""
    for name in ("batch", "heads", "keys", "relative"):
        if isinstance(vars(rule).get(name), FunctionType):
            raise TypeError(f"{rule.__name__} has a method {name}: expected a property")


def counts(mask: Any, queries: int, keys: int) -> tuple[int, int]:
    """The counts that a mask is asked for."""
    queries, keys = count("queries", queries, 0), count("keys", keys, 0)
    made = mask.keys
    if made is not None and made != keys:  # not `in`: see `spreads`
        name = type(made_for(mask, made)).__name__
        raise ValueError(f"{name} is made for {made} keys: got {keys}")
    return queries, keys


def made_for(mask: Any, keys: int, *around: object) -> Any:
    """Of a mask and those that it is made of, the innermost that is made for so many keys."""
    for part in parts(mask).values():
        if getattr(part, "keys", None) == keys and not any(part is x for x in (mask, *around)):
            return made_for(part, keys, mask, *around)
    return mask


def ruled(
    keep: Any,
    mask: Any,
    expected: tuple[int, ...],
    device: torch.device,
    again: Callable[[Any], object],
) -> None:
    """What the rule of a mask gave, as a tensor; `again` asks a mask that it is made of."""
    name = type(mask).__name__
    truth(keep, mask)
    if keep.device == device and broadcasts(keep.shape, expected):
        return
    for part in mask._parts:  # one of them raises this error, with its own name
        again(part)
    if keep.device != device:
        raise ValueError(f"{name} gives a mask on {keep.device}: expected {device}")
    more = "; one that tells sequences or heads apart needs the property batch or heads"
    says = more if keep.ndim > len(expected) else ""
    raise ValueError(f"{name} gives shape {shape(keep)}: expected {expected}{says}")


def truth(keep: object, mask: Any) -> None:
    """What a rule says of positions that are tensors: one truth, or a tensor of them."""
    if isinstance(keep, Tensor) and not traced():  # Dynamo knows no layout in a backward pass
        strided(f"what {type(mask).__name__} gives", keep)
    if isinstance(keep, bool) or (isinstance(keep, Tensor) and keep.dtype == torch.bool):
        return
    came = keep.dtype if isinstance(keep, Tensor) else kind(keep)
    raise TypeError(
        f"{type(mask).__name__} gives {came}: expected torch.bool, where True means attend"
    )


def both_truths(left: Any, right: Any, one: Any, other: Any) -> None:
    """What the rules of two masks say, before it is joined."""
    truth(left, one)
    truth(right, other)
    # While compiling, sizes may be unknown: there torch itself refuses what does not fit.
    if isinstance(left, bool) or isinstance(right, bool) or traced():
        return
    names = type(one).__name__, type(other).__name__
    if left.device != right.device and left.ndim and right.ndim:
        raise ValueError(
            f"{names[0]} gives a mask on {left.device} and {names[1]} on {right.device}: "
            "expected one device"
        )
    sizes = zip(reversed(left.shape), reversed(right.shape), strict=False)
    if not all(spreads(a, b) or spreads(b, a) for a, b in sizes):
        raise ValueError(
            f"{names[0]} gives shape {shape(left)} and {names[1]} {shape(right)}: "
            "expected shapes that broadcast"
        )


def intervals(found: Any, mask: Any, expected: tuple[int, int]) -> None:
    """What the `intervals` of a mask gave."""
    name = type(mask).__name__
    for stretch in found if isinstance(found, Sequence) else (found,):
        if not isinstance(stretch, Sequence) or len(stretch) != 2:
            many = f" of {len(stretch)}" if isinstance(stretch, Sequence) else ""
            raise TypeError(
                f"{name} gives {kind(stretch)}{many} as an interval: expected a list of pairs, "
                "each a start and a stop"
            )
    for end in (end for stretch in found for end in stretch):
        if isinstance(end, int) and not isinstance(end, bool):
            continue
        if isinstance(end, Tensor):
            strided(f"what {name} gives", end)
        if not isinstance(end, Tensor) or end.dtype not in INTEGERS:
            came = end.dtype if isinstance(end, Tensor) else kind(end)
            raise TypeError(f"{name} gives intervals of {came}: expected integers")
        if not broadcasts(end.shape, expected):
            raise ValueError(
                f"{name} gives intervals of shape {shape(end)}: expected (batch, T), {expected}"
            )


def lengths(found: Any) -> None:
    """Of the sequences of a batch. What often comes is the table that they are the sums of."""
    if isinstance(found, Tensor) and not found.is_nested and found.ndim == 2:
        raise ValueError(
            f"lengths has shape {shape(found)}: expected (batch,), as attention_mask.sum(dim=-1)"
        )
    integers("lengths", found, "(batch,)", 1)


def side(name: object) -> None:
    if not isinstance(name, str) or name not in ("left", "right"):
        raise ValueError(f"side is {brief(name)}: expected 'left' or 'right'")


def pair(sign: str, left: Any, right: Any, base: type) -> None:
    """The two sides of `&` and `|`."""
    if isinstance(right, type) and issubclass(right, base):
        name = right.__name__
        raise TypeError(f"{sign} got the class {name}: expected an instance, {name}()")
    if not isinstance(right, base):
        raise TypeError(
            f"{sign} got {kind(right)}: expected a Mask on both sides; "
            "a tensor combines with to_tensor(queries, keys)"
        )
    for name in ("batch", "heads", "keys"):
        one, other = getattr(left, name), getattr(right, name)
        same = one == other or None in (one, other) or (name != "keys" and 1 in (one, other))
        if not same:
            raise ValueError(f"{sign} got masks made for {name} {one} and {other}: expected one")
