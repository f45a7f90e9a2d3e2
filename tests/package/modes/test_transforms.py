"""Under transforms and under autocast: the same function, and no warning."""

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import make_fx

from attention import Causal, Documents, Padding, PrefixLM, SlidingWindow, dot_product_attention

pytestmark = pytest.mark.usefixtures("no_warning")

MASKS = {
    "none": None,
    "causal": Causal(),
    "all": PrefixLM(1) | Causal() & SlidingWindow(2) & ~Documents(torch.tensor([[0, 1, 2]])),
}


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
