"""Compiled, transformed, under autocast, on the meta device: the same function, no warning."""

import shutil
import warnings

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import make_fx

from attention import (
    ALiBi,
    Causal,
    Documents,
    KVCache,
    MultiHeadAttention,
    Padding,
    PrefixLM,
    RollingKVCache,
    Rotary,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)
from attention.checks.masks import UNTRACEABLE

MASKS = {
    "none": None,
    "causal": Causal(),
    "all": PrefixLM(1) | Causal() & SlidingWindow(2) & ~Documents(torch.tensor([[0, 1, 2]])),
}


@pytest.fixture(autouse=True)
def no_warning():
    """Ours or torch's: a call warns of nothing. What torch itself uses and deprecates may."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)  # of other tests, collected during ours
        warnings.filterwarnings("ignore", message=".*torch.jit.script.* is deprecated")
        yield


@pytest.mark.slow
@pytest.mark.untyped  # beartype's checks are not to be traced
@pytest.mark.parametrize(
    ("name", "weights"), [("none", False), ("causal", False), ("window", True)]
)
def test_compiles_whole_for_any_length(name: str, weights: bool, device: str) -> None:
    """One graph, without a break, also when the second length makes sizes symbolic."""
    torch.compiler.reset()
    mask = {"none": None, "causal": Causal(), "window": Causal() & SlidingWindow(2)}[name]

    def attend(query: Tensor, key: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return dot_product_attention(query, key, key, mask, return_weights=weights)

    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
    for tokens in (3, 5, 8):
        query, key = torch.randn(2, 4, tokens, 4), torch.randn(2, 2, tokens, 4)
        query, key = query.to(device).requires_grad_(), key.to(device)
        torch.testing.assert_close(compiled(query, key), attend(query, key))


@pytest.mark.slow
@pytest.mark.untyped
def test_compiles_with_masks_made_inside(device: str) -> None:
    """An empty row too: the sequence of length 0."""
    torch.compiler.reset()

    def attend(x: Tensor, lengths: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, Causal() & Padding(lengths, side="left"))

    x = torch.randn(3, 2, 5, 4, device=device, requires_grad=True)
    lengths = torch.tensor([5, 0, 2], device=device)
    got = torch.compile(attend, fullgraph=True, backend="aot_eager")(x, lengths)
    torch.testing.assert_close(got, attend(x, lengths))
    (gradient,) = torch.autograd.grad(got.sum(), x)
    assert not got[1].any()
    assert not gradient[1].any()
    assert gradient.isfinite().all()


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("weights", [False, True])
def test_exports_for_any_length_and_a_scale_that_depends_on_it(weights: bool) -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
            scale = x.shape[-2] ** -0.5
            return dot_product_attention(x, x, x, Causal(), scale=scale, return_weights=weights)

    x = torch.randn(2, 5, 4)
    lengths = {"x": {1: torch.export.Dim("tokens", min=2, max=64)}}
    exported = torch.export.export(Attend(), (x,), dynamic_shapes=lengths).module()
    for tokens in (2, 9):
        x = torch.randn(2, tokens, 4)
        torch.testing.assert_close(exported(x), Attend()(x))


@pytest.mark.slow
@pytest.mark.untyped
def test_exports_a_softcap_for_any_length() -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return dot_product_attention(x, x, x, Causal(), softcap=3.0)

    lengths = {"x": {2: torch.export.Dim("tokens", min=2, max=64)}}
    exported = torch.export.export(
        Attend(), (torch.randn(2, 4, 5, 8),), dynamic_shapes=lengths
    ).module()
    x = torch.randn(2, 4, 9, 8)
    torch.testing.assert_close(exported(x), Attend()(x))


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("keys", [5, 7])
def test_exports_for_as_many_queries_as_keys_and_for_fewer(keys: int) -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> Tensor:
            return dot_product_attention(x, y, y)

    sizes = {name: {2: torch.export.Dim(name + "_tokens", min=2, max=64)} for name in ("x", "y")}
    given = torch.randn(2, 4, 5, 8), torch.randn(2, 4, keys, 8)
    exported = torch.export.export(Attend(), given, dynamic_shapes=sizes).module()
    for queries in (3, 9):
        x, y = torch.randn(2, 4, queries, 8), torch.randn(2, 4, 9, 8)
        torch.testing.assert_close(exported(x, y), Attend()(x, y))


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("call", [{}, {"return_weights": True}, {"backend": "eager"}])
def test_exports_a_causal_mask_for_any_two_lengths(call: dict, strict: bool) -> None:
    """Whether these are as many is asked of the sizes, and not of those of the example."""

    class Attend(torch.nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> Tensor | tuple[Tensor, Tensor]:
            return dot_product_attention(x, y, y, Causal(), **call)

    sizes = {name: {2: torch.export.Dim(name + "_tokens")} for name in ("x", "y")}
    given = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 7, 8)
    exported = torch.export.export(Attend(), given, dynamic_shapes=sizes, strict=strict).module()
    for queries in (3, 9):
        x, y = torch.randn(2, 4, queries, 8), torch.randn(2, 4, 9, 8)
        torch.testing.assert_close(exported(x, y), Attend()(x, y))


@pytest.mark.slow
@pytest.mark.untyped
def test_exports_as_many_queries_as_keys_without_a_mask_as_a_tensor() -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return dot_product_attention(x, x, x, Causal())

    lengths = {"x": {2: torch.export.Dim("tokens")}}
    exported = torch.export.export(Attend(), (torch.randn(2, 4, 5, 8),), dynamic_shapes=lengths)
    [attends] = [node for node in exported.graph.nodes if "attention" in node.name]
    assert attends.args[3:6] == (None, 0.0, True)  # attn_mask, dropout_p, is_causal


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("kind", ["self", "multi"])
def test_modules_compile_whole(kind: str, device: str) -> None:
    torch.compiler.reset()
    attend = {
        "self": SelfAttention(8, causal=True, dropout=0.1, device=device),
        "multi": MultiHeadAttention(8, 4, num_kv_heads=2, device=device),
    }[kind].eval()
    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
    x = torch.randn(2, 5, 8, device=device)
    torch.testing.assert_close(compiled(x, mask=SlidingWindow(2)), attend(x, mask=SlidingWindow(2)))


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.skipif(not shutil.which("g++"), reason="inductor needs a C++ compiler")
@pytest.mark.filterwarnings("ignore")  # of inductor's own making
def test_inductor(device: str) -> None:
    warnings.simplefilter("ignore")
    torch.compiler.reset()

    mask = SlidingWindow(2) & ~Causal()  # its last row is empty

    def attend(x: Tensor) -> tuple[Tensor, Tensor]:
        return dot_product_attention(x, x, x, mask, return_weights=True)

    x = torch.randn(2, 5, 4, device=device)
    torch.testing.assert_close(torch.compile(attend, fullgraph=True)(x), attend(x))


@pytest.mark.untyped
@pytest.mark.parametrize("name", MASKS)
def test_torch_func(name: str, device: str) -> None:
    x = torch.randn(2, 3, 1, 3, 4, device=device, dtype=torch.float64)
    mask = None if MASKS[name] is None else MASKS[name].to(device)

    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, mask)

    plain = torch.stack([attend(one) for one in x])
    torch.testing.assert_close(torch.func.vmap(attend)(x), plain)
    for backend in ("eager", "loops"):
        leaf = x[0].clone().requires_grad_()
        out = dot_product_attention(leaf, leaf, leaf, mask, backend=backend)
        (want,) = torch.autograd.grad(out.sum(), leaf)
        got = torch.func.grad(lambda x: attend(x).sum())(x[0])
        torch.testing.assert_close(got, want)
    # Forward over the same direction as a central difference of size 1e-6, right to 1e-9.
    direction = torch.randn_like(x[0])
    out, tangent = torch.func.jvp(attend, (x[0],), (direction,))
    torch.testing.assert_close(out, plain[0])
    ahead, behind = attend(x[0] + 1e-6 * direction), attend(x[0] - 1e-6 * direction)
    torch.testing.assert_close(tangent, (ahead - behind) / 2e-6, atol=1e-8, rtol=1e-7)
    with forward_ad.dual_level():
        dual = attend(forward_ad.make_dual(x[0], direction))
        torch.testing.assert_close(forward_ad.unpack_dual(dual).tangent, tangent)


def test_a_tensor_of_another_kind_need_not_be_written_into() -> None:
    class Kind(Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if kwargs and "out" in kwargs:
                raise NotImplementedError(f"{func} has no out")
            return super().__torch_function__(func, types, args, kwargs)

    query = torch.randn(2, 3, 4)
    with torch.no_grad():
        want = dot_product_attention(query, query, query, return_weights=True)
        kind = query.as_subclass(Kind)
        got = dot_product_attention(kind, kind, kind, return_weights=True)
    for one, other in zip(got, want, strict=True):
        assert type(one) is Kind
        torch.testing.assert_close(one.as_subclass(Tensor), other)


@pytest.mark.parametrize("backend", ["loops", "eager", "fused", "auto"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast(backend: str, dtype: torch.dtype, device: str) -> None:
    """As if the inputs had been cast by hand, which is what torch does to its own."""
    query, key, value = torch.randn(3, 2, 5, 4, device=device)
    bias = torch.randn(5, 5, device=device)
    mask = torch.ones(5, 5, dtype=torch.bool, device=device).tril(-1)
    options = {"mask": mask, "backend": backend}
    lowered = [tensor.to(dtype) for tensor in (query, key, value)]
    want = dot_product_attention(*lowered, bias=bias.to(dtype), **options)
    with torch.autocast(device, dtype):
        got = dot_product_attention(query, key, value.to(dtype), bias=bias, **options)
        exact = dot_product_attention(query.double(), key.double(), value.double(), **options)
    assert exact.dtype == torch.float64
    assert got.dtype == dtype
    assert torch.equal(got, want)
    assert not got[:, 0].any()


@pytest.mark.parametrize("backend", ["eager", "fused", "spans", "tiled"])
def test_gradients_asked_for_under_autocast(backend: str, device: str) -> None:
    """No worse than those asked for after it: the weights are those of the context."""
    torch.manual_seed(0)
    query, key, value = 3 * torch.randn(3, 1, 2, 200, 16, device=device)
    given = {"mask": SlidingWindow(150), "backend": backend}
    if backend == "spans" and device != "cpu":
        with pytest.raises(ValueError, match="^backend 'spans' is for the CPU: expected fused$"):
            dot_product_attention(query, key, value, **given)
        return

    def grads(*inputs: Tensor) -> tuple[Tensor, ...]:
        leaves = [x.detach().requires_grad_() for x in inputs]
        total = dot_product_attention(*leaves, **given).double().square().sum()
        return torch.autograd.grad(total, leaves)

    exact = grads(*(x.to(torch.bfloat16).double() for x in (query, key, value)))
    with torch.autocast(device, torch.bfloat16):
        inside = grads(query, key, value)
    for one, truth in zip(inside, exact, strict=True):
        assert (one - truth).norm() <= 0.02 * truth.norm()


@pytest.mark.parametrize("backend", ["eager", "fused", "auto"])
def test_meta(backend: str) -> None:
    query, key = torch.empty(2, 4, 5, 4, device="meta"), torch.empty(2, 2, 5, 4, device="meta")
    mask = (Causal() & Padding(torch.tensor([1, 2]))).to("meta")
    context = dot_product_attention(query, key, key, mask, backend=backend)
    assert context.device.type == "meta"
    assert context.shape == (2, 4, 5, 4)


LARGE = {"causal": Causal(), "window": Causal() & SlidingWindow(64)}


@pytest.mark.parametrize("name", LARGE)
def test_tensors_that_have_only_a_shape(name: str) -> None:
    """Before a call with values and after it: nothing is kept of one for the other."""
    x = torch.randn(1, 8, 512, 4)
    for _ in range(2):
        with FakeTensorMode():
            fake = torch.empty(1, 8, 512, 4)
            assert dot_product_attention(fake, fake, fake, LARGE[name]).shape == x.shape
        dot_product_attention(x, x, x, LARGE[name])


@pytest.mark.parametrize("mask", [None, Causal()], ids=["none", "causal"])
def test_a_module_of_tensors_that_have_only_a_shape_outside_of_their_mode(mask) -> None:
    x = torch.randn(1, 8, 12)
    with FakeTensorMode(allow_non_fake_inputs=True):
        attend = MultiHeadAttention(12, 3)
        fake = torch.empty(1, 8, 12)
    assert attend(fake, mask=mask).shape == x.shape


@pytest.mark.untyped  # a size that is a symbol is no int
@pytest.mark.parametrize("tracing", ["real", "fake", "symbolic"])
@pytest.mark.parametrize("name", LARGE)
def test_recorded(name: str, tracing: str) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, LARGE[name])

    x = torch.randn(1, 8, 512, 4)
    torch.testing.assert_close(make_fx(attend, tracing_mode=tracing)(x)(x), attend(x))


@pytest.mark.untyped
@pytest.mark.parametrize("mask", [None, Causal()], ids=["none", "causal"])
@pytest.mark.parametrize("tracing", ["real", "fake"])
def test_what_was_recorded_of_few_tokens_holds_for_others(mask, tracing: str) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, mask)

    recorded = make_fx(attend, tracing_mode=tracing)(torch.randn(1, 2, 5, 4))
    for count in (7, 40):
        x = torch.randn(1, 2, count, 4)
        torch.testing.assert_close(recorded(x), attend(x))


@pytest.mark.untyped
@pytest.mark.parametrize("queries", [512, 1, 3])
@pytest.mark.parametrize(
    ("backend", "mask"),
    [
        ("auto", Causal()),
        ("auto", Causal() & SlidingWindow(64)),
        ("auto", Padding(torch.tensor([500]))),
        ("tiled", Causal()),
        ("tiled", Causal() & SlidingWindow(64)),  # tensors of a mask torch.jit does not find there
    ],
)
def test_traced(backend, mask, queries: int) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x[:, :, -queries:], x, x, mask, backend=backend)

    x, other = torch.randn(2, 1, 8, 512, 4)
    torch.testing.assert_close(traced(attend, x)(other), attend(other))


@pytest.mark.untyped
@pytest.mark.parametrize("inner", [MultiHeadAttention(8, 2), SelfAttention(8, causal=True)])
def test_modules_are_traced_with_their_weights(inner: torch.nn.Module) -> None:
    class Weights(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return self.inner(x, return_weights=True)

    attend, (x, other) = Weights(), torch.randn(2, 2, 5, 8)
    torch.testing.assert_close(traced(attend, x)(other), attend(other))


@pytest.mark.untyped
@pytest.mark.parametrize("positions", [Rotary(), ALiBi()], ids=repr)
def test_modules_are_traced_with_their_positions(positions) -> None:
    attend = MultiHeadAttention(8, 2, positions=positions).requires_grad_(False)
    x, longer = torch.randn(2, 5, 8), torch.randn(2, 7, 8)
    torch.testing.assert_close(traced(attend, x)(longer), attend(longer))


def traced(attend, x: Tensor):
    """By torch.jit, which compares what it recorded with what is computed anew."""
    with warnings.catch_warnings(action="ignore"):  # it is old, and warns that sizes are fixed
        return torch.jit.trace(attend, x)


@pytest.mark.parametrize("backend", ["auto", "fused", "spans", "tiled", "eager"])
@pytest.mark.parametrize("mask", [Causal(), Causal() & SlidingWindow(64)], ids=repr)
def test_many_gradients_at_once(mask, backend) -> None:
    x = torch.randn(1, 8, 512, 4, requires_grad=True)
    out = dot_product_attention(x, x, x, mask, backend=backend)
    several = torch.randn(2, *out.shape)
    (got,) = torch.autograd.grad(out, x, several, is_grads_batched=True, retain_graph=True)
    for one, want in zip(got, several, strict=True):
        torch.testing.assert_close(one, torch.autograd.grad(out, x, want, retain_graph=True)[0])


@pytest.mark.slow
@pytest.mark.untyped
def test_what_nobody_sees_may_be_anything_also_where_nobody_can_look() -> None:
    """Nobody sees the last keys, and the first query sees nothing."""
    mask = SlidingWindow(1) & Padding(torch.tensor([5])) & ~Padding(torch.tensor([1]))
    x = torch.linspace(-1, 1, 32).view(1, 1, 8, 4)
    wild = x.masked_fill(torch.arange(8)[:, None] == 7, float("nan"))

    def attend(query: Tensor, key: Tensor) -> Tensor:
        return dot_product_attention(query, key, key, mask)

    want = attend(x, wild)
    assert want.isfinite().all()
    assert not want[0, 0, 0].any()
    compiled = torch.compile(attend, backend="aot_eager", fullgraph=True)
    for run in (make_fx(attend)(x, wild), compiled):
        torch.testing.assert_close(run(x, wild), want)


@pytest.mark.untyped
@pytest.mark.parametrize("tracing", ["real", "fake", "symbolic"])
def test_tiles_recorded(tracing: str) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, LARGE["window"], backend="tiled")

    x = torch.randn(1, 8, 512, 4)
    torch.testing.assert_close(make_fx(attend, tracing_mode=tracing)(x)(x), attend(x))


def test_a_softcap_on_tensors_that_have_only_a_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attention.dispatch.choice.LARGE", 1)
    with FakeTensorMode():
        x = torch.randn(1, 2, 16, 4)
        assert dot_product_attention(x, x, x, Causal(), softcap=30.0).shape == x.shape
        with pytest.raises(ValueError, match="plans with values, which are not there yet"):
            dot_product_attention(x, x, x, Causal(), backend="spans")


def test_caches_of_tensors_that_have_only_a_shape() -> None:
    with FakeTensorMode():
        cache = KVCache()
        cache.update(*torch.randn(2, 2, 1, 3, 4))
        cache.reorder(torch.tensor([1, 1]))
        assert cache.length == 3
        mask = Causal() & SlidingWindow(3) & Padding(torch.tensor([3, 2]))
        attend = MultiHeadAttention(8, 2)
        x = torch.randn(2, 3, 8)
        assert attend(x, mask=mask, cache=RollingKVCache(3)).shape == x.shape


@pytest.mark.untyped  # beartype's checks are not to be traced
@pytest.mark.skipif(UNTRACEABLE, reason="2.11 cannot trace what a data class holds")
def test_a_mask_on_another_device_is_named_while_compiling_too() -> None:
    mask = Padding(torch.tensor([3], device="meta"))
    attend = torch.compile(
        lambda x: dot_product_attention(x, x, x, mask), fullgraph=True, backend="eager"
    )
    with pytest.raises(Exception, match="Padding holds lengths on meta: expected cpu"):
        attend(torch.randn(1, 2, 5, 4))
