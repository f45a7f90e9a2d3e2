"""What was made of a mask, kept for the next call with an equal one."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

import torch

from attention.fingerprint import bytes_in, label
from attention.masks.base import Mask

Made = TypeVar("Made")


class Kept(Generic[Made]):
    """The last few things made of masks, oldest out: at most `most`, and `most_bytes` in all.

    `nbytes` says how many bytes one takes, beside those of the mask that it is kept by.
    """

    def __init__(
        self,
        most: int,
        most_bytes: int = 1 << 26,
        nbytes: Callable[[Made], int] = lambda made: 0,
    ) -> None:
        self.most, self.most_bytes, self.nbytes = most, most_bytes, nbytes
        self.made: dict[object, tuple[Made, int]] = {}  # and its bytes, oldest first
        self.lock = Lock()  # to write; whoever reads meets what was there before or after

    def get(self, mask: Mask, beside: object, make: Callable[[], Made]) -> Made:
        """What was made of an equal mask and the same beside it, or what is made now."""
        found = label(mask)
        return make() if found is None else self.under((found, beside), make)

    def known(self, name: object) -> Made | None:
        """What was made under this name; None if nothing was, or that is what was made."""
        found = self.made.get(name)
        return None if found is None else found[0]

    def under(self, name: object, make: Callable[[], Made]) -> Made:
        """What was made under this name, or what is made now."""
        if (found := self.made.get(name)) is not None:  # a pair; None may have been made
            return found[0]
        learns = torch.is_grad_enabled()
        # Outside of inference mode, since a later call may save it for its gradient.
        with torch.inference_mode(False), torch.set_grad_enabled(learns):
            made = make()
        nbytes = self.nbytes(made) + bytes_in(name)
        if nbytes > self.most_bytes:
            return made
        with self.lock:
            self.made[name] = made, nbytes
            while len(self.made) > self.most or self.total() > self.most_bytes:
                del self.made[next(iter(self.made))]
        return made

    def total(self) -> int:
        return sum(nbytes for _, nbytes in self.made.values())
