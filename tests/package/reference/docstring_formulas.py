"""What a formula of a docstring computes, whether that is so, and what is nearly the same."""

import ast
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from types import CodeType
from typing import Any

import torch
from docstrings import Formula
from torch import Tensor

from attention.cache import Memory

WORDS = {"over", "of", "the", "that", "allows", "softmax", "sum"}
TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\.T|[+−·/^≤<≥>=]")
OTHER = {"+": "−", "−": "+", "·": "+", "/": "·", "^": "·", "≤": "<", "<": "≤", "≥": ">", ">": "≥"}
OTHER |= {".T": "", "=": "≤", "sin": "cos", "cos": "sin", "tanh": "exp", "or": "and"}


def python(text: str) -> str:
    """An expression in Python: its sum or softmax, which are words, and its signs."""
    if words := re.fullmatch(r"sum over (\w) of\s+(.+)", text):
        return f"sum({python(words[2])} for {words[1]} in every['{words[1]}'])"
    if words := re.fullmatch(r"softmax over the (\w) that (\w+) allows of (.+)", text):
        letter, mask, scores = words.groups()
        risen = f"exp({python(scores)}) * {mask}[i, {letter}]"
        return f"{risen} / sum({risen} for {letter} in every['{letter}'])"
    text = re.sub(r"\|([^|]+)\|", r"abs(\1)", text)
    all_of = r"*map(\1.__getitem__, range(\2, \3 + 1))"
    text = re.sub(r"(\w+)\[(\d+)\], …, \1\[(.+?)\]", all_of, text)
    text = re.sub(r"(?<=\d)(?=[a-zA-Z])|(?<=[\w\])]) (?=[\w(])", " @ ", text)
    for sign, meant in {"·": "@", "−": "-", "^": "**", "≤": "<=", "≥": ">=", "…": "..."}.items():
        text = text.replace(sign, meant)
    return re.sub(r"(?<![<>=])=(?!=)", "==", text)


class Products(ast.NodeTransformer):
    """`a @ b` becomes `dot(a, b)`, as strong as `*`; and `a[i, j]` becomes `entry(a, (i, j))`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.MatMult):
            return node
        return ast.Call(ast.Name("dot", ast.Load()), [node.left, node.right], [])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "every":
            return node
        return ast.Call(ast.Name("entry", ast.Load()), [node.value, node.slice], [])


def double(x: Any) -> Tensor:
    return torch.as_tensor(x, dtype=torch.float64)


def dot(a: Any, b: Any) -> Any:
    tables = isinstance(a, Tensor) and isinstance(b, Tensor) and a.ndim and b.ndim
    return a @ b if tables else a * b


def entry(table: Any, index: Any) -> Any:
    """What stands at an index; behind 0 nothing does."""
    if any(one < 0 for one in (index if isinstance(index, tuple) else (index,))):
        raise IndexError(f"nothing stands at {index}")
    return table[index]


FUNCTIONS = {
    "dot": dot,
    "entry": entry,
    "pi": math.pi,
    "sqrt": math.sqrt,
    "sin": lambda x: double(x).sin(),
    "cos": lambda x: double(x).cos(),
    "exp": lambda x: double(x).exp(),
    "tanh": lambda x: double(x).tanh(),
    "concat": lambda *parts: torch.cat(parts, dim=-1),
}


@cache
def code(text: str) -> CodeType:
    tree = Products().visit(ast.parse(python(text), mode="eval"))
    return compile(ast.fix_missing_locations(tree), text, "eval")


def value(text: str, given: Mapping[str, Any], at: Mapping[str, int] | None = None) -> Any:
    """What an expression is, with each index at one of its values; a range is given for it."""
    fixed = {name: one for name, one in given.items() if not isinstance(one, range)}
    return eval(code(text), {**FUNCTIONS, **fixed, "every": given, **(at or {})})


def target(formula: Formula) -> str:
    """What a formula is of; what something becomes has a name of its own, `scores_new`."""
    if formula.relation == "becomes":
        return re.sub(r"\w+", r"\g<0>_new", formula.left)
    name, bracket, _ = formula.left.partition("[")
    again = bracket and re.search(rf"\b{name}\[", formula.right)
    return formula.left.replace(name, name + "_new", 1) if again else formula.left


def free(left: str, given: Mapping[str, Any]) -> list[dict[str, int]]:
    """All values of the indices in brackets; a range is given for each."""
    letters = re.findall(r"[A-Za-z]\w*", "".join(re.findall(r"\[(.*?)\]", left)))
    if len(letters) > len({*letters}):
        raise ValueError(f"{left} has an index twice")
    values = product(*(ranged(given[one]) for one in letters))
    return [dict(zip(letters, each, strict=True)) for each in values]


def ranged(given: Any) -> range:
    if not isinstance(given, range):
        raise TypeError(f"{given} is no index")
    return given


def holds(formula: Formula, given: Mapping[str, Any]) -> bool:
    """Whether both sides agree at all values of the indices, and what stands beside them is so."""
    if (formula.remark, formula.label) != (given.get("remark", ""), given.get("label", "")):
        return False
    left = target(formula)
    for at in free(left, given):
        sides = [parts(value(side, given, at)) for side in (left, formula.right)]
        if formula.relation == "where":
            sides = [[bool(one) for one in side] for side in sides]
        if len(sides[0]) != len(sides[1]) or not all(map(same, *sides)):
            return False
    return not formula.remark or shaped(formula.remark, given[left.partition("[")[0]], given)


def refused(near: Formula, given: Mapping[str, Any]) -> bool:
    """Whether a formula does not hold, or says what is not there at all."""
    try:
        return not holds(near, given)
    except Exception:  # of a name without a value, say, or a shape that does not fit
        return True


def tabled(formula: Formula, given: Mapping[str, Any]) -> Tensor:
    """The right side at all values of the indices of the left one, which has them in order."""
    here = free(formula.left, given)
    sizes = [len(given[one]) for one in here[0]]
    found = torch.stack([torch.as_tensor(value(formula.right, given, at)) for at in here])
    table = found.reshape(*sizes, *found.shape[1:])
    if not shaped(formula.remark, table, given):
        raise ValueError(f"{formula.left} is {(*table.shape,)}, not {formula.remark}")
    return table


def parts(found: Any) -> list:
    if isinstance(found, Memory):
        return [found.key, found.value]
    return [one for one in found if one is not ...] if isinstance(found, tuple) else [found]


def same(a: Any, b: Any) -> bool:
    a, b = double(a), double(b)
    return a.shape == b.shape and torch.allclose(a, b, rtol=1e-9, atol=1e-12)


def shaped(remark: str, table: Tensor, given: Mapping[str, Any]) -> bool:
    """Whether a table has the shape that the remark behind its formula says, if it says one."""
    if not remark.startswith("("):
        return True
    sizes = value(remark, given)
    if sizes[0] is ...:
        return sizes[1:] == tuple(table.shape[1 - len(sizes) :])
    return sizes == tuple(table.shape)


def neighbours(formula: Formula, given: Mapping[str, Any]) -> Iterator[Formula]:
    """The formula with one sign, number or name changed, on either side."""
    names = {one for side in formula[:3] for one in re.findall(r"[A-Za-z_]\w*", side)} - WORDS
    numbers = {name for name, one in given.items() if isinstance(one, int | float | range)}
    for field in ("left", "right"):
        side = getattr(formula, field)
        for token in TOKEN.finditer(side):
            for other in others(token[0], names | (numbers if field == "right" else set())):
                changed = side[: token.start()] + other + side[token.end() :]
                near = formula._replace(**{field: changed})
                if near.left != near.right:  # which is always so
                    yield near


def others(token: str, names: set[str]) -> Iterator[str]:
    """What is put in the place of one token."""
    if token in OTHER:
        yield OTHER[token]
    elif token.isdigit():
        yield str(int(token) + 1)
        yield from sorted(names)
    elif token in names:
        yield from sorted(names - {token})
