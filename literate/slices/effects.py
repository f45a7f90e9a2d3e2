"""What a statement changes, and whether it draws random numbers: guessed from its text."""

import ast
import builtins
import re

from literate.pages.syntax import inside, name_of, root, targets
from literate.slices.known import Known
from literate.slices.sharing import outer, sources

SETTINGS = "<settings>"  # how torch prints, and the like
DRAWS = re.compile(
    r"(rand\w*|multinomial|bernoulli|\w*normal_?|\w*uniform_?|\w*dropout|shuffle|sample|choices?"
    r"|Dropout|Linear|Embedding|\w*Attention|Transformer\w*|RNN|LSTM|GRU|from_torch)"
)
SEEDS = ("manual_seed", "seed")
DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
TAKES = {"pop", "popleft", "popitem", "step"}
LOOKS = re.compile(r"save|savefig|show|print|assert_\w+")  # change nothing read
GIVEN = {"generator", "out", "cache"}  # arguments that a call changes
ONCE = {"iter", "map", "filter", "zip", "reversed", "enumerate"}


def effects(statement: ast.stmt, known: Known, used: set[str]) -> tuple[set[str], str]:
    """The names that it may change, and whether it first draws or seeds random numbers."""
    changed, chance = set[str](), ""
    if isinstance(statement, ast.ClassDef):
        for part in statement.body:
            found, draws = effects(part, known, used)
            own = {"self"} if getattr(part, "name", "") == "__init__" else set()
            changed, chance = changed | found - own, chance or draws
        return changed, chance
    for node in ast.walk(statement):
        for target in targets(node):
            changed |= {*sources(target)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed |= done_to(node.value, known)
        if not isinstance(node, ast.Call):
            continue
        name, method = name_of(node), isinstance(node.func, ast.Attribute)
        words = [word for word in node.keywords if word.arg in GIVEN]
        for word in words:
            changed |= {*sources(word.value)}
        if name.startswith("set_") and root(node.func) in known.modules:
            changed.add(SETTINGS)
        if name in SEEDS and isinstance(node.func, ast.Attribute) and of_module(node.func):
            chance = chance or "seeds"
        elif DRAWS.fullmatch(name) and not any(word.arg == "generator" for word in words):
            chance = chance or "draws"
        if name == "backward":
            loss = root(node.func)
            changed |= {f"{leaf}.grad" for leaf in known.made_of.get(loss, set()) | {loss}}
        elif name in TAKES or name.endswith("_"):
            changed |= {*sources(node.func)} if method else set()
            if not method or root(node.func) in known.modules:
                changed = changed.union(*map(sources, node.args))
    if isinstance(statement, ast.FunctionDef):
        theirs = outer(statement, known.modules | known.defined)
        changed = {name for name in changed if name in theirs or not name.isidentifier()}
    elif used & known.changing and not isinstance(statement, DEFINES):
        names = {name for name in used if name.isidentifier()}
        changed |= names - known.defined - {*vars(builtins)}
    return changed, chance


def done_to(call: ast.Call, known: Known) -> set[str]:
    """What is changed by a call that is made for nothing but its effect."""
    if LOOKS.fullmatch(name_of(call)):
        return set()
    if isinstance(call.func, ast.Attribute) and root(call.func) not in known.modules:
        return {*sources(call.func)}
    given = [*call.args, *(word.value for word in call.keywords)]
    return set[str]().union(*map(sources, given)) - known.defined


def grads(statement: ast.stmt, known: Known) -> set[str]:
    """The gradients that it reads, `x.grad` for a name or for what shares its memory."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and node.attr in {"grad", "step"}:
            name = root(node)
            found |= {f"{other}.grad" for other in {name} | known.shares.get(name, set())}
    return found


def prints(statement: ast.stmt) -> list[ast.Expr]:
    """The statements in it that print."""
    found = [node for node in ast.walk(statement) if isinstance(node, ast.Expr)]
    return [node for node in found if ast.unparse(node).startswith("print(")]


def idle(node: ast.Expr, known: Known) -> bool:
    """Whether it does nothing but print."""
    binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
    return not binds and effects(node, known, known.called(inside(node))) == (set(), "")


def once(value: ast.AST | None) -> bool:
    """Whether a value is used up by those who read it."""
    used_up = isinstance(value, ast.Call) and name_of(value) in ONCE
    return used_up or isinstance(value, ast.GeneratorExp)


def drops(call: ast.Call) -> bool:
    """Whether it makes a module that draws each time it is called."""
    words = {word.arg for word in call.keywords}
    return bool(re.fullmatch(r"Dropout\w*|Transformer\w*", name_of(call))) or "dropout" in words


def of_module(function: ast.Attribute) -> bool:
    """Whether a seed is that of a module: `torch.manual_seed`, not that of one generator."""
    return root(function) in {"torch", "random", "np", "numpy"} and not any(
        isinstance(node, ast.Call) for node in ast.walk(function)
    )
