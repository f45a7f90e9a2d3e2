"""torch's own samples for its attention, which ship with torch."""

from collections.abc import Callable, Sequence
from functools import cache, partial

import pytest
import torch
from torch import Tensor

from attention import dot_product_attention

SAMPLES = 25  # a dtype, in torch 2.11 to 2.13
# What the contract does not cover, and why; the count makes sure that no other is left out.
UNCOVERED = {
    "dropout": 12,  # random, so no two ways agree: see test_dropout
    "a query without the batch of its keys": 4,  # torch repeats it; here it is an error
}


@cache
def torchs():
    """torch's attention with its samples; all of torch's operations come with it, in seconds."""
    from torch.testing._internal.common_methods_invocations import op_db

    (found,) = (op for op in op_db if op.name == "nn.functional.scaled_dot_product_attention")
    return found


def uncovered(sample) -> str | None:
    if sample.kwargs.get("dropout_p"):
        return "dropout"
    if sample.input.ndim < sample.args[0].ndim:
        return "a query without the batch of its keys"
    return None


def translated(sample) -> dict:
    """Our arguments for torch's, on whose causal mask the first query sees one key."""
    over = sample.kwargs.get("attn_mask")
    options = {"scale": sample.kwargs.get("scale")}
    if sample.kwargs.get("is_causal"):
        shape = sample.input.shape[-2], sample.args[0].shape[-2]
        options["mask"] = torch.ones(shape, dtype=torch.bool, device=sample.input.device).tril()
    elif over is not None:
        options["mask" if over.dtype == torch.bool else "bias"] = over
    return options


def ours(sample, backend: str, *inputs: Tensor) -> Tensor:
    return dot_product_attention(*inputs, **translated(sample), backend=backend)


def kernel(sample, *inputs: Tensor) -> Tensor:
    """torch's kernel, which torch itself takes only for four axes and a square causal mask."""
    options = translated(sample)
    over = options.get("mask", options.get("bias"))
    out = torchs()(*(x if x.ndim == 4 else x[None] for x in inputs), attn_mask=over)
    return out.view(*inputs[0].shape)


def wide(x):
    return x.double() if isinstance(x, Tensor) and x.is_floating_point() else x


def run(attend: Callable[..., Tensor], inputs: Sequence[Tensor], probe: Tensor) -> list[Tensor]:
    """The context and the three gradients."""
    out = attend(*inputs)
    return [out, *torch.autograd.grad(out, inputs, probe)]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_all_samples_that_the_contract_covers(dtype: torch.dtype, device: str) -> None:
    """Context and gradients, in float64 as torch's; in less, as near to those as torch's are."""
    left_out, seen = dict.fromkeys(UNCOVERED, 0), 0
    worst = {name: [0.0] * 4 for name in ("torch", "kernel", "loops", "eager", "fused")}
    for sample in torchs().sample_inputs(device, dtype, requires_grad=True):
        seen += 1
        if why := uncovered(sample):
            left_out[why] += 1
            continue
        inputs, probe = (sample.input, *sample.args), torch.randn_like(sample.input)
        over = {name: wide(x) for name, x in sample.kwargs.items()}
        exact = run(partial(torchs(), **over), [wide(x) for x in inputs], wide(probe))
        ways = {name: partial(ours, sample, name) for name in ("loops", "eager", "fused")}
        ways |= {"torch": partial(torchs(), **sample.kwargs), "kernel": partial(kernel, sample)}
        for name, way in ways.items():
            for n, (got, true) in enumerate(zip(run(way, inputs, probe), exact, strict=True)):
                if dtype == torch.float64:
                    torch.testing.assert_close(got, true)
                error = (got - true).abs().max() / true.abs().max()
                worst[name][n] = max(worst[name][n], error.item())
    assert (seen, left_out) == (SAMPLES, UNCOVERED)
    theirs = [max(pair) for pair in zip(worst["torch"], worst["kernel"], strict=True)]
    for name in ("loops", "eager", "fused") if dtype != torch.float64 else ():
        assert all(a <= 2 * b for a, b in zip(worst[name], theirs, strict=True)), worst
