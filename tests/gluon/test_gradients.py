"""The sources of the gradients for Hopper on the emulator: numbers, and that bugs are seen."""

from pathlib import Path
from unittest.mock import patch

import pytest
import torch
from emulator import PIECES, Launcher, load
from formula import SHAPES, draw, excess, gradients, textbook
from machine import Fault
from seeded_gradients import SEEDED

from attention.backends.triton import (
    hopper,
    hopper_backward,
    hopper_kernel,
    hopper_keys,
    hopper_queries,
)

MODULES = {"of_queries": hopper_queries, "of_keys": hopper_keys}
SOURCES = {name: Path(module.__file__).read_text() for name, module in MODULES.items()}
KERNELS = {name: load(source, name) for name, source in SOURCES.items()}


class Kept(Launcher):
    """A launcher that keeps `sames`. Without a kernel it writes those it is given, if any."""

    def __init__(self, kernel, seed, sames=None):
        super().__init__(kernel, seed)
        self.sames = sames

    def launch(self, *args, **options):
        if self.kernel:
            super().launch(*args, **options)
        elif self.sames is not None:
            args[7].copy_(self.sames)
        self.sames = args[7]


def differentiate(inputs, causal, seed, kernels=KERNELS, left=None):
    """All of `hopper_backward.gradients`, with the emulator for the GPU; then `sames`.

    What the forward left may be given. Only given kernels run. Room for results holds NaN.
    """
    query, key, value, grad = inputs
    context, sums = left or textbook(query, key, value, causal)
    context, sums = torch.empty_like(query).copy_(context), sums.float()
    of_queries = Kept(kernels.get("of_queries"), seed, multiplied(context, grad))
    of_keys = Kept(kernels.get("of_keys"), seed)
    with (
        patch.object(hopper_queries, "of_queries", of_queries),
        patch.object(hopper_keys, "of_keys", of_keys),
        patch.object(torch, "empty_like", lambda x: torch.full_like(x, torch.nan)),
    ):
        scale = query.shape[-1] ** -0.5
        found = hopper_backward.gradients(query, key, value, context, sums, grad, scale, causal)
    return found, of_keys.sames


def multiplied(context, grad):
    """What `sames` is."""
    return (context.double() * grad.double()).sum(-1)


def wrong(inputs, causal, seed, kernels=KERNELS) -> str | None:
    """Gradients by the rule of `excess`; `sames`, numbers in single precision, nearer."""
    query, key, value, grad = inputs
    found, sames = differentiate(inputs, causal, seed, kernels)
    exact = gradients(*inputs, causal)
    plain = gradients(*inputs, causal, query.dtype)
    for name, (owner, *of_one) in {
        "query": ("of_queries", found[0], exact[0], plain[0]),
        "key": ("of_keys", found[1], exact[1], plain[1]),
        "value": ("of_keys", found[2], exact[2], plain[2]),
    }.items():
        if owner in kernels and (far := excess(*of_one, name)):
            return far
    context = textbook(query, key, value, causal)[0].to(query.dtype)
    apart = (sames - multiplied(context, grad)).abs().max()
    return None if apart <= 1e-4 else f"product of gradient and context off by {apart:.1e}"


def low(shape, dtype):
    """Every score far below 0, so that 2 to the power of 0, less the log-sum-exp, overflows."""
    query, key, value, grad = draw(shape, dtype)
    return [6 * query.abs(), -6 * key.abs(), value, grad]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_in_any_order(shape, causal):
    for seed, dtype in enumerate((torch.bfloat16, torch.float16, torch.bfloat16)):
        assert wrong(draw(shape, dtype), causal, seed) is None


def test_never_accused():
    for seed in range(20):
        inputs = draw((1, 2, 1, 70 + seed, 150 - seed, 64), torch.bfloat16, seed)
        assert wrong(inputs, seed % 2 == 1, seed) is None


@pytest.mark.parametrize("causal", [False, True])
def test_beyond_the_last_key_nothing_overflows(causal):
    assert wrong(low((1, 1, 1, 70, 100, 64), torch.bfloat16), causal, 0) is None


def complaint(kernels) -> str | None:
    """What is found first, over shapes that between them see every seeded bug."""
    first, idle, several = SHAPES[0], SHAPES[2], SHAPES[3]
    half = torch.bfloat16
    cases = [(draw(first, half), True), (draw(first, half), False), (draw(idle, half), True)]
    cases += [(draw(several, half), True), (low((1, 1, 1, 70, 100, 64), half), False)]
    for seed in range(3):
        for inputs, causal in cases:
            try:
                found = wrong(inputs, causal, seed, kernels)
            except Fault as fault:
                found = str(fault)
            if found:
                return found
    return None


@pytest.mark.parametrize(
    ("name", "bug"), [(name, bug) for name, bugs in SEEDED.items() for bug in bugs]
)
def test_seeded_bug_is_seen(name, bug):
    right, mistaken = SEEDED[name][bug]
    assert (SOURCES[name].count(right) or PIECES.count(right)) == 1
    source, pieces = (text.replace(right, mistaken) for text in (SOURCES[name], PIECES))
    assert complaint({name: load(source, name, pieces)})


@pytest.mark.parametrize("name", MODULES)
def test_one_kernel_alone_is_not_accused(name):
    assert complaint({name: KERNELS[name]}) is None


def test_same_bits_in_any_order():
    inputs = draw(SHAPES[0], torch.bfloat16)
    (first, sames), (second, others) = (differentiate(inputs, True, seed) for seed in (0, 1))
    assert all(map(torch.equal, (*first, sames), (*second, others)))


def test_from_what_the_forward_left():
    query, key, value, _ = inputs = draw(SHAPES[2], torch.bfloat16)
    kernel = load(Path(hopper_kernel.__file__).read_text(), "hopper")
    with patch.object(hopper_kernel, "hopper", Launcher(kernel, 0)):
        left = hopper.forward(query, key, value, query.shape[-1] ** -0.5, True)
    found, _ = differentiate(inputs, True, 0, left=left)
    formulas = gradients(*inputs, True), gradients(*inputs, True, torch.bfloat16)
    for of_one in zip(found, *formulas, strict=True):
        assert excess(*of_one, "gradient") is None


def test_rows_far_apart():
    """Heads inside of rows, as a projection leaves them."""
    inputs = draw((2, 2, 1, 70, 130, 64), torch.bfloat16)
    expected, _ = differentiate(inputs, False, 0)
    assert all(x.is_contiguous() for x in expected)
    inside = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in inputs]
    found, _ = differentiate(inside, False, 0)
    assert all(map(torch.equal, found, expected))
    assert [x.stride() for x in found] == [x.stride() for x in inside[:3]]


def test_queries_that_see_nothing():
    inputs = draw((1, 1, 1, 300, 100, 64), torch.bfloat16)
    found, sames = differentiate(inputs, True, 0)
    assert not found[0][:, :, :200].any()
    assert not sames[:, :, :200].any()
    seeing = [inputs[0][:, :, 200:], *inputs[1:3], inputs[3][:, :, 200:]]
    rest, _ = differentiate(seeing, True, 0)
    assert torch.equal(found[0][:, :, 200:], rest[0])


@pytest.mark.parametrize("number", [torch.inf, torch.nan])
def test_a_value_spoils_no_query_that_does_not_see_it(number):
    inputs = draw((1, 1, 1, 70, 130, 64), torch.bfloat16)
    expected, _ = differentiate(inputs, True, 0)
    left = textbook(*inputs[:3], True)
    left[0][:, :, -1] = inputs[2][:, :, -1] = number  # only the last query sees it
    found, _ = differentiate(inputs, True, 0, left=left)
    assert torch.equal(found[0][:, :, :-1], expected[0][:, :, :-1])
    assert found[0][:, :, -1].isnan().all()
