"""What the tiles have of their own: skipping, memory, and derivatives of derivatives."""

import gc
import math
import weakref
from functools import partial

import pytest
import torch
from torch import Tensor

import attention.backends.tiled as module
from attention import Causal, Mask, Padding, PrefixLM, SlidingWindow, dot_product_attention
from attention.backends import tiles
from attention.checks.masks import UNTRACEABLE
from attention.dispatch import sight

MASKS = {
    "none": None,
    "causal": Causal(),
    "window": Causal() & SlidingWindow(3),
    "padding": Padding(torch.tensor([0, 5])),
    "prefix": PrefixLM(4),
    "tensor": torch.rand(2, 4, 7, 9, generator=torch.Generator().manual_seed(1)) > 0.6,
    "a row for all": torch.arange(9)[None] > 3,
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS", 3)
    for where in (module, tiles):
        monkeypatch.setattr(where, "COLUMNS", 4)


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("softcap", [None, 1.5])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("kv_heads", [4, 2])
def test_first_and_second_derivatives_are_those_of_eager(
    name: str, softcap: float | None, biased: bool, kv_heads: int, draw
) -> None:
    mask = MASKS[name]
    query, key, value = draw(2, 4, 7, 5), draw(2, kv_heads, 9, 5), draw(2, kv_heads, 9, 3)
    mask = mask if mask is None else mask.to(query.device)
    inputs, bias = [query, key, value], None
    if biased:
        bias = draw(4, 1, 9, grad=False)
        bias[..., 3] = float("-inf")
        inputs.append(bias.requires_grad_())
    found = []
    for backend in ("tiled", "eager"):
        context = dot_product_attention(
            query, key, value, mask, bias=bias, scale=0.4, softcap=softcap, backend=backend
        )
        first = torch.autograd.grad(context, inputs, context.detach().sin(), create_graph=True)
        bent = sum((grad * grad.sin()).sum() for grad in first)
        found.append([context, *first, *torch.autograd.grad(bent, inputs)])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.slow
def test_second_derivatives_by_finite_differences(draw) -> None:
    inputs = draw(1, 2, 4, 3), draw(1, 2, 5, 3), draw(1, 2, 5, 2)
    assert torch.autograd.gradgradcheck(
        lambda *x: dot_product_attention(*x, Causal(), backend="tiled"), inputs
    )


def test_a_tile_that_a_mask_empties_is_not_computed(monkeypatch: pytest.MonkeyPatch, draw) -> None:
    """Rules that know their span are not even asked."""
    scored, asked, score, tile = [], [], module.score, Mask.tile
    monkeypatch.setattr(module, "score", lambda *x: scored.append(1) or score(*x))
    monkeypatch.setattr(Mask, "tile", lambda *x: asked.append(1) or tile(*x))
    query = draw(1, 12, 4, grad=False)
    dot_product_attention(query, query, query, Causal(), backend="tiled")
    assert len(scored) == 1 + 2 + 3 + 3  # 4 stretches of 3 queries, 3 of 4 keys
    assert len(asked) == 1 + 1 + 2 + 1  # only on the diagonal
    scored.clear()
    keep = Causal().to_tensor(12, 12, device=query.device)
    dot_product_attention(query, query, query, keep, backend="tiled")
    assert len(scored) == 1 + 2 + 3 + 3


def test_padding_on_the_left_is_told_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, tile = [], Mask.tile
    monkeypatch.setattr(Mask, "tile", lambda *x: asked.append(1) or tile(*x))
    x, mask = torch.randn(2, 1, 12, 4), Padding(torch.tensor([6, 3]), side="left")
    dot_product_attention(x, x, x, mask, backend="tiled")
    assert len(asked) == 4 * 2  # the first 4 keys are padding in both sequences


@pytest.mark.slow
@pytest.mark.parametrize("bias", [None, torch.ones(1, 4096), torch.ones(1, 4096).requires_grad_()])
def test_memory_grows_with_the_length(bias, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward and backward: the largest thing allocated is no larger than the keys."""
    monkeypatch.undo()
    query = torch.ones(1, 1, 4096, 8, requires_grad=True)
    given = {"mask": Causal(), "bias": bias, "backend": "tiled"}
    with torch.profiler.profile(profile_memory=True) as profile:
        dot_product_attention(query, query, query, **given).sum().backward()
    largest = max(event.self_cpu_memory_usage for event in profile.events())
    assert largest <= max(query.nbytes, 4 * module.ROWS * module.COLUMNS)


class Plain(Mask):
    """No data class, and the tensor is in a mask that it holds."""

    def __init__(self, lengths: torch.Tensor) -> None:
        self.inner = Padding(lengths)

    def __call__(self, batch, head, query, key):
        return self.inner(batch, head, query, key)


@pytest.mark.parametrize("held", ["lengths", "table", "plain"])
def test_a_mask_that_changed_before_backward_is_an_error(held: str, draw) -> None:
    """Backward asks the mask again: a gradient of another mask would be wrong without a word."""
    query, key, value = (draw(1, 4, 7, 5) for _ in range(3))
    tensor = torch.ones(7, 7, dtype=torch.bool).tril() if held == "table" else torch.tensor([5])
    tensor = tensor.to(query.device)
    mask = {"lengths": Padding, "plain": Plain, "table": lambda table: table}[held](tensor)
    context = dot_product_attention(query, key, value, mask, backend="tiled")
    tensor.fill_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        context.sum().backward()


class Near(Mask):
    """It may be told another width at any time."""

    width = 2

    def __call__(self, batch, head, query, key):
        return abs(query - key) < self.width


def test_backward_asks_the_mask_of_forward(draw) -> None:
    x, found = draw(1, 7, 4), []
    for change in (False, True):
        mask = Near() & Causal()
        mask.left.width = 3
        context = dot_product_attention(x, x, x, mask, backend="tiled")
        if change:
            mask.left.width = 1
        found.append(torch.autograd.grad(context.square().sum(), x)[0])
    torch.testing.assert_close(*found, atol=0, rtol=0)


@pytest.mark.slow
@pytest.mark.untyped  # beartype's checks are not to be traced
@pytest.mark.skipif(UNTRACEABLE, reason="2.11 cannot trace a copy of a mask either")
def test_tiles_compile_whole() -> None:
    """While compiling nothing is looked at: what a mask leaves out now it may not later."""
    torch.compiler.reset()
    query, (key, value) = torch.randn(2, 4, 7, 4).requires_grad_(), torch.randn(2, 2, 2, 9, 4)
    lengths, table = torch.tensor([9, 2]), torch.rand(7, 9) > 0.5
    window = Causal() & SlidingWindow(3) & Padding(lengths)
    for mask, held in ((window, lengths), (table, table)):
        given = {"mask": mask, "softcap": 5.0, "backend": "tiled"}
        attend = partial(dot_product_attention, query, key, value, **given)
        compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
        for _ in range(2):
            ours, theirs = compiled(), attend()
            torch.testing.assert_close(ours, theirs)
            grads = [torch.autograd.grad(x.square().sum(), query)[0] for x in (ours, theirs)]
            torch.testing.assert_close(*grads)
            held.copy_(held.flip(0))  # what it holds, in place: the second call sees it


@pytest.mark.parametrize("queries", [0, 3])
def test_where_nobody_sees_anything_it_is_differentiated_twice_too(queries: int, draw) -> None:
    shapes = (queries, 4), (5, 4), (5, 4), (queries, 5)
    inputs = [draw(1, 2, *shape) for shape in shapes]
    mask = Padding(torch.tensor([0], device=inputs[0].device))
    context = dot_product_attention(*inputs[:3], mask, bias=inputs[3], backend="tiled")
    grads = torch.autograd.grad(context.sum(), inputs, create_graph=True)
    again = torch.autograd.grad(sum(grad.sum() for grad in grads), inputs)
    assert not any(grad.any() for grad in (*grads, *again))


@pytest.mark.slow
@pytest.mark.untyped
def test_self_attention_compiles_whole() -> None:
    """There a tensor is query, key and value, and compiled code takes none twice."""
    torch.compiler.reset()
    attend = partial(dot_product_attention, backend="tiled")
    compiled = torch.compile(lambda x: attend(x, x, x), fullgraph=True, backend="aot_eager")
    x = torch.randn(2, 5, 4, requires_grad=True)
    found, want = compiled(x), attend(x, x, x)
    torch.testing.assert_close(found, want)
    grads = [torch.autograd.grad(y.square().sum(), x)[0] for y in (found, want)]
    torch.testing.assert_close(*grads)


def test_of_a_bias_that_does_not_learn_no_gradient_is_made(draw, monkeypatch) -> None:
    made = []
    monkeypatch.setattr(Tensor, "sum_to_size", lambda x, *size: made.append(size))
    query, bias = draw(2, 9, 4), draw(9, 9, grad=False)
    dot_product_attention(query, query, query, bias=bias, backend="tiled").sum().backward()
    assert not made


@pytest.mark.parametrize("shape", [(1, 9), (7, 1), (1, 1), (2, 1, 9), (2, 7, 9)])
def test_a_bias_that_is_one_for_some_has_the_sum_of_their_gradients(shape: tuple, draw) -> None:
    inputs, bias = [draw(2, 7, 4), draw(2, 9, 4), draw(2, 9, 4)], draw(*shape)
    mask = Causal() & SlidingWindow(3)
    found, want = (
        torch.autograd.grad(
            dot_product_attention(*inputs, mask, bias=bias, backend=backend).square().sum(), bias
        )[0]
        for backend in ("tiled", "eager")
    )
    torch.testing.assert_close(found, want)


@pytest.mark.parametrize(
    ("mask", "queries", "keys", "left"),
    [
        (Causal(), 8, 8, 8 / 12),  # of tiles of 2 queries and 3 keys
        (Causal(), 2, 8, 1.0),
        (SlidingWindow(1), 8, 8, 5 / 12),
        (Padding(torch.tensor([3, 1])), 4, 9, 1.0),  # of the tiles that are in sight
        (Causal() & SlidingWindow(3), 4, 9, 4 / 4),
        (Causal() & SlidingWindow(1), 4, 9, 3 / 4),
        (Padding(torch.tensor([0])), 4, 9, 1.0),
        (Causal(), 4, 0, 1.0),
        (~Causal(), 8, 8, 1.0),
    ],
)
def test_the_share_of_tiles_that_a_rule_leaves(mask, queries, keys, left, monkeypatch) -> None:
    monkeypatch.setattr(sight, "ROWS", 2)
    monkeypatch.setattr(sight, "COLUMNS", 3)
    assert sight.share_of_tiles(mask, queries, keys) == left


def test_a_bias_is_copied_only_where_a_gradient_cannot_save_it() -> None:
    usual = torch.zeros(2, 2)
    with torch.inference_mode():
        frozen = torch.zeros(2, 2)
        assert module.savable(frozen) is frozen
    assert module.savable(usual) is usual
    copied = module.savable(frozen)
    assert not copied.is_inference()
    assert copied.equal(usual)
    with torch.no_grad():
        assert module.savable(frozen) is frozen


@pytest.mark.parametrize("over", ["mask", "bias"])
def test_what_inference_mode_made_may_lie_over_the_scores_of_training(over: str) -> None:
    query = torch.randn(1, 2, 5, 4, requires_grad=True)
    with torch.inference_mode():
        laid = {"mask": torch.ones(5, 5).tril() > 0, "bias": torch.ones(5, 5).tril()}[over]
    found = []
    for given in (laid, laid.clone()):
        context = dot_product_attention(query, query, query, **{over: given}, backend="tiled")
        found += torch.autograd.grad(context.square().sum(), query)
    torch.testing.assert_close(*found)


def test_a_table_is_freed_with_what_backward_asked_for() -> None:
    query = torch.randn(1, 2, 6, 4, requires_grad=True)
    keep = torch.ones(6, 6, dtype=torch.bool).tril()
    context = dot_product_attention(query, query, query, keep, backend="tiled")
    alive = weakref.ref(keep)
    context.sum().backward()
    del keep
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("rule", [True, False])
def test_a_mask_of_inference_mode_can_learn(rule: bool) -> None:
    with torch.inference_mode():
        mask = Padding(torch.tensor([3, 20]))
        mask = mask if rule else mask.to_tensor(32, 32)
        bias = torch.randn(32, 32)
    x = torch.randn(2, 4, 32, 8)
    grads = []
    for backend in ("eager", "tiled"):
        leaf = x.clone().requires_grad_()
        context = dot_product_attention(leaf, leaf, leaf, mask, bias=bias, backend=backend)
        grads += torch.autograd.grad(context.sum(), leaf)
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize("backend", ["loops", "eager", "fused", "spans", "tiled"])
def test_who_sees_nothing_has_zeros_beside_an_infinite_value(backend: str) -> None:
    """Two queries and one key: the first query stands before it, and 0 · ∞ is not its context."""
    query = torch.randn(2, 2, requires_grad=True)
    key, value = torch.randn(1, 2), torch.tensor([[math.inf]])
    context = dot_product_attention(query, key, value, Causal(), backend=backend)
    assert context.flatten().tolist() == [0.0, math.inf]
    (grad,) = torch.autograd.grad(context[0].sum(), query)
    assert grad[0].tolist() == [0.0, 0.0]
