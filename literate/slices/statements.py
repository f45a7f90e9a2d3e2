"""What each statement of a page reads, binds and may change: guessed from its text alone.

A guess that is wrong makes a script that prints something else, or none at all: the tests run
every script, and they decide.
"""

import ast
import builtins

from literate.pages.sources import first
from literate.pages.syntax import called, calls, inside, name_of, table, variables
from literate.slices.effects import DEFINES, drops, effects, grads, idle, once, prints
from literate.slices.known import Known
from literate.slices.sharing import bound, sources

CHANCE = "<chance>"  # the state of the random numbers, as one more name
DROPS = "<dropout>"  # what modules that draw whenever they are called are made of
MAY_NOT_RUN = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
GIVES = ast.Yield | ast.YieldFrom  # what a function has that gives what changes


class Statement:
    """A statement at the top of a block, and the lines that it takes."""

    def __init__(self, node: ast.stmt, lines: list[str], known: Known) -> None:
        self.node = node
        self.first = first(node)
        self.lines = lines[self.first - 1 : node.end_lineno]
        now, later, self.binds = variables(table(node))
        self.kills = set() if isinstance(node, MAY_NOT_RUN) else self.binds
        if isinstance(node, ast.For):  # what it binds before its body reads it
            now -= inside(node.target) - inside(node.iter)
        used = known.called(now | later)
        self.changes, chance = effects(node, known, used)
        if isinstance(node, DEFINES):
            self._define(node, now | later, chance, known)
            chance, used = "", now
        else:
            self._bind(node, used, later, known)
            self.changes = known.alike(self.changes) - known.modules
        self.reads = used | grads(node, known)
        if {CHANCE, DROPS} & used or chance == "draws":
            self.reads.add(CHANCE)
            self.changes.add(CHANCE)
        elif chance == "seeds":
            self.binds = self.binds | {CHANCE}
            if not isinstance(node, MAY_NOT_RUN):
                self.kills = self.binds
        said = prints(node)
        self.silent = [one for one in said if idle(one, known)]
        aloud = not isinstance(node, DEFINES) and self.silent != said
        self.prints = aloud or bool(called(node) & known.printing)

    def _bind(self, node: ast.stmt, used: set[str], later: set[str], known: Known) -> None:
        seen = used - known.modules - {CHANCE, *vars(builtins)}
        data = seen - known.defined
        behind = data.union(*(known.made_of.get(name, ()) for name in data))
        before = known.copy()
        anew = set() if isinstance(node, ast.AugAssign) else set(self.kills)
        known.forget(anew)
        for target, value in bound(node):
            into = {*sources(target)}
            views = {*sources(value)} & seen
            known.does(into, before.called(views) - views - {CHANCE})
            made = {name_of(part) for part in calls(value)} & before.plain
            if views & before.changing - made:
                known.changing |= into
            if views & anew:  # as in `x = x.view(2)`: what it was shared
                views = (views | before.alike(views)) - anew
            held = before.alike(into - self.binds)  # who has it has what becomes a part of it
            known.join(into | held, views - known.modules - known.defined)
        for name in self.binds:
            known.made_of[name] = behind - {name}
        value = getattr(node, "value", None)
        parted = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
        if parted and not isinstance(value, ast.Tuple):
            value = None  # as in `a, b = (f(x) for x in xs)`: it is used up at once
        lazy = later | (data if isinstance(value, ast.GeneratorExp) else set())
        known.does(self.binds, lazy | ({DROPS} if any(map(drops, calls(node))) else set()))
        if once(value):
            known.changing |= self.binds

    def _define(self, node: ast.stmt, later: set[str], chance: str, known: Known) -> None:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            known.forget(self.binds)
            known.modules |= self.binds
        else:
            self.binds = self.kills = {node.name}
            known.forget(self.binds)
            known.defined.add(node.name)
            known.later[node.name] = later | ({CHANCE} if chance else set())
            known.does(self.binds, {DROPS} if any(map(drops, calls(node))) else set())
            gives = any(isinstance(part, GIVES) for part in ast.walk(node) if part is not node)
            if self.changes or gives:
                known.changing.add(node.name)
            if isinstance(node, ast.FunctionDef) and not gives:
                known.plain.add(node.name)
            if called(node) & (known.printing | {"print"}):
                known.printing.add(node.name)
        self.changes = set()
