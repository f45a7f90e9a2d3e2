"""What each statement of a page reads, binds and may change: guessed from its text alone.

A guess that is wrong makes a script that prints something else, or none at all: the tests run
every script, and they decide.
"""

import ast
import builtins
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field

CHANCE = "<chance>"  # the state of the random numbers, as one more name
SETTINGS = "<settings>"  # how torch prints, and the like
DRAWS = re.compile(
    r"(rand\w*|multinomial|bernoulli|\w*normal_?|\w*uniform_?|\w*dropout|shuffle|sample|choices?"
    r"|Dropout|Linear|Embedding|\w*Attention|Transformer\w*|RNN|LSTM|GRU)"
)
SEEDS = ("manual_seed", "seed")
# What gives something that shares memory with what it is taken from; so does a new object.
VIEWS = re.compile(
    r"view|reshape|expand|transpose|flatten|unflatten|squeeze|unsqueeze|detach|permute|split|chunk"
    r"|unbind|diagonal|parameters|values|items|[A-Z]\w*|[a-z]\w*_"
)
ANY = re.compile(r"\w+")
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
MAY_NOT_RUN = (ast.If, ast.For, ast.While, ast.Try)


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
        now, later, self.binds = variables(symtable.symtable(ast.unparse(node), "", "exec"))
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


def variables(table: symtable.SymbolTable, top: bool = True) -> tuple[set[str], set[str], set[str]]:
    """The names of the page that are read at once, read inside functions, and bound."""
    mine = [symbol for symbol in table.get_symbols() if top or symbol.is_global()]
    now = {s.get_name() for s in mine if s.is_referenced()} - set(dir(builtins))
    bound = {s.get_name() for s in mine if s.is_assigned() or s.is_imported()}
    later: set[str] = set()
    for child in table.get_children():
        inner = variables(child, top=False)
        now, later, bound = now | inner[0], later | inner[1], bound | inner[2]
    # A comprehension runs at once, whatever the table says.
    if table.get_type() == "function" and not table.get_name().endswith(("comp", "genexpr")):
        now, later = set(), now | later
    return now, later, bound


def effects(statement: ast.stmt, known: Known) -> tuple[set[str], str]:
    """The names that it may change, and whether it first draws or seeds random numbers."""
    changed, chance = set[str](), ""
    for node in ast.walk(statement):
        changed |= {root(target) for target in targets(node)}
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
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


def called(statement: ast.stmt) -> set[str]:
    """The functions that it calls by their names."""
    calls = (node.func for node in ast.walk(statement) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def targets(node: ast.AST) -> Iterator[ast.AST]:
    """What is changed by an assignment to a part of it, or in place."""
    found = [node.target] if isinstance(node, ast.AugAssign) else []
    found = node.targets if isinstance(node, ast.Assign | ast.Delete) else found
    for target in found:
        for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if isinstance(node, ast.AugAssign) or isinstance(part, ast.Subscript | ast.Attribute):
                yield part


def grads(statement: ast.stmt, known: Known) -> set[str]:
    """The gradients that it reads, `x.grad` for a name or for what shares its memory."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and node.attr in {"grad", "step"}:
            name = root(node)
            found |= {f"{other}.grad" for other in {name} | known.shares.get(name, set())}
    return found


def shared(statement: ast.stmt) -> set[str]:
    """What the value of an assignment may share memory with."""
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.For) and isinstance(statement.iter, ast.Name | ast.Call):
        value = statement.iter
    held = {root(target) for target in targets(statement)}  # by what it becomes a part of
    return held.union(sources(value)) - {""}


def sources(value: ast.AST | None) -> Iterator[str]:
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
        yield root(value)
    elif isinstance(value, ast.Tuple | ast.List):
        for part in value.elts:
            yield from sources(part)
    elif isinstance(value, ast.Call):
        function = value.func
        name = function.attr if isinstance(function, ast.Attribute) else root(function)
        if VIEWS.fullmatch(name):
            yield root(value.func)
            for part in value.args:
                yield from sources(part)


def root(node: ast.AST, through: re.Pattern[str] = VIEWS) -> str:
    """The name from which attributes, items and calls of some names are taken."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
        if isinstance(node, ast.Call):
            node = node.func
            if isinstance(node, ast.Attribute) and not through.fullmatch(node.attr):
                return ""
        else:
            node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def of_module(function: ast.Attribute) -> bool:
    """Whether a seed is that of a module: `torch.manual_seed`, not that of one generator."""
    return root(function) in {"torch", "random", "np", "numpy"} and not any(
        isinstance(node, ast.Call) for node in ast.walk(function)
    )
