"""The tensors that a mask holds, wherever they lie in it."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

from torch import Tensor
from torch.utils._pytree import tree_leaves


def held(mask: object, *around: object) -> Iterator[tuple[str, str, Tensor]]:
    """Each tensor that a mask, or a mask or data class in it, holds: whose, its name, and itself.

    Those around it are not asked again: a mask may hold one that holds it.
    """
    for name, whole in parts(mask).items():
        for part in tree_leaves(whole) if isinstance(whole, tuple | list | dict) else (whole,):
            if isinstance(part, Tensor):
                yield type(mask).__name__, name, part
            elif any(part is other for other in (mask, *around)):
                continue
            elif holder(part):
                yield from held(part, mask, *around)


def holder(part: object) -> bool:
    """Whether it may hold tensors of a mask: it is a mask or a data class."""
    return hasattr(type(part), "to_tensor") or is_dataclass(type(part))


def parts(mask: object) -> dict[str, Any]:
    """What a mask holds, by name; also what lies in slots, beside its `vars`."""
    found = dict(getattr(mask, "__dict__", {}))
    for base in type(mask).__mro__:
        slots = vars(base).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            own = f"_{base.__name__.lstrip('_')}"  # what Python puts before private names
            name = f"{own}{slot}" if slot.startswith("__") else slot
            if hasattr(mask, name):
                found[name] = getattr(mask, name)
    return found
