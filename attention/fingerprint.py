"""What a mask is made of: two with the same let the same queries attend to the same keys."""

from collections.abc import Iterator
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple
from weakref import ref

from torch import Tensor

from attention.masks.base import Mask

PLAIN = (bool, int, float, str, type(None))  # what cannot change unseen; a subclass of one can
# What a data class makes under these names reads variables. No rule asks them what it lets through.
UNASKED = {"__init__", "__repr__", "__setattr__", "__delattr__"}
MAX_BYTES = 1 << 22  # bytes of a tensor that are compared, and kept, in each call: 1 ms


class Outline(NamedTuple):
    """What a mask of ours is made of. It is frozen: only what its tensors hold can change."""

    mask: ref[Mask]
    fixed: object
    tensors: list[ref[Tensor]]  # that the mask holds

    def filled(self) -> object:
        return (self.fixed, *(content(x()) for x in self.tensors)) if self.tensors else self.fixed


# By the number of a mask, as long as it lives. To find all of its content in each call took 10 µs
# of the 148 of one for 64 tokens.
outlines: dict[int, Outline] = {}


def label(mask: Mask) -> object:
    """The content of a mask; None where it may change unseen, and nothing is kept."""
    number = id(mask)
    known = outlines.get(number)
    try:
        if known is None or known.mask() is not mask:  # should another have had its number
            tensors: list[ref[Tensor]] = []
            if (fixed := outline(mask, tensors)) is None:
                return content(mask)
            itself = ref(mask, lambda _: outlines.pop(number, None))
            known = outlines[number] = Outline(itself, fixed, tensors)
        return known.filled()
    except (TypeError, RuntimeError):  # it holds a list, say, or a tensor that is no array
        return None


def outline(part: object, tensors: list[ref[Tensor]]) -> object:
    """What is fixed of a mask of ours, and its tensors into the list; None if it holds others."""
    if isinstance(part, Mask):
        if classes(type(part)) != ():
            return None
        parts = [outline(x, tensors) for x in vars(part).values()]
        return None if None in parts else (type(part), *vars(part), *parts)
    if isinstance(part, Tensor):
        tensors.append(ref(part))
        return Tensor
    return content(part)


def content(part: object) -> object:
    """What a mask is made of, tensors by their content: they may change in place."""
    if isinstance(part, Mask):
        if (own := classes(type(part))) is None:
            raise TypeError(f"{type(part).__name__} may change unseen")
        held = vars(part)
        if own:
            held = {name: getattr(part, name) for name in held_names(own)} | held
        if not (held or own):
            return type(part)
        return type(part), *codes(own), *held, *map(content, held.values())
    if isinstance(part, Tensor) and part.nbytes <= MAX_BYTES:
        return part.dtype, part.shape, part.numpy().tobytes()
    if type(part) in PLAIN:
        # 1 is True and 0.0 is −0.0, but a rule may tell them apart.
        return type(part), part, repr(part)
    raise TypeError(f"{type(part).__name__} may change unseen")


@lru_cache(64)
def classes(mask: type[Mask]) -> tuple[type, ...] | None:
    """Those that are not ours, and may hold something; None if it holds what no name tells.

    A mask with slots, or one that is a list or a number besides, takes more than a plain object.
    """
    if (mask.__basicsize__, mask.__itemsize__) != (Mask.__basicsize__, 0):
        return None
    return tuple(
        base
        for base in mask.__mro__
        if base is not object and not base.__module__.startswith("attention.")
    )


def held_names(own: tuple[type, ...]) -> Iterator[str]:
    """The names under which classes hold something now: methods aside, and what Python keeps."""
    for base in own:
        for name, value in vars(base).items():
            hidden = name.startswith(("__", "_abc_")) and name != "__call__"
            if not (hidden or hasattr(value, "__get__")):
                yield name


def codes(own: tuple[type, ...]) -> list[object]:
    """What methods and properties of classes are and do: a notebook may define them anew."""
    named = [pair for base in own for pair in vars(base).items() if hasattr(pair[1], "__get__")]
    found = [value for _, value in named]
    asked = [value for name, value in named if name not in UNASKED]
    inner = [getattr(value, "fget", None) or getattr(value, "__func__", value) for value in asked]
    changed = [told for method in inner for told in body(method)]
    hash((*found, *changed))  # a TypeError here says that it cannot be kept
    return [*found, *changed]


def body(method: Any, *around: object) -> list[object]:
    """What a method does: its code, what it takes when nothing is given, and what it reads.

    Those around it are not asked again: functions may call each other.
    """
    code = getattr(method, "__code__", None)
    if code is None and not isinstance(method, GetSetDescriptorType):  # as of `__dict__`
        raise TypeError(f"{type(method).__name__} may change unseen")
    if code is not None and {*code.co_freevars} - {"__class__"}:
        raise TypeError(f"{method.__name__} reads variables, and may change unseen")
    first = getattr(method, "__defaults__", None) or ()
    named = getattr(method, "__kwdefaults__", None) or {}
    given = [*map(content, first), *((name, content(named[name])) for name in sorted(named))]
    variables = getattr(method, "__globals__", {})
    told = [told for name in names(code) for told in read(name, variables, method, *around)]
    return [code, *given, *told]


def names(code: CodeType | None) -> Iterator[str]:
    """What code asks for by name, and the code inside it."""
    if code is not None:
        yield from code.co_names
        for part in code.co_consts:
            yield from names(part if isinstance(part, CodeType) else None)


def read(name: str, variables: dict[str, Any], *around: Any) -> list[object]:
    """What is known by this name in a module or a notebook, which may give it to another."""
    value = variables.get(name)
    if name not in variables or any(value is other for other in around):
        return []
    if isinstance(value, FunctionType) and value.__globals__ is variables:
        return [name, value, *body(value, *around)]
    if isinstance(value, FunctionType | BuiltinFunctionType | ModuleType | type):
        return [name, value]
    return [name, content(value)]


def bytes_in(part: object) -> int:
    """How many bytes of tensors the content of a mask is."""
    if isinstance(part, tuple):
        return sum(map(bytes_in, part))
    return len(part) if isinstance(part, bytes) else 0
