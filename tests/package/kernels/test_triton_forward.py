"""Our GPU kernels beside the backend that forms all scores: contexts and gradients."""

import math

import pytest
import torch
from interpreter import DEVICE, small_tiles
from torch import Tensor

from attention import Causal, Mask, Padding, SlidingWindow, dot_product_attention
from attention.backends.triton import configs, launch, rules
from attention.masks.shifted import Shifted

# Not under jaxtyping's hook: it wraps each function of the package, and Triton's interpreter then
# looks for what a kernel calls in the wrong place. test_triton_launch.py checks the annotations.
pytestmark = [pytest.mark.slow, pytest.mark.untyped]

MASKS = {
    "none": None,
    "causal": Causal(),
    "window": Causal() & SlidingWindow(19),
    "both sides": SlidingWindow(13),
    "padded window": SlidingWindow(30)
    & Padding(torch.tensor([0, 41], device=DEVICE))
    & Padding(torch.tensor([66, 50], device=DEVICE), side="left"),
    "left": Causal() & Padding(torch.tensor([0, 33], device=DEVICE), side="left"),
    "shifted": Shifted(Causal() & Padding(torch.tensor([52, 90], device=DEVICE)), 20),
}
# Queries, keys, heads, heads of keys, width: as many queries as keys, more, fewer, few, and one.
SHAPES = [
    (70, 70, 1, 1, 64),
    (50, 40, 1, 1, 128),
    (21, 40, 2, 1, 64),
    (5, 40, 4, 2, 64),
    (1, 70, 3, 1, 128),
]
DTYPES = [torch.float16, torch.bfloat16]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    small_tiles(monkeypatch)


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def drawn(generator: torch.Generator, shape: tuple[int, ...], dtype: torch.dtype) -> list[Tensor]:
    """Queries, keys and values."""
    queries, keys, heads, kv_heads, width = shape
    shapes = [(2, heads, queries, width), *[(2, kv_heads, keys, width)] * 2]
    return [torch.randn(s, generator=generator).to(DEVICE, dtype) for s in shapes]


def found(inputs: list[Tensor], mask: Mask | Tensor | None, **given) -> list[Tensor]:
    """Context, and gradients of queries, keys and values."""
    inputs = [x.detach().requires_grad_() for x in inputs]
    context = dot_product_attention(*inputs, mask, **given)
    probe = torch.linspace(-1, 1, context.numel(), device=DEVICE).view_as(context).sin()
    return [context, *torch.autograd.grad(context, inputs, probe.to(context.dtype))]


def textbook(inputs: list[Tensor], mask: Mask | None) -> list[Tensor]:
    """softmax(Q Kᵀ / √D) V as the book writes it, each step in the dtype of the inputs."""
    query, key, value = (x.detach().requires_grad_() for x in inputs)
    size = query.shape[1] // key.shape[1]
    k, v = key.repeat_interleave(size, 1), value.repeat_interleave(size, 1)
    scores = query @ k.mT / math.sqrt(query.shape[-1])
    idle = torch.zeros_like(scores[..., :1], dtype=torch.bool)
    if mask is not None:
        keep = mask.to_tensor(query.shape[2], key.shape[2], device=DEVICE)
        idle = ~keep.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~idle, -math.inf)
    context = (scores.softmax(dim=-1) @ v).masked_fill(idle, 0.0)
    probe = torch.linspace(-1, 1, context.numel(), device=DEVICE).view_as(context).sin()
    return [context, *torch.autograd.grad(context, (query, key, value), probe.to(context.dtype))]


def within(ours: list[Tensor], theirs: list[Tensor], true: list[Tensor]) -> None:
    """At most twice the error of the formula, and what one sum costs in this dtype.

    The rule of FlashAttention's own tests, hopper/test_flash_attn.py; and 1e-6, which two sums in
    float32 differ by, where the formula happens to give the truth.
    """
    for one, other, exact in zip(ours, theirs, true, strict=True):
        assert one.isfinite().all()
        error, allowed = (one - exact).abs().max(), (other - exact).abs().max()
        near = exact.to(one.dtype)
        assert error <= 2 * allowed + 2 * (near + 0.3 - 0.3 - near).abs().max() + 1e-6


@pytest.mark.usefixtures("small")
@pytest.mark.filterwarnings("error::RuntimeWarning")  # of the interpreter's numpy: none overflows
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", MASKS)
def test_no_more_than_twice_the_error_of_the_formula(
    name: str, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> None:
    inputs, mask = drawn(generator, shape, dtype), MASKS[name]
    true = found([x.double() for x in inputs], mask, backend="eager")
    within(found(inputs, mask, backend="triton"), textbook(inputs, mask), true)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("shape", SHAPES[3:])
@pytest.mark.parametrize("name", MASKS)
def test_one_program_for_all_keys_of_a_head_needs_no_merge(
    name: str, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch, generator: torch.Generator
) -> None:
    """What it finds lies as the queries do, and is what several programs find; idle queries too."""
    query, key, value = drawn(generator, shape, torch.float16)
    query = query.transpose(1, 2).contiguous().transpose(1, 2)
    mask = MASKS[name]
    rule = rules.Rule() if mask is None else rules.ruled(mask, shape[1])
    context, sums = launch.contexts(query, key, value, rule, 0.1)
    monkeypatch.setattr(configs, "PROGRAMS", 1)
    monkeypatch.delattr(launch, "merge")
    ours, logs = launch.contexts(query, key, value, rule, 0.1)
    assert (ours.dtype, ours.stride()) == (query.dtype, query.stride())
    idle = sums.isposinf()
    assert idle.any() == (name in ("padded window", "left"))
    assert torch.equal(logs.isposinf(), idle)
    assert not ours[idle].any()
    torch.testing.assert_close(ours, context, rtol=2e-3, atol=2e-3)
    torch.testing.assert_close(logs, sums, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("width", configs.WIDTHS)
def test_tiles_as_large_as_on_a_gpu(width: int, generator: torch.Generator) -> None:
    """With inner ones in a window between two borders; and one query on the same keys."""
    mask = Causal() & SlidingWindow(230)
    for queries in (150, 1):
        inputs = drawn(generator, (queries, 270, 1, 1, width), torch.bfloat16)
        true = found([x.double() for x in inputs], mask, backend="eager")
        within(found(inputs, mask, backend="triton"), textbook(inputs, mask), true)
