"""A kernel on Triton's interpreter, which reads its source again: a mutant must stand there too."""

import ast
import linecache
import sys
from collections.abc import Iterable
from types import FunctionType

from literate.mutants.code import inner


def reread(path: str, module: ast.Module, known: Iterable[FunctionType]) -> bool:
    """Whether there is an interpreter; its functions of this file are then the changed ones."""
    if "triton.runtime.interpreter" not in sys.modules:
        return False
    text = ast.unparse(module)
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    code = {c.co_qualname: c for c in inner(compile(text, path, "exec", dont_inherit=True))}
    for function in known:
        function.__code__ = code.get(function.__qualname__, function.__code__)
    sys.modules["triton.runtime.interpreter"].InterpretedFunction.rewritten_fn.clear()
    return True
