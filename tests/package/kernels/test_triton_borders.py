"""Our GPU kernels wherever a border falls in a tile, and wherever the keys are split."""

import pytest
import torch
from interpreter import DEVICE, small_tiles
from torch import Tensor

from attention import Causal, Mask, Padding, SlidingWindow, dot_product_attention
from attention.backends.triton import configs

pytestmark = [pytest.mark.slow, pytest.mark.untyped]  # as in test_triton_forward.py


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    small_tiles(monkeypatch)
    torch.manual_seed(0)


def agree(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> None:
    """Contexts and gradients are those of the whole table: a key too many, or few, would show."""
    found = []
    for backend in ("triton", "eager"):
        given = [x.detach().requires_grad_() for x in (query, key, value)]
        context = dot_product_attention(*given, mask, backend=backend)
        found.append([context, *torch.autograd.grad(context.square().sum(), given)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=4e-3, atol=8e-3)


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, 64, dtype=torch.float16, device=DEVICE)


@pytest.mark.parametrize("more", range(16))
def test_wherever_the_diagonal_crosses_a_tile(more: int) -> None:
    """With as many keys more than queries as a tile has, the last key seen is each one of it."""
    agree(drawn(1, 1, 33), *(drawn(1, 1, 33 + more) for _ in range(2)), Causal())


@pytest.mark.parametrize("size", range(33, 49))
def test_wherever_a_window_ends_in_a_tile(size: int) -> None:
    agree(drawn(1, 1, 70), *(drawn(1, 1, 70) for _ in range(2)), SlidingWindow(size))


@pytest.mark.parametrize("queries", [18, 3])
def test_each_group_of_heads_reads_its_own_keys(queries: int) -> None:
    """Also where a sequence has a stretch of its own, and where all have one."""
    for lengths in ([20], [20, 9]):
        mask = Causal() & Padding(torch.tensor(lengths, device=DEVICE))
        agree(drawn(2, 4, queries), *(drawn(2, 2, 20) for _ in range(2)), mask)


@pytest.mark.parametrize("programs", [2, 4, 16])
def test_however_the_keys_are_split(programs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of one tile, of two, of four; the last may be shorter."""
    monkeypatch.setattr(configs, "PROGRAMS", programs)
    for mask in (Causal(), SlidingWindow(40)):
        agree(drawn(1, 2, 2), *(drawn(1, 1, 120) for _ in range(2)), mask)


@pytest.mark.skipif(DEVICE != "cpu", reason="products are counted where they are interpreted")
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("length", [0, 16, 40, 64])
def test_what_nobody_sees_is_not_computed(
    length: int, side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two products a tile forward, three for the gradients of queries, four for those of keys."""
    from triton.runtime.interpreter import InterpreterBuilder

    made = []
    product = InterpreterBuilder.create_dot
    monkeypatch.setattr(
        InterpreterBuilder, "create_dot", lambda *given: [made.append(1), product(*given)][1]
    )
    mask = Causal() & Padding(torch.tensor([length]), side=side)
    given = [drawn(1, 1, 64).requires_grad_() for _ in range(3)]
    dot_product_attention(*given, mask, backend="triton").sum().backward()
    tiles = mask.to_tensor(64, 64).view(4, 16, 4, 16).any(dim=3).any(dim=1).sum()
    assert len(made) == (2 + 3 + 4) * tiles
