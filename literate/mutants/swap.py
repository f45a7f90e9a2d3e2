"""Put a mutant into the running process, whose modules and tests are imported already.

The functions that exist take over the code of those of the same name and place in the changed
file. So nothing is imported again: a mutant costs what its tests cost.
"""

import gc
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType

from literate.mutants.mutant import Mutant, tree
from literate.mutants.values import carried

Functions = dict[str, list[FunctionType]]


def functions() -> Functions:
    """All functions of the process, by the file that they stand in."""
    found: Functions = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:  # isinstance would wake the proxies of others
            found[thing.__code__.co_filename].append(thing)
    return found


def put(mutant: Mutant, known: Functions) -> str:
    """What a mutant changed: the `code` of functions, `values` that they use, or nothing."""
    path = str(mutant.path.resolve())
    changed = compile(tree(mutant), path, "exec", dont_inherit=True)
    if swapped(changed, known[path]):
        return "code"
    return "values" if carried(mutant.path, changed) else ""


def swapped(changed: CodeType, known: list[FunctionType]) -> bool:
    """Whether a function has other code in the changed file, which it takes over."""
    code = {(c.co_qualname, c.co_firstlineno): c for c in inner(changed)}
    found = []
    for function in known:
        old = function.__code__
        new = code.get((old.co_qualname, old.co_firstlineno), old)
        if new.co_freevars != old.co_freevars:
            return False
        if new != old:
            found.append((function, new))
    for function, new in found:
        function.__code__ = new
    return bool(found)


def inner(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions that stand in some code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from inner(constant)
