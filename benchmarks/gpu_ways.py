"""The ways to attend that `gpu.py` compares, and the inputs it gives them."""

from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import torch
from gpu_shapes import Shape
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, Mask, SlidingWindow, dot_product_attention

Way = Callable[[Tensor, Tensor, Tensor], Tensor]
Make = Callable[[], Way]  # before the clock runs; a mask as a tensor may not fit, say


def inputs(shape: Shape, device: str, dtype: torch.dtype = torch.bfloat16) -> list[Tensor]:
    """Queries, keys and values.

    The heads of a token lie side by side, as a projection leaves them, and as FlashAttention 2
    wants them: else its backward makes two copies. In decoding a head lies in one piece, as our
    cache has it.
    """
    sizes = (shape.heads, shape.queries), (shape.kv_heads, shape.keys), (shape.kv_heads, shape.keys)
    found = [torch.randn(shape.batch, *x, shape.width, device=device, dtype=dtype) for x in sizes]
    if shape.queries > 1:
        found = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in found]
    return [x.requires_grad_(shape.backward) for x in found]


def flash4(shape: Shape) -> Way:
    """Its own kernels for Hopper, where its package, `flash-attn-4`, is installed.

    The heads of a token lie side by side, as for FlashAttention 2.
    """
    from flash_attn.cute import flash_attn_func  # type: ignore[import-not-found]

    def run(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        rows = (x.transpose(1, 2) for x in (query, key, value))
        found = flash_attn_func(*rows, causal=shape.causal)
        return (found[0] if isinstance(found, tuple) else found).transpose(1, 2)

    return run


def mask(shape: Shape) -> Mask | None:
    if shape.window:
        return Causal() & SlidingWindow(shape.window)
    return Causal() if shape.causal else None


def ours(backend: str, shape: Shape) -> Way:
    rule = mask(shape)
    return lambda q, k, v: dot_product_attention(q, k, v, rule, backend=backend)


def portable(shape: Shape) -> Way:
    """Our kernels for every GPU, also where `triton` takes those for Hopper."""
    from attention.backends.triton import launch  # late: Triton is for Linux alone
    from attention.backends.triton.rules import Rule

    rest = Rule(right=0) if shape.causal else Rule(), shape.width**-0.5
    return there_and_back(launch.portable, launch.portable_gradients, rest)


def hopper(shape: Shape) -> Way:
    """Our kernels for Hopper, also where `triton` takes the portable ones."""
    from attention.backends.triton import hopper, hopper_backward

    rest = shape.width**-0.5, shape.causal
    return there_and_back(hopper.forward, hopper_backward.gradients, rest)


def there_and_back(forward: Any, backward: Any, rest: tuple[Any, ...]) -> Way:
    """Two launches as one function that can be differentiated."""

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            context, sums = forward(query, key, value, *rest)
            ctx.save_for_backward(query, key, value, context, sums)
            return context

        @staticmethod
        def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, ...]:
            return backward(*ctx.saved_tensors, *grads, *rest)

    return Both.apply


def torchs(kernel: SDPBackend, shape: Shape, keep: Tensor | None = None) -> Way:
    """One kernel of torch's, with its own causal mask or with a tensor."""
    causal = shape.causal and keep is None
    grouped = shape.heads != shape.kv_heads

    def run(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        with sdpa_kernel(kernel):
            return scaled_dot_product_attention(
                query, key, value, keep, is_causal=causal, enable_gqa=grouped
            )

    return run


def tensor(kernel: SDPBackend, shape: Shape, device: str, dtype: torch.dtype) -> Way:
    """The same under any mask, as a tensor: of numbers, which torch would make of booleans."""
    rule = mask(shape)
    assert rule is not None
    keep = rule.to_tensor(shape.queries, shape.keys, device=device)
    added = torch.zeros(keep.shape, dtype=dtype, device=device).masked_fill_(~keep, float("-inf"))
    return torchs(kernel, shape, added)


def last(shape: Shape) -> Way:
    """FlashAttention 2 aligns as we do, the last query at the last key; torch can ask it to."""
    return torchs(SDPBackend.FLASH_ATTENTION, shape, causal_lower_right(shape.queries, shape.keys))


def window(shape: Shape) -> Way:
    """FlashAttention 2 knows a window; of torch, only the operator under the function asks it to.

    It counts the keys beside a query's own, and has the heads of a token side by side.
    """
    assert shape.window is not None
    beside = shape.window - 1
    sizes = shape.queries, shape.keys

    def run(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        rows = [x.transpose(1, 2) for x in (query, key, value)]
        found = torch.ops.aten._flash_attention_forward(
            *rows, None, None, *sizes, 0.0, False, False,
            window_size_left=beside, window_size_right=0,
        )  # fmt: skip
        return found[0].transpose(1, 2)

    return run


@cache  # it would be compiled anew in each round
def flex(shape: Shape, device: str) -> Way:
    # Every shape compiles anew; by default torch stops compiling after eight.
    torch._dynamo.config.recompile_limit = 1000
    torch._dynamo.config.accumulated_recompile_limit = 1000
    run = torch.compile(flex_attention, dynamic=False)
    sizes = shape.queries, shape.keys
    rule = mask(shape)
    blocks = None if rule is None else rule.block_mask(*sizes, device=device)
    grouped = shape.heads != shape.kv_heads
    return lambda q, k, v: run(q, k, v, block_mask=blocks, enable_gqa=grouped)


def ways(shape: Shape, device: str) -> dict[str, Make]:
    """On a GPU our kernels first, then the others; on a CPU what a dry run takes."""
    if device == "cpu":
        return {name: partial(ours, name, shape) for name in ("eager", "fused")}
    found = {"triton": partial(ours, "triton", shape), "flex": partial(flex, shape, device)}
    if not shape.square:
        made = {"fused, mask made in the call": partial(ours, "fused", shape)}
        return found | made | beside(shape, device)
    if shape.queries > 1:
        found |= other(shape)
        if find_spec("flash_attn") and find_spec("flash_attn.cute"):
            found["flash 4"] = partial(flash4, shape)
    return found | {
        "fused": partial(ours, "fused", shape),
        "cudnn": partial(torchs, SDPBackend.CUDNN_ATTENTION, shape),
        "flash 2": partial(torchs, SDPBackend.FLASH_ATTENTION, shape),
    }


def other(shape: Shape) -> dict[str, Make]:
    """Those of our kernels that `triton` does not take on Hopper."""
    from attention.backends.triton import hopper as forward
    from attention.backends.triton import hopper_backward

    least = hopper_backward.LEAST if shape.backward else forward.LEAST[shape.width]
    few = min(shape.queries, shape.keys) < (least.causal if shape.causal else least.full)
    return {"hopper": partial(hopper, shape)} if few else {"portable": partial(portable, shape)}


def beside(shape: Shape, device: str, dtype: torch.dtype = torch.bfloat16) -> dict[str, Make]:
    """Torch's kernels under a mask that its function has no flag for."""
    found = {"cudnn, tensor": partial(tensor, SDPBackend.CUDNN_ATTENTION, shape, device, dtype)}
    if shape.heads == shape.kv_heads:  # it knows no groups
        efficient = SDPBackend.EFFICIENT_ATTENTION
        found["efficient, tensor"] = partial(tensor, efficient, shape, device, dtype)
    if shape.window:
        return found | {"flash 2, window": partial(window, shape)}
    return found | {"flash 2, last": partial(last, shape)}
