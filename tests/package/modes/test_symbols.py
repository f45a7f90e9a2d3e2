"""Compiled code whose sizes are symbols by now, and a mask whose own are numbers."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from attention import (
    Causal,
    Documents,
    Mask,
    MultiHeadAttention,
    Padding,
    Rotary,
    SlidingWindow,
    dot_product_attention,
)

pytestmark = pytest.mark.untyped  # what is compiled whole has no room for checks of shapes

LENGTHS = torch.tensor([6, 5, 4, 3, 2])


class Own(Mask):
    """A rule that is made for so many keys."""

    def __init__(self, keys: int) -> None:
        self.made = keys

    @property
    def keys(self) -> int:
        return self.made

    def __call__(self, batch, head, query, key):
        return key <= query


@pytest.fixture
def layer() -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(32, 4, positions=Rotary()).requires_grad_(False)


MASKS = {
    "padding": lambda: Causal() & Padding(LENGTHS),
    "padding on the left": lambda: Causal() & Padding(LENGTHS, side="left"),
    "documents": lambda: Causal() & Documents(torch.tensor([[0, 0, 0, 1, 1, 1]]).expand(5, 6)),
    "a tensor of padding": lambda: (torch.arange(6) < LENGTHS[:, None])[:, None, None],
    "one of a row": lambda: torch.arange(6)[None, None, None] < 4,
    "one of all": lambda: torch.ones(6, 6, dtype=torch.bool).tril().expand(5, 1, 6, 6),
    "a rule of one's own": lambda: Own(6),
}


# What was compared with the axis that is a symbol by now: a batch, tokens, or both.
FITS_BOTH = [(name, "both") for name in MASKS]
FITS_BATCH = [
    (name, "batch") for name in MASKS if name not in {"one of a row", "a rule of one's own"}
]
FITS_TOKENS = [(name, "tokens") for name in MASKS if name not in {"padding", "padding on the left"}]


@pytest.mark.parametrize(("name", "which"), FITS_BOTH + FITS_BATCH + FITS_TOKENS)
def test_a_mask_fits_after_other_sizes(layer: MultiHeadAttention, name: str, which: str) -> None:
    torch.compiler.reset()
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    for n in (2, 3):
        sizes = {"batch": (n, 6), "tokens": (5, n + 6), "both": (n, n + 6)}[which]
        compiled(torch.randn(*sizes, 32), mask=Causal())
    x, mask = torch.randn(5, 6, 32), MASKS[name]()
    torch.testing.assert_close(compiled(x, mask=mask), layer(x, mask=mask))


@pytest.mark.parametrize("at", [torch.arange(7), torch.arange(7)[None]], ids=["one", "for all"])
def test_positions_fit_after_other_sizes(at: Tensor) -> None:
    def turn(x: Tensor, at: Tensor | None) -> Tensor:
        return x if at is None else Rotary().rotate(x, at)

    torch.compiler.reset()
    compiled = torch.compile(turn, backend="eager", fullgraph=True)
    for n in (5, 6):
        compiled(torch.randn(2, n, 8), None)
    x = torch.randn(2, 7, 8)
    torch.testing.assert_close(compiled(x, at), turn(x, at))


def test_sizes_that_nobody_knows_are_equal_where_the_caller_says_so() -> None:
    def attend(x: Tensor, keep: Tensor) -> Tensor:
        torch._check(keep.shape[0] == x.shape[0])
        return dot_product_attention(x, x, x, keep)

    def turn(x: Tensor, at: Tensor) -> Tensor:
        torch._check(at.shape[0] == x.shape[0])
        return Rotary().rotate(x, at)

    keep = torch.ones(3, 1, 6, 6, dtype=torch.bool).tril()
    x, at = torch.randn(3, 2, 6, 8), torch.arange(6).expand(3, 1, 6)
    for run, other in (attend, keep), (turn, at):
        torch.compiler.reset()
        for each in (x, other):
            torch._dynamo.decorators.mark_unbacked(each, 0)
        compiled = torch.compile(run, backend="eager", fullgraph=True)
        torch.testing.assert_close(compiled(x, other), run(x, other))


@pytest.mark.parametrize("make", [
    lambda: Causal() & Documents(torch.tensor([[0, 0, 0, 1, 1, 1]])),
    lambda: Padding(torch.tensor([4, 6])),
])  # fmt: skip
def test_a_module_that_holds_its_mask_is_exported(
    layer: MultiHeadAttention, make: Callable[[], Mask]
) -> None:
    class Held(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.mask = layer, make()

        def forward(self, x: Tensor) -> Tensor:
            return self.layer(x, mask=self.mask)

    held, x = Held(), torch.randn(2, 6, 32)
    sizes = ({0: torch.export.Dim.AUTO, 1: torch.export.Dim.AUTO},)
    program = torch.export.export(held, (x,), dynamic_shapes=sizes, strict=True)
    torch.testing.assert_close(program.module()(x), held(x))


def test_a_width_may_be_a_size_of_the_call() -> None:
    """An export that is not strict hands over symbols in the place of integers."""

    class Half(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return dot_product_attention(x, x, x, SlidingWindow(x.shape[-2] // 2))

    sizes = ({1: torch.export.Dim.AUTO},)
    program = torch.export.export(
        Half(), (torch.randn(2, 6, 8),), dynamic_shapes=sizes, strict=False
    )
    longer = torch.randn(2, 10, 8)
    torch.testing.assert_close(program.module()(longer), Half()(longer))


class Short(Mask):
    """A rule whose answer is eight keys shorter than what it is asked: of nine, one for all."""

    def __call__(self, batch, head, query, key):
        return torch.ones(key.shape[-1] - 8, dtype=torch.bool)


@pytest.mark.parametrize("mask", [Causal() & Short(), Short() & Causal()], ids=["last", "first"])
def test_sizes_of_two_answers_are_not_compared_while_compiling(mask: Mask) -> None:
    def made(queries: Tensor, keys: Tensor) -> Tensor:
        return mask.to_tensor(queries.shape[0], keys.shape[0])

    torch.compiler.reset()
    compiled = torch.compile(made, backend="eager", fullgraph=True, dynamic=True)
    assert torch.equal(compiled(torch.randn(5), torch.randn(9)), Causal().to_tensor(5, 9))
