"""What is done with the bytes of booleans is what torch does with booleans."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from attention.booleans import additive, any_along, hide

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


SIZES = [(3, 4, 5), (3, 0, 5), (0, 2, 2), (1, 1, 70), (4, 0), (2, 3, 64, 64), (9, 48), (3, 128)]


@pytest.mark.parametrize("sizes", [*SIZES, (2, 8, 16), (2, 7, 16), (2, 6, 24), (2, 4, 120)])
@pytest.mark.parametrize("dim", [-1, -2, 0])
@pytest.mark.parametrize("share", [0.3, 0.02])
def test_any_along_an_axis(sizes: tuple[int, ...], dim: int, share: float) -> None:
    keep = torch.rand(sizes) < share
    assert torch.equal(any_along(keep, dim), keep.any(dim=dim, keepdim=True))


@pytest.mark.parametrize("dim", [-1, -2])
@pytest.mark.parametrize("first", range(3))
def test_any_along_a_part_of_something_larger(dim: int, first: int) -> None:
    whole = torch.rand(8 * 64 + 8 * 16) < 0.02
    at_odds = whole[first : first + 8 * 64].view(8, 64)  # eight bytes do not begin at one of eight
    column = whole[: 8 * 64].view(8, 64)[:, first * 8 : first * 8 + 16]
    row = whole[first : first + 13].view(1, 13)[:, :8]  # of a single row, the stride says nothing
    none = whole[:1].expand(0, 8)
    for keep in (at_odds, column, at_odds.T, row, none):
        assert torch.equal(any_along(keep, dim), keep.any(dim=dim, keepdim=True))


def test_however_it_lies_in_memory() -> None:
    turned = torch.ones(4, 3, dtype=torch.bool).triu(1).T
    wide = turned[:, 1:2].expand(3, 6)
    for keep in (turned, wide):
        assert torch.equal(any_along(keep, -1), keep.any(dim=-1, keepdim=True))
        assert torch.equal(additive(keep, torch.float32) == 0, keep)
    mapped = torch.func.vmap(any_along, (0, None))(turned, 0)[:, 0]
    assert torch.equal(mapped, turned.any(dim=-1))
    assert torch.equal(torch.func.vmap(additive, (0, None))(turned, torch.half) == 0, turned)


@pytest.mark.parametrize("dtype", FLOATS)
def test_what_is_added(dtype: torch.dtype) -> None:
    keep = torch.rand(2, 1, 5, 7) < 0.5
    there = additive(keep, dtype)
    assert there.dtype == dtype
    assert torch.equal(there, torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, -torch.inf))
    assert not there.signbit()[keep].any()  # 0, not −0


def test_a_byte_beyond_1_is_true_too() -> None:
    keep = torch.tensor([[0, 1, 3, 255]], dtype=torch.uint8).view(torch.bool)
    assert additive(keep, torch.float32).tolist() == [[-torch.inf, 0.0, 0.0, 0.0]]
    assert any_along(keep, -1).tolist() == [[True]]
    assert hide(torch.ones(1, 4), keep).tolist() == [[-torch.inf, 1.0, 1.0, 1.0]]
    for dtype in FLOATS:
        assert additive(keep, dtype).tolist() == [[-torch.inf, 0.0, 0.0, 0.0]]
    for byte in (2, 128, 255):  # as the last of eight, the sign of the number that they make
        lone = torch.zeros(4, 64, dtype=torch.uint8)
        lone[1, 39] = byte
        assert any_along(lone.view(torch.bool), -1)[:, 0].tolist() == [False, True, False, False]
        assert any_along(lone.view(torch.bool), -2)[0].nonzero().tolist() == [[39]]


class Looks(TorchDispatchMode):
    """As selective checkpointing does."""

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        return op(*args, **(kwargs or {}))


def test_what_looks_at_each_operation_sees_no_score_change() -> None:
    keep, scores = torch.tensor([[True, False]]), torch.zeros(1, 2)
    with Looks():
        hidden = hide(scores, keep)
    assert hidden.tolist() == [[0.0, -torch.inf]]
    assert not scores.any()


@pytest.mark.parametrize("learns", [True, False])
def test_scores_are_hidden_in_their_place_and_with_their_gradient(learns: bool) -> None:
    keep = torch.rand(4, 5) < 0.5
    given = torch.randn(2, 4, 5, requires_grad=learns)
    scores = given * 1.0
    hidden = hide(scores, keep)
    assert hidden is scores
    assert torch.equal(hidden, given.masked_fill(~keep, -torch.inf))
    if learns:
        (grad,) = torch.autograd.grad(hidden.exp().sum(), given)
        torch.testing.assert_close(grad, given.detach().exp() * keep)


@pytest.mark.untyped  # which checks shapes in what is compiled
def test_while_transforms_look_on_they_stay() -> None:
    keep, scores = torch.rand(3, 4, 5) < 0.5, torch.zeros(4, 5)
    each = torch.func.vmap(hide, (None, 0))(scores, keep)  # one table for three
    assert torch.equal(each == 0, keep)
    assert not scores.any()
    jitted = torch.compile(hide, backend="eager", fullgraph=True)
    assert torch.equal(jitted(scores, keep[0]) == 0, keep[0])
    assert not scores.any()
