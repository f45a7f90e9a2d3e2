"""What a page's module holds, kept so that an attempt at an exercise leaves no trace.

Running the page again would do too, and takes a second for each attempt. Values are copied as a
whole, so that two names of one list stay names of one list. What cannot change, or belongs to a
library that is not copied, is shared.
"""

import builtins
import io
import pickle
import types
from collections.abc import Callable
from typing import Any

Names = dict[str, Any]
SHARED = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


class Pickler(pickle.Pickler):
    """A class: Python 3.13 does not let `persistent_id` of an instance be set."""

    def __init__(self, file: io.BytesIO, share: Callable[[object], int | None]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.share = share

    def persistent_id(self, obj: object) -> int | None:
        return self.share(obj)


class Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, shared: list[Any]) -> None:
        super().__init__(file)
        self.shared = shared

    def persistent_load(self, pid: int) -> Any:
        return self.shared[pid]


class Snapshot:
    """The names of a module at one moment; `TypeError` and the like where one cannot be kept."""

    def __init__(self, names: Names) -> None:
        self.shared: list[Any] = []
        self.versions: list[int] = []  # of the tensors among them: each change in place adds one
        self.data = io.BytesIO()
        Pickler(self.data, self._share).dump(dict(names))

    def restore(self, names: Names) -> None:
        """Put the names back, in the module's own dictionary: its functions look there."""
        self.data.seek(0)
        kept = Unpickler(self.data, self.shared).load()
        names.clear()
        names.update(kept)

    def same(self, other: "Snapshot") -> bool:
        """Whether the names held the same at both moments."""
        if self.data.getvalue() != other.data.getvalue() or self.versions != other.versions:
            return False
        return all(a is b for a, b in zip(self.shared, other.shared, strict=True))

    def _share(self, value: object) -> int | None:
        if (
            value is vars(builtins)
            or isinstance(value, SHARED)
            or drawn(value)
            or has_history(value)
        ):
            self.shared.append(value)
            self.versions.append(getattr(value, "_version", 0) if has_history(value) else 0)
            return len(self.shared) - 1
        return None


def drawn(value: object) -> bool:
    return type(value).__module__.startswith("matplotlib")


def has_history(value: object) -> bool:
    """Whether a value is a tensor that was computed from ones with a gradient: it has no copy."""
    return getattr(value, "grad_fn", None) is not None
