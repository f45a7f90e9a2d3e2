"""The ways to attend that `gpu.py` compares, and the inputs it gives them."""

from collections.abc import Callable

import gpu_hopper
import torch
from gpu_shapes import Shape
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

from attention import Causal, dot_product_attention

Way = Callable[[Tensor, Tensor, Tensor], Tensor]


def draw(shape: Shape, device: str, dtype: torch.dtype = torch.bfloat16) -> list[Tensor]:
    """Queries, keys and values."""
    query = (shape.batch, shape.heads, shape.queries, shape.width)
    key = (shape.batch, shape.kv_heads, shape.keys, shape.width)
    make = {"device": device, "dtype": dtype, "requires_grad": shape.backward}
    return [torch.randn(size, **make) for size in (query, key, key)]


def ours(backend: str, causal: bool) -> Way:
    mask = Causal() if causal else None
    return lambda q, k, v: dot_product_attention(q, k, v, mask, backend=backend)


def torchs(kernel: SDPBackend, shape: Shape) -> Way:
    """One kernel of torch's: as many queries as keys, or no mask, so that both align alike."""
    grouped = shape.heads != shape.kv_heads

    def run(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        with sdpa_kernel(kernel):
            return scaled_dot_product_attention(
                query, key, value, is_causal=shape.causal, enable_gqa=grouped
            )

    return run


def before(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
    return query >= key


def flex(shape: Shape, device: str) -> Way:
    # Every shape compiles anew; by default torch stops compiling after eight.
    torch._dynamo.config.recompile_limit = 1000
    torch._dynamo.config.accumulated_recompile_limit = 1000
    run = torch.compile(flex_attention, dynamic=False)
    sizes = shape.queries, shape.keys
    blocks = create_block_mask(before, None, None, *sizes, device) if shape.causal else None
    grouped = shape.heads != shape.kv_heads
    return lambda q, k, v: run(q, k, v, block_mask=blocks, enable_gqa=grouped)


def ways(shape: Shape, device: str) -> dict[str, Way]:
    """On a GPU our kernels first, then the others; on a CPU what a dry run takes."""
    if device == "cpu":
        return {name: ours(name, shape.causal) for name in ("eager", "fused")}
    found = {
        "triton": ours("triton", shape.causal),
        "cudnn": torchs(SDPBackend.CUDNN_ATTENTION, shape),
        "flash 2": torchs(SDPBackend.FLASH_ATTENTION, shape),
        "flex": flex(shape, device),
    }
    if gpu_hopper.there(device) and shape.queries > 1 and not shape.backward:
        found["hopper"] = lambda *inputs: gpu_hopper.forward([*inputs], shape.causal)[0]
    return found
