"""Put a mutant into the running process, whose modules and tests are imported already.

The functions that exist take over the code of those of the same name and place in the changed
file. So nothing is imported again: a mutant costs what its tests cost.
"""

import gc
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType

from literate.mutants.mutant import Mutant, tree

Functions = dict[str, list[FunctionType]]
Swaps = list[tuple[FunctionType, CodeType]]


def functions() -> Functions:
    """All functions of the process, by the file that they stand in."""
    found: Functions = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:  # isinstance would wake the proxies of others
            found[thing.__code__.co_filename].append(thing)
    return found


def swaps(mutant: Mutant, known: Functions) -> Swaps:
    """The functions that a mutant changes, and their new code; none if none can take it over."""
    path = str(mutant.path.resolve())
    changed = compile(tree(mutant), path, "exec", dont_inherit=True)
    code = {(c.co_qualname, c.co_firstlineno): c for c in inner(changed)}
    found = []
    for function in known[path]:
        old = function.__code__
        new = code.get((old.co_qualname, old.co_firstlineno), old)
        if new.co_freevars != old.co_freevars:
            return []
        if new != old:
            found.append((function, new))
    return found


def inner(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions that stand in some code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from inner(constant)
