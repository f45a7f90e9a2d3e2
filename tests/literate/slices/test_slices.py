"""The script of a block, run alone, prints and binds what the whole page does."""

# ruff: noqa: E501  a case is a line

import contextlib
import io
import random
import types
from pathlib import Path

import pytest
import torch

from literate.pages.page import Page
from literate.slices.slicer import scripts

X = "import torch\nx = torch.zeros(4)\n"
M = "import torch\nx = torch.zeros(2, 2)\n"
VIEWS = [
    "x.view(4)", "x.reshape(4)", "x.unflatten(0, (1, 2))", "x.T", "x.mT", "x.transpose(0, 1)",
    "x.expand(2, 2)", "x.chunk(2)[0]", "x.split(1)[0]", "x.unbind()[0]", "x[1:]", "x.detach()",
    "x.flatten()", "x.swapaxes(0, 1)", "x.movedim(0, 1)", "x.narrow(0, 0, 1)", "x.select(0, 0)",
    "x.numpy()", "x.contiguous()", "x.float()", "x.to(torch.float32)", "x.squeeze()", "x.data",
    "torch.transpose(x, 0, 1)", "torch.atleast_2d(x)", "x.unsqueeze(0)", "x.ravel()", "x.cpu()",
    "torch.as_tensor(x)", "torch.from_numpy(x.numpy())", "x.permute(1, 0)", "x.diagonal()",
    "x if True else 0", "[x, x][0]", "{'a': x}['a']", "(y := x)",
    "next(iter(x))", "x.view_as(x)", "x.expand_as(x)", "x.tensor_split(2)[0]", "x.H", "x.real",
    "[part for part in x][0]", "list(x)[0]", "tuple([x])[0]", "max([x], key=len)",
    "dict(a=x)['a']", "([x] + [])[0]", "([x] * 2)[0]", "x.hsplit(2)[0]", "x.unfold(0, 1, 1)",
    "x.type(torch.float32)", "x.squeeze(0)", "sorted([x], key=len)[0]",
]  # fmt: skip
# Blocks of a page; the last of them is run alone.
CASES = {
    "a loop that changes its own name": [X, "xs = [x]\nfor i, y in enumerate(xs):\n    y += 1", "print(x)"],
    "a loop that empties": [X, "xs = [x + 1, x]\nfor i, y in enumerate(xs):\n    y.zero_()", "print(xs)"],
    "a loop over two": [X, "xs = [x]\nfor y, i in zip(xs, [1]):\n    y += i", "print(x)"],
    "a loop over a view": [M, "for row in x:\n    row += 1", "print(x)"],
    "a loop over values": [X, "d = {'a': x}\nfor name, y in d.items():\n    y += 1", "print(d)"],
    "an argument out": [X, "torch.add(x, 1, out=x)", "print(x)"],
    "an argument out, kept": [X, "y = torch.add(x, 1, out=x)", "print(x)"],
    "a function's out": [X, "def fill(out):\n    out[0] = 1\n\n\nfill(out=x)", "print(x)"],
    "a function's out, kept": [X, "def fill(a, out):\n    out[0] = a\n    return a\n\n\ny = fill(1, out=x)", "print(x)"],
    "a name in a lambda": ["a = 1\nf = lambda: a", "a = 2", "print(f())"],
    "a name in a lambda in a list": ["a = 1\nfs = [lambda: a]", "a = 2", "print(fs[0]())"],
    "a lambda by another name": ["a = 1\nf = lambda: a\ng = f", "a = 2", "print(g())"],
    "a function by another name": ["def f():\n    return a\n\n\ng = f\na = 2", "print(g())"],
    "a decorator": ["def d(f):\n    return f() + a\n\n\na = 1", "@d\ndef g():\n    return 2", "print(g)"],
    "a list by a module's name": ["import math as m", "m = []\nm.append(2)", "print(m)"],
    "a list by two names": [X, "xs = []\nys = xs", "xs.append(x)", "ys[0][0] = 1", "print(x)"],
    "a method of an object": ["class A:\n    def f(self):\n        return a\n\n\nb = A()\na = 2", "print(b.f())"],
    "a name in a comprehension": ["a = 2\nb = [1]", "print([a for _ in b])"],
    "a name in a generator": ["a = 2\ng = (a for _ in range(2))", "a = 3", "print([*g])"],
    "a default": ["a = 2\n\n\ndef f(b=a):\n    return b", "a = 3", "print(f(), a)"],
    "a default that is shared": [X, "def f(b=x):\n    b[0] += 1", "f()", "print(x)"],
    "a chain": ["import torch\na = b = torch.zeros(2)", "a[0] = 1", "print(b)"],
    "a tuple": [X, "a, b = x, 1\na[0] = 1", "print(x)"],
    "two of one": ["import torch\na, b = [torch.zeros(2)] * 2", "a[0] = 1", "print(b)"],
    "chunks": [X, "a, b = x.chunk(2)\na[0] = 1", "print(x)"],
    "a view of itself": [X, "y = x\ny = y.view(2, 2)", "y[0, 0] = 1", "print(x)"],
    "an addition in place": [X, "y = x\ny += 1", "y[0] = 5", "print(x)"],
    "a walrus": [X, "print(y := x)\ny[0] = 1", "print(x)"],
    "a share made in an if": [X, "y = 0\nif True:\n    y = x\ny[0] = 1", "print(x)"],
    "a share made in a with": [X, "with torch.no_grad():\n    y = x.view(2, 2)\ny[0, 0] = 1", "print(x)"],
    "del of an item": ["a = {1: 2, 3: 4}", "del a[1]", "print(a)"],
    "append": [X, "xs = []\nxs.append(x)\nxs[0][0] = 1", "print(x)"],
    "update": [X, "d = {}\nd.update(a=x)\nd['a'][0] = 1", "print(x)"],
    "insert": [X, "xs = []\nxs.insert(0, x)", "xs[0] += 1", "print(x)"],
    "an item that holds": [X, "d = {}\nd['x'] = x\nd['x'] += 1", "print(x)"],
    "pop": ["a = [1, 2, 3]", "b = a.pop()", "print(a)"],
    "pop in a print": ["a = [1, 2, 3]", "print(a.pop())", "print(a)"],
    "popitem in an if": ["a = {1: 2, 3: 4}", "if a.popitem():\n    pass", "print(a)"],
    "setdefault": ["a = {}", "b = a.setdefault(1, [])\nb.append(2)", "print(a)"],
    "next": ["it = iter([1, 2, 3])", "a = next(it)", "print(next(it))"],
    "a loop that draws from an iterator": ["it = iter([1, 2, 3])", "for a in it:\n    break", "print([*it])"],
    "zip that draws": ["it = iter([1, 2, 3])", "b = list(zip([1], it))", "print([*it])"],
    "a generator function": ["def g():\n    yield 1\n    yield 2\n\n\nit = g()", "a = next(it)", "print([*it])"],
    "star": ["it = iter([1, 2, 3])", "a = [*it]", "print([*it])"],
    "in": ["it = iter([1, 2, 3])", "a = 1 in it", "print([*it])"],
    "an object that counts": [
        "class A:\n    n = 0\n\n    def up(self):\n        self.n += 1\n        return self.n\n\n\na = A()",
        "b = a.up()", "print(a.n)",
    ],
    "shuffle": ["import random\na = [1, 2, 3]", "random.seed(1)\nrandom.shuffle(a)", "print(a)"],
    "heap": ["import heapq\na = []", "heapq.heappush(a, 1)", "print(a)"],
    "a parameter": [
        "import torch\nfrom torch import nn\ntorch.manual_seed(0)\nlayer = nn.Linear(1, 1)",
        "adam = torch.optim.Adam(layer.parameters())\nlayer(torch.ones(1)).sum().backward()\nadam.step()",
        "print(layer.weight)",
    ],
    "parameters by hand": [
        "import torch\ntorch.manual_seed(0)\nlayer = torch.nn.Linear(1, 1)",
        "with torch.no_grad():\n    for p in layer.parameters():\n        p -= 1", "print(layer.weight)",
    ],
    "a state that is loaded": [
        "import torch\ntorch.manual_seed(0)\na, b = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)",
        "b.load_state_dict(a.state_dict())", "print(b.weight)",
    ],
    "a module in a mode": ["import torch\nd = torch.nn.Dropout(0.5)", "d.eval()", "print(d(torch.ones(9)))"],
    "a mode of a part": [
        "import torch\nd = torch.nn.Dropout(0.5)\nm = torch.nn.Sequential(d)", "m.eval()",
        "print(d(torch.ones(9)))",
    ],
    "dropout draws": [
        "import torch\nd = torch.nn.Dropout(0.5)\ntorch.manual_seed(0)", "a = d(torch.ones(9))",
        "print(torch.rand(2))",
    ],
    "dropout of attention draws": [
        "import torch\na = torch.nn.MultiheadAttention(4, 2, dropout=0.5)\ntorch.manual_seed(0)",
        "b = a(*torch.ones(3, 2, 4))", "print(torch.rand(2))",
    ],
    "dropout of a layer draws": [
        "import torch\na = torch.nn.TransformerEncoderLayer(4, 2, 8)\ntorch.manual_seed(0)",
        "b = a(torch.ones(2, 4))", "print(torch.rand(2))",
    ],
    "a model that drops": [
        "import torch\n\n\nclass A(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.d = torch.nn.Dropout(0.5)\n\n    def forward(self, x):\n        return self.d(x)\n\n\n"
        "a = A()\ntorch.manual_seed(0)", "b = a(torch.ones(9))", "print(torch.rand(2))",
    ],
    "a seed in a function": [
        "import torch\n\n\ndef f():\n    torch.manual_seed(3)\n    return torch.rand(1)", "a = f()",
        "print(torch.rand(1))",
    ],
    "a cache": [
        "import torch\nfrom attention import Causal, KVCache, MultiHeadAttention\ntorch.manual_seed(0)\n"
        "attend = MultiHeadAttention(4, 2)\ncache = KVCache()", "y = attend(torch.ones(1, 2, 4), mask=Causal(), cache=cache)",
        "print(attend(torch.ones(1, 1, 4), mask=Causal(), cache=cache))",
    ],
    "a print of a walrus": ["print(a := 5)", "print(a)"],
    "a print that draws": ["import torch\ntorch.manual_seed(0)\nprint(torch.rand(1))", "print(torch.rand(1))"],
    "a print that pops, in a loop": ["a = [1, 2, 3]\nb = 0\nfor i in range(2):\n    print(a.pop())\n    b += i", "print(a, b)"],
    "a print that draws from an iterator": ["it = iter([1, 2, 3])\nprint(next(it))", "print(next(it))"],
    "a print of what changes": [X, "print(x.add_(1))", "print(x)"],
} | {f"a change through {view}": [M, f"a = {view}\na[..., 0] = 1", "print(x)"] for view in VIEWS}  # fmt: skip


def run(*blocks: str, seed: int = 7) -> str:
    """What the last of these prints, in a module of their own."""
    module = types.ModuleType("__page__")
    torch.manual_seed(seed)
    random.seed(seed)
    said = ""
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(block, "block", "exec"), vars(module))
        said = out.getvalue()
    return said


@pytest.mark.parametrize("name", CASES)
def test_a_slice_does_what_the_page_does(name: str) -> None:
    blocks = CASES[name]
    page = "\n\n".join(f"```python\n{block}\n```" for block in blocks) + "\n"
    found = scripts(Page(Path("page.md"), page))
    script = found[max(found)]
    told = run(*blocks)
    assert told
    assert run(script, seed=8) == told, script
