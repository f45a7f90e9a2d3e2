"""What is known of the names of a page, at one place of it."""

from copy import deepcopy
from dataclasses import dataclass, field


@dataclass
class Known:
    """What is known of the names of a page, at one place of it."""

    later: dict[str, set[str]] = field(default_factory=dict)  # what calling a name may read
    made_of: dict[str, set[str]] = field(default_factory=dict)  # for gradients, which go back
    shares: dict[str, set[str]] = field(default_factory=dict)  # what may be the same memory
    defined: set[str] = field(default_factory=set)  # functions and classes
    plain: set[str] = field(default_factory=set)  # functions that give nothing that changes
    changing: set[str] = field(default_factory=set)  # what changes, when used, itself and others
    printing: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)

    def copy(self) -> "Known":
        return deepcopy(self)

    def called(self, names: set[str]) -> set[str]:
        """These names, and all that calling them may read."""
        found: set[str] = set()
        while names:
            found |= names
            names = {other for name in names for other in self.later.get(name, ())} - found
        return found

    def forget(self, names: set[str]) -> None:
        """These names are bound anew."""
        for name in names:
            for other in self.shares.pop(name, set()):
                self.shares[other].discard(name)
            self.later.pop(name, None)
        for kind in (self.changing, self.plain, self.modules, self.defined, self.printing):
            kind -= names

    def does(self, names: set[str], reads: set[str]) -> None:
        """Calling these names may read more than was known."""
        for name in names:
            self.later[name] = self.later.get(name, set()) | reads

    def join(self, names: set[str], views: set[str]) -> None:
        """From here on each of these names may share memory with the others and with the views."""
        for name in names:
            for other in (names | self.alike(views)) - {name}:
                self.shares.setdefault(name, set()).add(other)
                self.shares.setdefault(other, set()).add(name)

    def alike(self, names: set[str]) -> set[str]:
        """These names, and all that may share their memory."""
        return names.union(*(self.shares.get(name, ()) for name in names))
