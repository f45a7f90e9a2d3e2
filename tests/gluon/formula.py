"""What the kernels for Hopper are held against: the formula, on inputs drawn for it."""

import math

import torch

# batch, heads, key heads, queries, keys, width. Two blocks of queries, one of them ragged; a mask
# whose border crosses a tile of keys; queries that see nothing; more tiles of keys than stages;
# several sequences of several heads.
SHAPES = [
    (1, 2, 1, 200, 800, 64),
    (2, 1, 1, 256, 384, 64),
    (1, 1, 1, 300, 100, 64),
    (2, 4, 2, 65, 129, 128),
    (1, 1, 1, 1, 513, 128),
]


def draw(shape, dtype, seed=0):
    """Queries, keys, values, and a gradient of the context."""
    batch, heads, kv_heads, queries, keys, width = shape
    generator = torch.Generator().manual_seed(seed)
    sizes = (heads, queries), (kv_heads, keys), (kv_heads, keys), (heads, queries)
    return [torch.randn(batch, h, n, width, generator=generator).to(dtype) for h, n in sizes]


def textbook(query, key, value, causal, dtype=torch.float64):
    """The formula in a dtype, and the log-sum-exp in powers of 2, +∞ where nothing is seen."""
    group = query.shape[1] // key.shape[1]
    query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
    key, value = (x.repeat_interleave(group, 1) for x in (key, value))
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    queries, keys = scores.shape[-2:]
    ahead = torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries + 1) & causal
    idle = ahead.all(-1, keepdim=True)
    scores = scores.masked_fill(ahead, -math.inf)
    sums = (scores.logsumexp(-1) / math.log(2)).masked_fill(idle[:, 0], math.inf)
    weights = scores.masked_fill(idle, 0.0).softmax(-1).masked_fill(idle, 0.0)
    return weights @ value, sums


def gradients(query, key, value, grad, causal, dtype=torch.float64):
    """Of queries, keys and values, by the formula in a dtype."""
    inputs = [x.detach().to(dtype).requires_grad_() for x in (query, key, value)]
    context, _ = textbook(*inputs, causal, dtype)
    return torch.autograd.grad(context, inputs, grad.to(dtype))


def excess(found, exact, plain, name, floor=1e-5) -> str | None:
    """Whether off by more than twice the formula in the same dtype, and a floor.

    Source:
        The tests of FlashAttention, `tests/test_flash_attn.py`: the same rule.
    """
    error, allowed = (found - exact).abs().max(), 2 * (plain - exact).abs().max() + floor
    return None if error <= allowed else f"{name} off by {error:.1e}, allowed {allowed:.1e}"
