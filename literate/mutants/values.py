"""What lines outside of functions give: constants, defaults of arguments, settings of classes.

The file is run twice beside the module that exists, as it is and changed. Where the two differ,
the module, its classes and its functions take over what the changed one has.
"""

import dataclasses
import re
import sys
from collections.abc import Mapping
from pathlib import Path, PurePath
from types import CodeType, FunctionType
from typing import Any

# The default of a field of a dataclass that a function makes.
FACTORY = vars(dataclasses)["_HAS_DEFAULT_FACTORY"]
SIMPLE = (bool, int, float, str, type(None), re.Pattern, PurePath)


def carried(path: Path, changed: CodeType) -> bool:
    """Whether something differs. A file that no longer runs raises what importing it would."""
    module = sys.modules[".".join(path.with_suffix("").parts).removesuffix(".__init__")]
    head = {name: vars(module)[name] for name in ("__name__", "__package__", "__file__")}
    before, after = dict(head), dict(head)
    try:
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), before)
    except Exception:  # it registers what can be registered once
        return False
    exec(changed, after)
    return taken_over(before, after, module, module.__name__)


def taken_over(before: Mapping[str, Any], after: Mapping[str, Any], held: Any, name: str) -> bool:
    """Whether a name of a module or a class differs; what holds it then has the new value."""
    differs = False
    for key in before.keys() & after.keys() & vars(held).keys():
        old, new, now = before[key], after[key], vars(held)[key]
        if isinstance(new, type):
            if new.__module__ == name:
                differs |= taken_over(vars(old), vars(new), now, name)
        elif all(type(f) is FunctionType for f in map(function, (old, new, now))):
            differs |= defaults(*map(function, (old, new, now)))
        elif not key.startswith("__") and simple(old) and simple(new) and old != new:
            differs = True
            everywhere(held, key, now, new)
    return differs


def function(thing: Any) -> Any:
    """The function in a property, a static method or a method of a class."""
    return getattr(thing, "fget", None) or getattr(thing, "__func__", thing)


def defaults(old: FunctionType, new: FunctionType, now: FunctionType) -> bool:
    """Whether arguments have other defaults; the function that exists then has them too."""
    differs = False
    for name in ("__defaults__", "__kwdefaults__"):
        was, will = getattr(old, name), getattr(new, name)
        if simple(was) and simple(will) and was != will:
            differs = True
            setattr(now, name, will)
    return differs


def simple(value: Any) -> bool:
    """Whether values of this kind are equal if they are written alike."""
    match value:
        case dict():
            return all(map(simple, value.keys())) and all(map(simple, value.values()))
        case tuple() | list() | set() | frozenset():
            return all(map(simple, value))
    return isinstance(value, SIMPLE) or value is FACTORY


def everywhere(held: Any, key: str, now: Any, new: Any) -> None:
    """The new value in its place, and in each module that imported it."""
    setattr(held, key, new)
    for module in list(sys.modules.values()):
        if isinstance(held, type(sys)) and getattr(module, "__dict__", {}).get(key) is now:
            setattr(module, key, new)
