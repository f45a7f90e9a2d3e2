"""Whether a backend is right at small and ragged shapes, before anybody times it.

The rule is that of FlashAttention's own tests: at most twice the error of the textbook formula in
the same dtype, both beside the formula in float64, and what one sum costs in this dtype.
"""

from itertools import product

import torch
from gpu_rounds import reason
from torch import Tensor

from attention import Causal, Mask, Padding, SlidingWindow, dot_product_attention

# Sequences, query heads, key heads, queries, keys.
SIZES = [
    (1, 1, 1, 1, 1),
    (2, 2, 2, 17, 17),
    (2, 4, 2, 113, 203),
    (2, 4, 1, 203, 113),
    (1, 2, 2, 256, 256),
    (2, 8, 1, 1, 511),
]
LONG = [(1, 2, 1, 1023, 1025), (2, 2, 1, 8192, 8192)]  # on a GPU only: a CPU takes long
WIDTHS = (64, 128, 256)
# What sums in single precision may leave of an exact 0, as are the gradients of a single key: in
# 200 draws up to 5.7e-6.
FLOOR = 2e-5
DTYPES = (torch.float16, torch.bfloat16)


def masks(batch: int, keys: int, device: str) -> dict[str, Mask | None]:
    # Of several sequences the first has no key; one alone has three of four.
    shares = torch.arange(batch) / batch if batch > 1 else torch.tensor([0.75])
    lengths = (shares * keys).long().to(device)
    return {
        "none": None,
        "causal": Causal(),
        "window": Causal() & SlidingWindow(37),
        "padding": Padding(lengths),
    }


def results(inputs: list[Tensor], mask: Mask | None, grad: Tensor, backend: str) -> list[Tensor]:
    """Context and gradients, in the dtype of the inputs."""
    inputs = [x.detach().requires_grad_() for x in inputs]
    context = dot_product_attention(*inputs, mask, backend=backend)
    return [context.detach(), *torch.autograd.grad(context, inputs, grad.to(context.dtype))]


def textbook(inputs: list[Tensor], mask: Mask | None, grad: Tensor) -> list[Tensor]:
    """Context and gradients of the formula."""
    inputs = [x.detach().requires_grad_() for x in inputs]
    context = formula(*inputs, mask)
    return [context.detach(), *torch.autograd.grad(context, inputs, grad.to(context.dtype))]


def formula(query: Tensor, key: Tensor, value: Tensor, mask: Mask | None) -> Tensor:
    """Two products and a softmax, each step in the dtype of the inputs."""
    size = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(size, dim=1) for x in (key, value))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        seen = mask.to_tensor(scores.shape[-2], scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1).masked_fill(~seen, 0)
    else:
        weights = scores.softmax(dim=-1)
    return weights @ value


def wrong(got: list[Tensor], plain: list[Tensor], exact: list[Tensor]) -> list[str]:
    """A line for the context and each gradient there is that breaks the rule; a NaN does."""
    names = ("context", "gradient of query", "gradient of key", "gradient of value")
    found: list[str] = []
    for name, one, other, true in zip(names[: len(got)], got, plain, exact, strict=True):
        error, allowed = ((x.double() - true).abs().max().item() for x in (one, other))
        near = true.to(one.dtype)
        limit = 2 * allowed + 2 * (near + 0.3 - 0.3 - near).abs().max().item() + FLOOR
        if not error <= limit:
            found.append(f"{name}: expected an error of at most {limit:.2g}, got {error:.2g}")
    return found


def draw(
    size: tuple[int, ...], width: int, dtype: torch.dtype, device: str, turned: bool = False
) -> list[Tensor]:
    """Queries, keys, values, and what is asked of the contexts.

    Turned, the heads of a token lie side by side in memory, as a projection leaves them.
    """
    batch, heads, kv_heads, queries, keys = size
    shapes = (heads, queries), (kv_heads, keys), (kv_heads, keys), (heads, queries)
    found = [torch.randn(batch, *shape, width, device=device).to(dtype) for shape in shapes]
    return [x.transpose(1, 2).contiguous().transpose(1, 2) for x in found] if turned else found


def check(backend: str, device: str, width: int) -> list[str]:
    """What is wrong with heads of a width, a line each."""
    found: list[str] = []
    sizes = [*SIZES, *LONG] if device == "cuda" else SIZES
    for size, dtype, turned in product(sizes, DTYPES, (False, True)):
        *inputs, grad = draw(size, width, dtype, device, turned)
        for name, mask in masks(size[0], size[-1], device).items():
            exact = textbook([x.double() for x in inputs], mask, grad)
            plain = textbook(inputs, mask, grad)
            case = f"{backend}, {size} of {width}, {name}, {dtype}, {turned=}"
            try:
                lines = wrong(results(inputs, mask, grad, backend), plain, exact)
            except Exception as error:  # what does not compile, say
                lines = [reason(error)]
            found += [f"{case}: {line}" for line in lines]
    return found
