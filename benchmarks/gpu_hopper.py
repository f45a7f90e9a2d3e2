"""The forward for Hopper, which no call takes yet: whether it is right, and a way to time it."""

import math
from itertools import product

import torch
from gpu_check import DTYPES, SIZES, draw, textbook, wrong
from torch import Tensor

from attention import Causal

WIDTHS = (64, 128)


def there(device: str) -> bool:
    """Whether the GPU is one that it was written for."""
    return device == "cuda" and torch.cuda.get_device_capability() == (9, 0)


def forward(inputs: list[Tensor], causal: bool) -> tuple[Tensor, Tensor]:
    """Contexts, and log-sum-exps in powers of 2; what it refuses is an error here."""
    from attention.backends.triton import hopper  # late: Triton is for Linux alone

    scale = inputs[0].shape[-1] ** -0.5
    refused = hopper.refusal(*inputs, Causal() if causal else None, scale)
    if refused is not None:
        raise ValueError(refused)
    return hopper.forward(*inputs, scale, causal)


def sums(query: Tensor, key: Tensor, causal: bool) -> Tensor:
    """The log-sum-exp of the scores in float64, in powers of 2; +∞ where nothing is seen."""
    key = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
    scores = query.double() @ key.double().mT / query.shape[-1] ** 0.5
    if causal:
        seen = Causal().to_tensor(scores.shape[-2], scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(~seen, -math.inf)
    found = scores.logsumexp(dim=-1) / math.log(2)
    return found.masked_fill(found == -math.inf, math.inf)


def check(device: str) -> list[str]:
    """What is wrong, a line each: contexts by the rule of `gpu_check`, log-sum-exps beyond 1e-4."""
    found: list[str] = []
    for size, width, dtype, causal in product(SIZES, WIDTHS, DTYPES, (False, True)):
        *inputs, grad = draw(size, width, dtype, device)
        mask = Causal() if causal else None
        exact = textbook([x.double() for x in inputs], mask, grad)[:1]
        plain = textbook(inputs, mask, grad)[:1]
        context, logs = forward(inputs, causal)
        lines = wrong([context], plain, exact)
        if not torch.allclose(logs.double(), sums(*inputs[:2], causal), rtol=0, atol=1e-4):
            lines.append("log-sum-exp: expected an error of at most 0.0001, got more")
        case = f"hopper, {size} of {width}, {'causal' if causal else 'none'}, {dtype}"
        found += [f"{case}: {line}" for line in lines]
    return found
