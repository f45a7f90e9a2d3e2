"""What a statement is taken to change, and to draw."""

import ast

import pytest

from literate.slices.effects import effects, of_module, once
from literate.slices.known import Known

TORCH = Known(modules={"torch", "np"}, defined={"helper"})


def found(text: str) -> tuple[set[str], str]:
    (statement,) = ast.parse(text).body
    return effects(statement, TORCH, set())


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("line.popleft()", {"line"}),
        ("x = line.popleft()", {"line"}),
        ("done = optimizer.step()", {"optimizer"}),
        ("y = attend(x, cache=held)", {"held"}),
        ("y = torch.relu_(x)", {"torch", "x"}),
        ("y = relu_(x)", {"x"}),
        ("y = x.relu_()", {"x"}),
        ("y = x.add_(z)", {"x"}),
        ("fig.savefig('a.svg')", set()),
        ("torch.save(x, 'a')", set()),
        ("torch.testing.assert_close(x, y)", set()),
        ("torch.set_printoptions(precision=2)", {"<settings>"}),
        ("torch.nn.init.zeros_(x)", {"torch", "x"}),
        ("fill(x, helper)", {"x"}),
        ("def f(x):\n    torch.set_printoptions(precision=2)", {"<settings>"}),
        ("def f(x):\n    other.append(x)", {"other"}),
        ("def f():\n    other.clear()", {"other"}),
        ("def f():\n    helper.seen.clear()", set()),
        (
            "class A:\n  def __init__(self):\n    super().__init__()\n    self.x = 1",
            set(),
        ),
    ],
)
def test_what_a_statement_changes(text: str, changed: set[str]) -> None:
    assert found(text)[0] == changed


@pytest.mark.parametrize(
    ("text", "chance"),
    [
        ("x = 1", ""),
        ("x = torch.rand(2)", "draws"),
        ("x = torch.rand(2, generator=g)", ""),
        ("torch.manual_seed(0)", "seeds"),
        ("np.random.seed(0)", "seeds"),
        ("numpy.random.seed(0)", "seeds"),
        ("random.seed(0)", "seeds"),
        ("g.manual_seed(0)", ""),
        ("torch.Generator().manual_seed(0)", ""),
        ("class A:\n    x = torch.rand(2)\n    y = 1", "draws"),
        ("class A:\n    x = 1\n    y = torch.rand(2)", "draws"),
    ],
)
def test_what_a_statement_draws(text: str, chance: str) -> None:
    assert found(text)[1] == chance


@pytest.mark.parametrize("name", ["iter", "map", "filter", "zip", "reversed", "enumerate"])
def test_what_is_used_up(name: str) -> None:
    assert once(ast.parse(f"{name}(x)", mode="eval").body)
    assert not once(ast.parse("list(x)", mode="eval").body)


def test_a_seed_of_a_module() -> None:
    assert of_module(ast.parse("torch.cuda.manual_seed", mode="eval").body)
    assert not of_module(ast.parse("other.manual_seed", mode="eval").body)
    assert not of_module(ast.parse("torch.Generator().manual_seed", mode="eval").body)
