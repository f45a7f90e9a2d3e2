"""What was made of a mask, kept for the next call with an equal one."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from torch import Tensor

from attention.masks.base import Mask

Made = TypeVar("Made")


class Kept(Generic[Made]):
    """The last few things made, by name."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.made: OrderedDict[object, Made] = OrderedDict()
        self.lock = Lock()

    def get(self, name: object, make: Callable[[], Made]) -> Made:
        """What was made under this name, or what is made now."""
        try:
            with self.lock:
                if name in self.made:
                    self.made.move_to_end(name)
                    return self.made[name]
        except TypeError:  # a mask of somebody's own that holds a list, say
            return make()
        made = make()
        with self.lock:
            self.made[name] = made
            while len(self.made) > self.most:
                self.made.popitem(last=False)
        return made


def value(part: object) -> object:
    """What a mask is made of, tensors by their content: they may change in place."""
    if isinstance(part, Mask):
        return type(part), *(value(held) for held in vars(part).values())
    if isinstance(part, Tensor):  # elsewhere than on a CPU, as itself
        return (part.dtype, part.shape, part.numpy().tobytes()) if part.is_cpu else part
    return part
