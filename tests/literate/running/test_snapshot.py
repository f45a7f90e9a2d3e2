"""An attempt at an exercise leaves no trace in its page."""

import pytest
import torch
from helpers import counts, failures

from literate.running.snapshot import Snapshot

PAGE = """# Page

```python
import random

import torch

torch.set_printoptions(precision=2)
numbers, alias = [1.0], []
alias.append(numbers)
table = torch.zeros(2)
weight = torch.ones(1, requires_grad=True)
product = 2 * weight
HERE


def double(x):
    return numbers[0] * 2 * x
```

```python {.exercise}
def half(x):
    numbers[0], table[0], weight.data[0] = 9.0, 9.0, 9.0
    random.random(), torch.rand(1)
    torch.set_printoptions(precision=7)
    torch.set_default_dtype(torch.float64)
    global torch_was_here
    torch_was_here = True
    open("left.svg", "w").write("<svg/>")
    return x
```

```python {.check}
assert half(1) == 0.5, "not half"
```

```python {.solution}
def half(x):
    return x / 2
```

```python
print(numbers, alias, double(1), table, weight.data, torch.ones(1).dtype)
assert alias[0] is numbers
assert "torch_was_here" not in globals() and "half" not in globals()
print(f"{torch.rand(1).item():.4f} {random.random():.4f}")
```

```text {.output}
[1.0] [[1.0]] 2.0 tensor([0., 0.]) tensor([1.]) torch.float32
0.4963 0.8444
```
"""


@pytest.mark.parametrize("here", ["", "cannot_be_copied = (i for i in range(3))"])
def test_what_an_attempt_changes_is_as_before(run, here: str) -> None:
    result, _ = run(PAGE.replace("HERE", here))
    assert not failures(result), failures(result)[0]
    assert counts(result) == (4, 0, 0)


def test_names_stay_names_of_one_value() -> None:
    names = {"a": (value := [1]), "b": value, "f": len, "t": int}
    before = Snapshot(names)
    value.append(2)
    names["c"] = 3
    before.restore(names)
    assert names == {"a": [1], "b": [1], "f": len, "t": int}
    assert names["a"] is names["b"]
    assert names["f"] is len


def test_what_a_page_sets_is_gone_after_it(run) -> None:
    import torch

    run("# Page\n\n```python\nimport torch\n\ntorch.set_printoptions(precision=1)\n```\n")
    assert str(torch.tensor(0.25)) == "tensor(0.2500)"


LOOKED_AT = """```python
import torch

w, words = torch.ones(3), ["a", "b"]
letters = iter(words)
curve = torch.ones(1, requires_grad=True) * 2
```

It is so<!--= EXPRESSION -->.

```python
print(w[0].item(), len(words), next(letters), curve.item())
```

```text {.output}
1.0 2 a 2.0
```
"""


@pytest.mark.parametrize(
    "expression",
    [
        "w.mul_(0).sum() == 0",
        "next(letters) == 'a'",
        "words.pop() == 'b'",
        "curve.detach().mul_(3).item() == 6",
    ],
)
def test_an_expression_that_changes_the_page_is_refused(run, expression: str) -> None:
    result, _ = run(LOOKED_AT.replace("EXPRESSION", expression))
    (said,) = failures(result)
    assert "page.md:9: RuntimeError: the expression changes the page" in said


@pytest.mark.parametrize(
    "expression",
    ["w.sum() == 3", "(w * 2).mul_(0).sum() == 0", "sorted(words) == words", "curve.sum() > 0"],
)
def test_an_expression_that_only_reads_is_not(run, expression: str) -> None:
    assert not failures(run(LOOKED_AT.replace("EXPRESSION", expression))[0])


def test_what_cannot_be_kept_is_made_again(run) -> None:
    page = LOOKED_AT.replace("iter(words)", "(word for word in words)")
    assert not failures(run(page.replace("EXPRESSION", "next(letters) == 'a'"))[0])


def test_what_was_computed_with_a_gradient_still_has_it() -> None:
    """It stays the same tensor: a copy would not know what it was computed from."""
    weight = torch.ones(1, requires_grad=True)
    names = {"product": (product := 3 * weight)}
    before = Snapshot(names)
    names["product"] = torch.zeros(1)
    before.restore(names)
    assert names["product"] is product
    names["product"].backward()
    assert weight.grad == 3
