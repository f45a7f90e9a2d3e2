"""What each statement of a page reads, binds and may change: guessed from its text alone.

A guess that is wrong makes a script that prints something else, or none at all: the tests run
every script, and they decide.
"""

import ast
import builtins

from literate.aloud import idle, prints, stands_alone
from literate.effects import DEFINES, drops, effects, grads, once
from literate.known import Known
from literate.sharing import bound, sources
from literate.syntax import called, name_of, table, variables

CHANCE = "<chance>"  # the state of the random numbers, as one more name
MAY_NOT_RUN = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
GIVES = ast.Yield | ast.YieldFrom | ast.Nonlocal  # what a function has that gives what changes


class Statement:
    """A statement at the top of a block, and the lines that it takes."""

    def __init__(self, node: ast.stmt, lines: list[str], known: Known) -> None:
        self.node = node
        self.first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        self.lines = lines[self.first - 1 : node.end_lineno]
        if not stands_alone(node, lines):
            self.lines = [ast.unparse(node)]
        now, later, self.binds = variables(table(node))
        self.kills = set() if isinstance(node, MAY_NOT_RUN) else self.binds
        used = known.called(now | later)
        changed, chance = effects(node, known, used)
        self.changes = known.alike(changed)
        if isinstance(node, DEFINES):
            self._define(node, now | later, chance, known)
            chance, used = "", known.called(now)
        else:
            self._bind(node, used, later, known)
        self.changes |= known.alike(changed) if not isinstance(node, DEFINES) else set()
        self.reads = used | grads(node, known)
        if CHANCE in used or chance == "draws":
            self.reads.add(CHANCE)
            self.changes.add(CHANCE)
        elif chance == "seeds":
            self.binds = self.binds | {CHANCE}
            self.kills = self.kills | ({CHANCE} if self.kills == self.binds - {CHANCE} else set())
        self.silent = [one for one in prints(node) if idle(one, lines, known)]
        aloud = not isinstance(node, DEFINES) and len(self.silent) < len([*prints(node)])
        self.prints = aloud or bool(called(node) & known.printing)
        self.changes -= known.modules

    def _bind(self, node: ast.stmt, used: set[str], later: set[str], known: Known) -> None:
        seen = used - known.modules - {CHANCE, *vars(builtins)}
        data = seen - known.defined
        behind = data.union(*(known.made_of.get(name, ()) for name in data))
        before = known.copy()
        anew = set() if isinstance(node, ast.AugAssign) else set(self.kills)
        known.forget(anew)
        for target, value in bound(node):
            into = {*sources(target)} & (seen | self.binds) - {"_"}
            views = {*sources(value)} & seen
            known.does(into, before.called(views) - views)
            call = {name_of(value)} if isinstance(value, ast.Call) else set[str]()
            if views & before.changing - (call & before.plain):
                known.changing |= into
            if views & anew:  # as in `x = x.view(2)`: what it was shared
                views = (views | before.alike(views)) - anew
            if into:
                known.join(into | views - known.modules - known.defined)
        for name in self.binds:
            known.made_of[name] = behind - {name}
        value = getattr(node, "value", None)
        lazy = later | (data if isinstance(value, ast.GeneratorExp) else set())
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
        known.does(self.binds, lazy | ({CHANCE} if any(map(drops, calls)) else set()))
        if once(value):
            known.changing |= self.binds

    def _define(self, node: ast.stmt, later: set[str], chance: str, known: Known) -> None:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            known.forget(self.binds)
            known.modules |= self.binds
        else:
            inside = self.binds - {node.name}  # what it binds by `global`
            self.binds = self.kills = {node.name}
            known.forget(self.binds)
            known.defined.add(node.name)
            known.later[node.name] = later | inside | ({CHANCE} if chance else set())
            gives = any(isinstance(part, GIVES) for part in ast.walk(node) if part is not node)
            if self.changes | inside or gives:
                known.changing.add(node.name)
            if isinstance(node, ast.FunctionDef) and not gives:
                known.plain.add(node.name)
            if called(node) & (known.printing | {"print"}):
                known.printing.add(node.name)
        self.changes = set()
