"""Where oneDNN multiplies faster than MKL, which torch asks: on AMD's processors from Zen 5 on."""

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn


def sooner(*parts: Tensor) -> bool:
    """Whether oneDNN multiplies such tensors sooner, and but for rounding alike."""
    onednn: Any = torch.backends.mkldnn
    return (
        narrow_mkl()
        and all(map(plain_float32, parts))
        and onednn.enabled
        and onednn.conv.fp32_precision in ("none", "ieee")
        and onednn.matmul.fp32_precision != "bf16"  # then `linear` asks oneDNN itself
        and not torch.is_autocast_enabled("cpu")
        and not torch._C._len_torch_dispatch_stack()  # whoever counts operations is to be asked
        and not torch._C._len_torch_function_stack()
    )


def plain_float32(part: Tensor) -> bool:
    """Whether this is a tensor of float32 in a CPU's memory, and no more than that."""
    return (
        type(part) in (Tensor, nn.Parameter)
        and part.dtype is torch.float32
        and part.is_cpu
        and part.layout is torch.strided
    )


@cache
def narrow_mkl() -> bool:
    """Whether MKL multiplies fewer numbers at a time than the processor can: AMD's, from Zen 5."""
    cpu = torch.cpu.get_capabilities()
    return (
        cpu.get("cpu_name", "").startswith("AMD")
        and cpu.get("avx_vnni", False)  # of AMD's, those from Zen 5 on have it
        and torch.backends.cpu.get_cpu_capability() == "AVX512"
        and torch.backends.mkl.is_available()
        and torch.backends.mkldnn.is_available()
    )
