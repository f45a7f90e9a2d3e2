"""The ways to attend that `gpu.py` compares, and the inputs it gives them."""

from collections.abc import Callable

import gpu_hopper
import torch
from gpu_shapes import Shape
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, Mask, SlidingWindow, dot_product_attention

Way = Callable[[Tensor, Tensor, Tensor], Tensor]


def draw(shape: Shape, device: str, dtype: torch.dtype = torch.bfloat16) -> list[Tensor]:
    """Queries, keys and values."""
    query = (shape.batch, shape.heads, shape.queries, shape.width)
    key = (shape.batch, shape.kv_heads, shape.keys, shape.width)
    make = {"device": device, "dtype": dtype, "requires_grad": shape.backward}
    return [torch.randn(size, **make) for size in (query, key, key)]


def mask(shape: Shape) -> Mask | None:
    if shape.window:
        return Causal() & SlidingWindow(shape.window)
    return Causal() if shape.causal else None


def ours(backend: str, shape: Shape) -> Way:
    rule = mask(shape)
    return lambda q, k, v: dot_product_attention(q, k, v, rule, backend=backend)


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


def ways(shape: Shape, device: str) -> dict[str, Way]:
    """On a GPU our kernels first, then the others; on a CPU what a dry run takes."""
    if device == "cpu":
        return {name: ours(name, shape) for name in ("eager", "fused")}
    found = {"triton": ours("triton", shape), "flex": flex(shape, device)}
    if not shape.square:
        return found | {"fused": ours("fused", shape)} | beside(shape, device)
    found["cudnn"] = torchs(SDPBackend.CUDNN_ATTENTION, shape)
    found["flash 2"] = torchs(SDPBackend.FLASH_ATTENTION, shape)
    if gpu_hopper.there(device) and shape.queries > 1 and not shape.backward:
        found["hopper"] = lambda *inputs: gpu_hopper.forward([*inputs], shape.causal)[0]
    return found


def beside(shape: Shape, device: str, dtype: torch.dtype = torch.bfloat16) -> dict[str, Way]:
    """Torch's kernels under a mask that is not theirs: as a tensor, made before the clock runs.

    Of numbers: of booleans torch would make these in each call.
    """
    rule = mask(shape)
    assert rule is not None
    keep = rule.to_tensor(shape.queries, shape.keys, device=device)
    added = torch.zeros(keep.shape, dtype=dtype, device=device).masked_fill_(~keep, float("-inf"))
    found = {
        "cudnn, tensor": torchs(SDPBackend.CUDNN_ATTENTION, shape, added),
        "efficient, tensor": torchs(SDPBackend.EFFICIENT_ATTENTION, shape, added),
    }
    if not shape.window:  # FlashAttention 2 aligns as we do, and torch can ask it to
        last = causal_lower_right(shape.queries, shape.keys)
        found["flash 2, last"] = torchs(SDPBackend.FLASH_ATTENTION, shape, last)
    return found
