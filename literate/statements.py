"""What each statement of a page reads, binds and may change: guessed from its text alone.

A guess that is wrong makes a script that prints something else, or none at all: the tests run
every script, and they decide.
"""

import ast
import re
from dataclasses import dataclass, field

from literate.syntax import ANY, called, root, shared, table, targets, variables

CHANCE = "<chance>"  # the state of the random numbers, as one more name
SETTINGS = "<settings>"  # how torch prints, and the like
DRAWS = re.compile(
    r"(rand\w*|multinomial|bernoulli|\w*normal_?|\w*uniform_?|\w*dropout|shuffle|sample|choices?"
    r"|Dropout|Linear|Embedding|\w*Attention|Transformer\w*|RNN|LSTM|GRU)"
)
SEEDS = ("manual_seed", "seed")
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
MAY_NOT_RUN = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
SAVES = {"save", "savefig", "show"}  # which change nothing that a page reads


@dataclass
class Known:
    """What is known of the names of a page, at one place of it."""

    later: dict[str, set[str]] = field(default_factory=dict)  # what calling a function reads
    changing: set[str] = field(default_factory=set)  # functions that change their arguments
    printing: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    made_of: dict[str, set[str]] = field(default_factory=dict)  # for gradients, which go back
    shares: dict[str, set[str]] = field(default_factory=dict)  # what may be the same memory

    def copy(self) -> "Known":
        both = ({k: set(v) for k, v in part.items()} for part in (self.made_of, self.shares))
        sets = (set(self.changing), set(self.printing), set(self.modules))
        return Known(dict(self.later), *sets, *both)

    def called(self, names: set[str]) -> set[str]:
        """These names, and all that calling them may read."""
        found: set[str] = set()
        while names:
            found |= names
            names = {other for name in names for other in self.later.get(name, ())} - found
        return found

    def bind(self, names: set[str], sources: set[str], views: set[str]) -> None:
        """Names that are made of sources, and share memory with some of them."""
        behind = sources.union(*(self.made_of.get(name, ()) for name in sources))
        group = views.union(*(self.shares.get(name, ()) for name in views))
        for name in names:
            self.made_of[name] = behind - {name}
            for other in self.shares.pop(name, set()) - group:
                self.shares[other].discard(name)
        for name in names | group if group else ():
            self.shares.setdefault(name, set()).update((names | group) - {name})


class Statement:
    """A statement at the top of a block, and the lines that it takes."""

    def __init__(self, node: ast.stmt, lines: list[str], known: Known) -> None:
        self.node = node
        self.first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        self.lines = lines[self.first - 1 : node.end_lineno]
        now, later, self.binds = variables(table(node))
        self.changes, chance = effects(node, known)
        if isinstance(node, DEFINES):
            self._define(node, later, chance, known)
            chance, later = "", set()
            known.bind(self.binds, set(), set())
        else:
            now, later = known.called(now), known.called(later)
            data = (now | later) - known.modules - known.later.keys()
            known.bind(self.binds, data - {CHANCE}, shared(node) & data)
        self.reads = now | later | grads(node, known)
        if CHANCE in self.reads or chance == "draws":
            self.reads.add(CHANCE)
            self.changes.add(CHANCE)
        elif chance == "seeds":
            self.binds = self.binds | {CHANCE}
        self.prints = bool(called(node) & known.printing)
        self.kills = set() if isinstance(node, MAY_NOT_RUN) else self.binds
        self.changes -= known.modules

    def _define(self, node: ast.stmt, later: set[str], chance: str, known: Known) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self.binds = {node.name}
            known.later[node.name] = later | ({CHANCE} if chance == "draws" else set())
            if self.changes and isinstance(node, ast.FunctionDef):
                known.changing.add(node.name)
            if called(node) & (known.printing | {"print"}):
                known.printing.add(node.name)
        else:
            known.modules |= self.binds
        self.changes = set()


def effects(statement: ast.stmt, known: Known) -> tuple[set[str], str]:
    """The names that it may change, and whether it first draws or seeds random numbers."""
    changed, chance = set[str](), ""
    for node in ast.walk(statement):
        changed |= {root(target) for target in targets(node)}
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)) if (
                method.attr not in SAVES
            ):
                changed.add(root(method))  # called for nothing but its effect
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else root(node.func)
        generators = {root(word.value) for word in node.keywords if word.arg == "generator"}
        changed |= generators
        if name.startswith("set_") and root(node.func) in known.modules:
            changed.add(SETTINGS)
        if name in SEEDS and isinstance(node.func, ast.Attribute) and of_module(node.func):
            chance = chance or "seeds"
        elif DRAWS.fullmatch(name) and not generators:
            chance = chance or "draws"
        if name == "backward":
            loss = root(node.func, ANY)
            changed |= {f"{leaf}.grad" for leaf in known.made_of.get(loss, set()) | {loss}}
        elif name == "step":
            changed |= known.shares.get(root(node.func), set())
        elif name.endswith("_") and isinstance(node.func, ast.Attribute):
            changed.add(root(node.func))
        if name in known.changing or name == "next" or name.endswith("_"):
            changed |= {root(argument) for argument in node.args} | known.later.get(name, set())
    changed.discard("")
    return changed.union(*(known.shares.get(name, ()) for name in changed)), chance


def grads(statement: ast.stmt, known: Known) -> set[str]:
    """The gradients that it reads, `x.grad` for a name or for what shares its memory."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and node.attr in {"grad", "step"}:
            name = root(node)
            found |= {f"{other}.grad" for other in {name} | known.shares.get(name, set())}
    return found


def of_module(function: ast.Attribute) -> bool:
    """Whether a seed is that of a module: `torch.manual_seed`, not that of one generator."""
    return root(function) in {"torch", "random", "np", "numpy"} and not any(
        isinstance(node, ast.Call) for node in ast.walk(function)
    )
