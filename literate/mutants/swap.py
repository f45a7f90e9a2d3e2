"""Put a mutant into the running process, whose modules and tests are imported already.

The functions that exist take over the code of those of the same name and place in the changed
file. So nothing is imported again: a mutant costs what its tests cost.
"""

import gc
from collections import defaultdict
from types import CodeType, FunctionType

from literate.mutants.code import inner
from literate.mutants.interpreted import reread
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
    path, module = str(mutant.path.resolve()), tree(mutant)
    if mutant.function and "@triton.jit" in mutant.path.read_text("utf-8"):
        return "code" if reread(path, module, known[path]) else ""
    changed = compile(module, path, "exec", dont_inherit=True)
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
