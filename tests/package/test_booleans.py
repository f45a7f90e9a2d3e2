"""What is done with the bytes of booleans is what torch does with booleans."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from attention.booleans import added, any_along, hide

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("sizes", [(3, 4, 5), (3, 0, 5), (0, 2, 2), (1, 1, 70)])
@pytest.mark.parametrize("dim", [-1, -2, 0])
def test_any_along_an_axis(sizes: tuple[int, ...], dim: int) -> None:
    keep = torch.rand(sizes) < 0.3
    assert torch.equal(any_along(keep, dim), keep.any(dim=dim, keepdim=True))


def test_however_it_lies_in_memory() -> None:
    turned = torch.ones(4, 3, dtype=torch.bool).triu(1).T
    wide = turned[:, 1:2].expand(3, 6)
    for keep in (turned, wide):
        assert torch.equal(any_along(keep, -1), keep.any(dim=-1, keepdim=True))
        assert torch.equal(added(keep, torch.float32) == 0, keep)
    mapped = torch.func.vmap(any_along, (0, None))(turned, 0)[:, 0]
    assert torch.equal(mapped, turned.any(dim=-1))
    assert torch.equal(torch.func.vmap(added, (0, None))(turned, torch.half) == 0, turned)


@pytest.mark.parametrize("dtype", FLOATS)
def test_what_is_added(dtype: torch.dtype) -> None:
    keep = torch.rand(2, 1, 5, 7) < 0.5
    there = added(keep, dtype)
    assert there.dtype == dtype
    assert torch.equal(there, torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, -torch.inf))
    assert not there.signbit()[keep].any()  # 0, not −0


def test_a_byte_beyond_1_is_true_too() -> None:
    keep = torch.tensor([[0, 1, 3, 255]], dtype=torch.uint8).view(torch.bool)
    assert added(keep, torch.float32).tolist() == [[-torch.inf, 0.0, 0.0, 0.0]]
    assert any_along(keep, -1).tolist() == [[True]]
    assert hide(torch.ones(1, 4), keep).tolist() == [[-torch.inf, 1.0, 1.0, 1.0]]


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
