"""What is kept of a mask serves the calls that come, and changes with none."""

import pytest
import torch
from torch import Tensor

from attention import Causal, Documents, Mask, Padding, SlidingWindow, blocks, dot_product_attention
from attention.blocks import cached
from attention.blocks.rectangles import STRIP
from attention.dispatch import route
from attention.kept import Kept

from .asked import count


@pytest.mark.parametrize("tokens", [6, 150])
def test_after_a_call_in_inference_mode_others_learn(tokens: int) -> None:
    """Queries that see nothing lie in a block of others: they are masked, and the mask is saved."""
    mask = SlidingWindow(5) & Padding(torch.tensor([tokens - 50]).clamp(min=1))
    query = torch.randn(1, 2, tokens, 8)
    with torch.inference_mode():
        want = dot_product_attention(query, query, query, mask, backend="spans")
    query.requires_grad_()
    got = dot_product_attention(query, query, query, mask, backend="spans")
    got.sum().backward()
    torch.testing.assert_close(got.detach(), want.clone())


@pytest.mark.parametrize("call", [{"backend": "tiled"}, {"softcap": 5.0}])
def test_an_equal_mask_is_not_the_one_that_changed_since(call, monkeypatch) -> None:
    monkeypatch.setattr("attention.dispatch.choice.LARGE", 0)  # a softcap by tiles
    x, first = torch.randn(2, 1, 4, 8), torch.tensor([4, 2])
    dot_product_attention(x, x, x, Padding(first), **call)
    first.fill_(1)
    mask = Padding(torch.tensor([4, 2]))
    want = dot_product_attention(x, x, x, mask.to_tensor(4, 4), **call)
    torch.testing.assert_close(dot_product_attention(x, x, x, mask, **call), want)


class Held(Mask):
    """Its rule gives what it holds, not a copy."""

    def __init__(self, seen: Tensor) -> None:
        self.seen = seen

    def __call__(self, batch, head, query, key):
        return self.seen


def test_what_is_kept_does_not_change_with_the_mask() -> None:
    x, seen = torch.randn(1, 4, 8), torch.eye(4, dtype=torch.bool)
    for backend in ("eager", "fused"):
        dot_product_attention(x, x, x, Held(first := seen.clone()), backend=backend)
        first.fill_(True)
        got = dot_product_attention(x, x, x, Held(seen), backend=backend)
        torch.testing.assert_close(got, x)  # each token sees itself alone


@pytest.mark.parametrize("learns", [True, False])
def test_a_plan_is_for_gradients_only_where_they_are_asked_for(learns, monkeypatch) -> None:
    for module in (route, cached):
        monkeypatch.setattr(module, "kept", Kept(2))
    x = torch.randn(1, 8, 512, 4, requires_grad=True)
    mask = Causal() & SlidingWindow(32)
    with torch.set_grad_enabled(learns):
        dot_product_attention(x, x, x, mask)
    assert blocks.plan(mask, 512, 512, learns)
    assert len(cached.kept.made) == 1
    assert [key[1][2] for key in cached.kept.made] == [STRIP["backward" if learns else "forward"]]


@pytest.mark.parametrize("call", [{"softcap": 5.0}, {"backend": "eager"}, {"return_weights": True}])
def test_a_causal_mask_is_asked_once_where_torch_needs_a_tensor(call, monkeypatch) -> None:
    asked = count(monkeypatch)
    x = torch.randn(1, 2, 37, 8)
    for _ in range(3):
        dot_product_attention(x, x, x, Causal(), **call)
    assert len(asked) == 1


def test_batches_of_any_size_share_a_table(monkeypatch) -> None:
    asked = count(monkeypatch)
    for batch in range(1, 40):
        x = torch.randn(batch, 1, 38, 4)
        dot_product_attention(x, x, x, Causal() & SlidingWindow(9))
    assert len(asked) == 1


def test_a_count_of_keys_that_is_wrong_is_named_before_a_shape() -> None:
    x, ids = torch.randn(3, 1, 5, 4), torch.zeros(2, 6, dtype=torch.int64)
    with pytest.raises(ValueError, match="Documents is made for 6 keys: got 5"):
        dot_product_attention(x, x, x, Documents(ids))


@pytest.mark.parametrize(
    "other",
    [
        {"bias": torch.linspace(-1, 1, 512)[None]},
        {"softcap": 0.1},
        {"dropout_p": 0.5},
        {"value": torch.linspace(-1, 1, 8 * 512 * 2).sin().view(1, 8, 512, 2)},
        {"return_weights": True},
    ],
)
def test_another_call_under_the_same_mask_finds_its_own_way(other, monkeypatch) -> None:
    x = torch.linspace(-1, 1, 8 * 512 * 4).sin().view(1, 8, 512, 4)
    mask = Causal() & SlidingWindow(64)
    monkeypatch.setattr(route, "kept", Kept(8))
    calls = [{"value": x, **given} for given in ({}, other)]
    found = []
    for call in (*calls, *reversed(calls)):
        torch.manual_seed(0)
        found.append(dot_product_attention(x, x, mask=mask, **call))
    assert len(route.kept.made) == 2
    for one, again in zip(found[:2], found[:1:-1], strict=True):
        torch.testing.assert_close(one, again, rtol=0, atol=0)
    for call, got in zip(calls, found[:2], strict=True):
        if "dropout_p" not in call:
            want = dot_product_attention(x, x, mask=mask, **call, backend="eager")
            torch.testing.assert_close(got, want)
        else:
            assert (got - found[0]).abs().max() > 0.01
