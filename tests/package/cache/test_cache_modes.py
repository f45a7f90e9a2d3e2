"""A cache in inference mode, compiled, under transforms and beside what learns."""

import copy
import warnings

import pytest
import torch

from attention import Causal, KVCache, MultiHeadAttention, RollingKVCache, SlidingWindow
from attention.positions import Positions

from .states import KINDS, WINDOW, kinds, module, tokens


@kinds
@pytest.mark.parametrize("part", ["query_norm", "out_proj", "x"])
def test_what_learns_beside_frozen_keys(kind: str, part: str) -> None:
    """Queries alone may learn: a later step must not spoil what a gradient needs."""
    attend, x = module(qk_norm=True), tokens(2, 6).requires_grad_(part == "x")
    leaf = x if part == "x" else getattr(attend, part).weight.requires_grad_()
    cache = KINDS[kind]()
    outs = [attend(x[:, i : i + 1], mask=WINDOW, cache=cache) for i in range(6)]
    got = torch.autograd.grad(torch.cat(outs, 1).square().sum(), leaf)[0]
    if part != "x":  # of frozen keys and values, no gradient stops at the cache
        want = torch.autograd.grad(attend(x, mask=WINDOW).square().sum(), leaf)[0]
        torch.testing.assert_close(got, want)
    assert got.isfinite().all()


@kinds
def test_a_cache_filled_in_inference_mode_is_used_after_it(kind: str) -> None:
    attend, cache, x = module(), KINDS[kind](), tokens(2, 9)
    want = attend(x, mask=WINDOW)
    with torch.inference_mode():
        attend(x[:, :4], mask=WINDOW, cache=cache)
    torch.testing.assert_close(attend(x[:, 4:5], mask=WINDOW, cache=cache), want[:, 4:5])
    with torch.no_grad():
        torch.testing.assert_close(attend(x[:, 5:], mask=WINDOW, cache=cache), want[:, 5:])


@pytest.mark.slow
@pytest.mark.untyped
@kinds
def test_a_cache_filled_by_compiled_code_in_inference_mode(kind: str) -> None:
    """Which makes what it holds in that mode, whatever the code says."""
    torch.compiler.reset()
    attend, cache, x = module(), KINDS[kind](), tokens(2, 9)
    want = attend(x, mask=WINDOW)
    compiled = torch.compile(attend, backend="aot_eager")
    with torch.inference_mode():
        compiled(x[:, :4], mask=WINDOW, cache=cache)
        torch.testing.assert_close(attend(x[:, 4:5], mask=WINDOW, cache=cache), want[:, 4:5])
    for i in (5, 6):
        got = attend(x[:, i : i + 1], mask=WINDOW, cache=cache)
        torch.testing.assert_close(got, want[:, i : i + 1])


class Learned(torch.nn.Module, Positions):
    """A number for each distance, which learns."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.linspace(-1, 1, 64, dtype=torch.float64))

    def bias(self, query, keys):
        at = torch.arange(keys - query.shape[-2], keys)[:, None]
        return self.table[(at - torch.arange(keys)).abs()].expand(query.shape[-3], -1, -1)


@kinds
@pytest.mark.parametrize("count", [1, 3])
def test_a_bias_that_learns_beside_keys_that_do_not(kind: str, count: int) -> None:
    # As many key heads: of fewer, torch copies keys and values itself.
    attend = MultiHeadAttention(10, 5, positions=Learned(), dtype=torch.float64)
    attend, cache, x = attend.requires_grad_(False), KINDS[kind](), tokens(2, 9)
    table = attend.positions.table.requires_grad_()
    chunks = [attend(part, mask=WINDOW, cache=cache) for part in x.split(count, dim=1)]
    losses = torch.cat(chunks, 1).square().sum(), attend(x, mask=WINDOW).square().sum()
    torch.testing.assert_close(*(torch.autograd.grad(loss, table) for loss in losses))


@kinds
def test_self_attention_as_torchs_module_is_called(kind: str) -> None:
    attend, cache, other, x = module(), KINDS[kind](), KINDS[kind](), tokens(2, 5)
    for part in (x[:, :4], x[:, 4:]):
        got = attend(part, part, part, mask=WINDOW, cache=cache)
        assert torch.equal(got, attend(part, mask=WINDOW, cache=other))


@kinds
@pytest.mark.parametrize("first", [1, 4])
def test_a_cache_that_grew_in_inference_mode_is_used_after_it(kind: str, first: int) -> None:
    attend, cache, x = module(), KINDS[kind](), tokens(2, 9)
    want = attend(x, mask=WINDOW)
    attend(x[:, :first], mask=WINDOW, cache=cache)
    with torch.inference_mode():
        attend(x[:, first:7], mask=WINDOW, cache=cache)
    torch.testing.assert_close(attend(x[:, 7:8], mask=WINDOW, cache=cache), want[:, 7:8])
    with torch.inference_mode():
        cache.reorder(torch.tensor([1, 0]))
    with torch.no_grad():
        rest = attend(x[[1, 0], 8:], mask=WINDOW, cache=cache)
    torch.testing.assert_close(rest, want[[1, 0], 8:])
    for held in (cache.key, cache.value):
        assert not held.is_inference()
        assert not held.requires_grad


def test_on_meta_there_are_no_numbers_to_look_at() -> None:
    cache = KVCache()
    cache.update(torch.empty(2, 1, 3, 4, device="meta"), torch.empty(2, 1, 3, 5, device="meta"))
    cache.reorder(torch.zeros(5, dtype=torch.int64, device="meta"))
    assert cache.value.shape == (5, 1, 3, 5)


@kinds
@pytest.mark.parametrize(("grads", "learns"), [(False, True), (True, False)])
def test_what_no_gradient_asks_for_is_not_copied(kind: str, grads: bool, learns: bool) -> None:
    cache = KINDS[kind]()
    with torch.set_grad_enabled(grads):
        for _ in range(3):
            got = cache.update(*torch.randn(2, 1, 1, 1, 4, requires_grad=learns))
    for seen, held in zip(got, (cache.key, cache.value), strict=True):
        assert seen.untyped_storage().data_ptr() == held.untyped_storage().data_ptr()


@pytest.mark.parametrize("tokens", [1, 4])
@pytest.mark.parametrize("make", [KVCache, lambda: RollingKVCache(6)])
def test_forward_mode_through_a_cache_has_the_newest_tangents(make, tokens: int) -> None:
    """Frozen weights, so that no tensor says that somebody will ask."""
    attend = MultiHeadAttention(8, 2).requires_grad_(False).double()
    x, along = torch.randn(2, 1, tokens, 8, dtype=torch.float64)
    mask = Causal() & SlidingWindow(6)
    plain, through = (
        torch.func.jvp(lambda x, made=made: attend(x, mask=mask, cache=made()), (x,), (along,))
        for made in (lambda: None, make)
    )
    torch.testing.assert_close(through, plain)


@kinds
def test_vmap_takes_a_cache_that_was_made_inside(kind: str) -> None:
    attend = MultiHeadAttention(12, 3).requires_grad_(False)
    xs = torch.randn(3, 1, 4, 12)

    def steps(x: torch.Tensor) -> torch.Tensor:
        cache = KINDS[kind]()
        first = attend(x[:, :2], mask=WINDOW, cache=cache)
        return torch.cat([first, attend(x[:, 2:], mask=WINDOW, cache=cache)], dim=1)

    alone = torch.stack([steps(x) for x in xs])
    with warnings.catch_warnings(action="ignore"):  # that a ring is written to one by one
        torch.testing.assert_close(torch.func.vmap(steps)(xs), alone)
    outside = KINDS[kind]()
    attend(xs[0, :, :1], mask=WINDOW, cache=outside)
    for cache in (outside, KINDS[kind]()):
        before = cache.length, cache.key
        with pytest.raises(
            ValueError, match=r"^cache was made outside of .* torch\.func, .* that is transformed$"
        ):
            torch.func.vmap(lambda x, cache=cache: attend(x, mask=WINDOW, cache=cache))(xs)
        assert cache.length == before[0]
        assert cache.key is before[1] is None or torch.equal(cache.key, before[1])


@pytest.mark.parametrize("begun", [False, True])
def test_who_differentiates_makes_the_cache_inside(begun: bool) -> None:
    """What grad makes ends with it: a cache from outside would hold what is gone."""
    attend = MultiHeadAttention(12, 3).requires_grad_(False)
    x = torch.randn(1, 4, 12)

    def total(x: torch.Tensor, cache: KVCache) -> torch.Tensor:
        return attend(x, mask=Causal(), cache=cache).sum()

    want = torch.func.grad(lambda x: attend(x, mask=Causal()).sum())(x)
    torch.testing.assert_close(torch.func.grad(lambda x: total(x, KVCache()))(x), want)
    outside = KVCache(8)
    if begun:
        total(x, outside)
    with pytest.raises(ValueError, match="cache was made outside of a transform of torch.func"):
        torch.func.grad(total)(x, outside)
    copied = copy.deepcopy(outside)
    assert copied.length == outside.length == (4 if begun else 0)
