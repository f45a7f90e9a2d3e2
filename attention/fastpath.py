"""Short self-attention in one call: torch's, which its own module makes where nothing learns.

For 16 tokens of width 64 a module then takes half of the time that it takes product by product with
weights, and four fifths of that without. `torch.backends.mha.set_fastpath_enabled(False)` turns it
off, for torch's module too.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention.layers import plain
from attention.transforms import learns, traced

# The most numbers in the tokens, and in the table of scores, which this call makes. With more, a
# module without weights is faster by the kernel that makes no table, and with weights as fast.
SHORT, SHORT_WITH_WEIGHTS = 1 << 14, 1 << 19


def fastpath(
    module: Any, x: Float[Tensor, "*batch tokens embed_dim"], return_weights: bool
) -> (
    tuple[
        Float[Tensor, "*batch tokens embed_dim"],
        Float[Tensor, "*batch num_heads tokens tokens"] | None,
    ]
    | None
):
    """What a module makes of tokens, and the weights if asked; None if it does more, or in doubt.

    It is asked before the module's checks, so it asks for all that they ask.
    """
    # A parametrized weight is no parameter: then None. To ask for each by its name takes 3 µs.
    own = module._parameters
    weight = own.get("in_proj_weight")
    if traced() or type(x) not in (Tensor, nn.Parameter) or type(return_weights) is not bool:
        return None
    if weight is None or x.is_nested or x.ndim != 3 or learns(x, weight):
        return None
    batch, tokens, width = x.shape
    heads = module.num_heads
    size = batch * tokens * max(width, heads * tokens)
    if not 0 < size <= (SHORT_WITH_WEIGHTS if return_weights else SHORT):
        return None
    out = module._modules.get("out_proj")
    if not plain(out):
        return None
    last = out._parameters
    parts: Any = weight, own.get("in_proj_bias"), last.get("weight"), last.get("bias")
    for part in parts:
        if type(part) is not nn.Parameter or part.layout is not torch.strided:
            return None
        if part.dtype is not torch.float32 or not part.is_cpu:
            return None
    if (
        (module.training and module.dropout)
        or not (module.positions is module.softcap is None)
        or not (module.query_norm is module.key_norm is None)
        or heads != module.num_kv_heads
        or heads * module.head_dim != width
        or module.scale != module.head_dim**-0.5
        or x.dtype is not torch.float32
        or not x.is_cpu
        or x.layout is not torch.strided
        or weight.shape[1] != width
        or learns(*parts)
        or torch._C._len_torch_dispatch_stack()  # whoever counts operations counts the calls
        or torch._C._len_torch_function_stack()
        or torch._C._is_any_autocast_enabled()
        or not torch.backends.mha.get_fastpath_enabled()
    ):
        return None
    native: Any = torch._native_multi_head_attention  # pyright: ignore[reportPrivateImportUsage]
    return native(x, x, x, width, heads, *parts, None, return_weights, False)
