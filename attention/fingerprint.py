"""What a mask is made of: two with the same let the same queries attend to the same keys."""

from collections.abc import Iterator
from dis import get_instructions
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
    except (TypeError, RuntimeError, ValueError):  # a list, say, or a tensor that is no array
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


def content(part: object, seen: set[int] | None = None) -> object:
    """What a mask is made of, tensors by their content: they may change in place.

    The functions that were seen are not read again, by their numbers.
    """
    if isinstance(part, Mask):
        if (own := classes(type(part))) is None:
            raise TypeError(f"{type(part).__name__} may change unseen")
        held = vars(part)
        if own:
            held = {name: getattr(part, name) for name in held_names(own)} | held
        if not (held or own):
            return type(part)
        seen = set() if seen is None else seen
        return type(part), *codes(own, seen), *held, *(content(x, seen) for x in held.values())
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


def codes(own: tuple[type, ...], seen: set[int]) -> list[object]:
    """What methods and properties of classes are and do: a notebook may define them anew."""
    named = [pair for base in own for pair in vars(base).items() if hasattr(pair[1], "__get__")]
    found = [value for _, value in named]
    asked = [value for name, value in named if name not in UNASKED]
    inner = [getattr(value, "fget", None) or getattr(value, "__func__", value) for value in asked]
    unread = [value for value in inner if id(value) not in seen]
    changed = [told for method in unread for told in body(method, seen)]
    hash((*found, *changed))  # a TypeError here says that it cannot be kept
    return [*found, *changed]


def body(method: Any, seen: set[int]) -> list[object]:
    """What a method does: its code, what it takes when nothing is given, and what it reads."""
    seen.add(id(method))  # functions may call each other
    code = getattr(method, "__code__", None)
    if code is None and not isinstance(method, GetSetDescriptorType):  # as of `__dict__`
        raise TypeError(f"{type(method).__name__} may change unseen")
    if code is not None and {*code.co_freevars} - {"__class__"}:
        raise TypeError(f"{method.__name__} reads variables, and may change unseen")
    first = getattr(method, "__defaults__", None) or ()
    named = getattr(method, "__kwdefaults__", None) or {}
    given = [content(value, seen) for value in (*first, *(named[name] for name in sorted(named)))]
    variables = getattr(method, "__globals__", {})
    asked = () if code is None else names(code)
    told = [told for name in asked for told in read(name, variables, seen)]
    return [code, *sorted(named), *given, *told]


@lru_cache(256)
def names(code: CodeType) -> tuple[str, ...]:
    """What code asks its module for, and the code inside it; not what it asks an object for."""
    own = [x.argval for x in get_instructions(code) if x.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    inner = [name for part in code.co_consts if isinstance(part, CodeType) for name in names(part)]
    return tuple(dict.fromkeys(own + inner))


def read(name: str, variables: dict[str, Any], seen: set[int]) -> list[object]:
    """What is known by this name in a module or a notebook, which may give it to another."""
    value = variables.get(name)
    if name not in variables:
        return []
    if id(value) in seen:
        return [name, value]
    if isinstance(value, FunctionType) and value.__globals__ is variables and not vars(value):
        return [name, value, *body(value, seen)]
    if isinstance(value, type) and issubclass(value, Mask) and (own := classes(value)):
        held = [(name, content(getattr(value, name), seen)) for name in held_names(own)]
        return [name, value, *codes(own, seen), *held]
    return [name, value if elsewhere(value, variables) else content(value, seen)]


def elsewhere(value: object, variables: dict[str, Any]) -> bool:
    """Whether it is of another module, whose rules, functions and classes stay as they are."""
    if isinstance(value, FunctionType):  # one that wraps another has a closure
        return not (value.__closure__ or vars(value))
    if isinstance(value, BuiltinFunctionType):  # one of an object may change with it
        return value.__self__ is None or isinstance(value.__self__, ModuleType)
    if isinstance(value, type):  # with slots, say, a mask may hold what no name tells
        other = value.__module__ != variables.get("__name__")
        return other and (not issubclass(value, Mask) or classes(value) is not None)
    return isinstance(value, ModuleType)


def bytes_in(part: object) -> int:
    """How many bytes of tensors the content of a mask is."""
    if isinstance(part, tuple):
        return sum(map(bytes_in, part))
    return len(part) if isinstance(part, bytes) else 0
