"""Where a linear layer is convolved, and where not: it must be sooner, and unseen."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import vmap
from torch.nn.functional import linear
from torch.nn.modules.module import register_module_forward_hook
from torch.utils.flop_counter import FlopCounterMode

from attention import SelfAttention, processor
from attention.affine import affine, pays
from attention.layers import plain, through

from .layers import drawn, multi_head, parts

ZEN5 = {"cpu_name": "AMD EPYC", "avx_vnni": True}


@contextmanager
def rounded(kind: str, precision: str = "bf16") -> Iterator[None]:
    """Where products, or convolutions, may round their inputs to bfloat16."""
    of = getattr(torch.backends.mkldnn, kind)
    before, of.fp32_precision = of.fp32_precision, precision
    yield
    of.fp32_precision = before


def test_where_convolutions_are_exact_by_name(taken) -> None:
    with rounded("conv", "ieee"):
        affine(*parts((256, 256), 256))
    assert taken


def test_onednn_makes_it_on_one_thread_too(taken) -> None:
    """The tests of the package have one; torch is asked what it calls."""
    for rows in (256, 300):
        x, weight, bias = parts((rows, 256), 256)
        with torch.profiler.profile() as profile:
            affine(x, weight, bias)
        names = {event.key for event in profile.key_averages()}
        assert "aten::mkldnn_convolution" in names


class Marked(Tensor):
    """A tensor of a class of its own."""


def turned_off() -> AbstractContextManager:
    return torch.backends.mkldnn.flags(enabled=False)


@pytest.mark.untyped  # a class of tensors of its own
@pytest.mark.parametrize(("change", "around"), [
    (lambda x: x, lambda: torch.autocast("cpu", torch.bfloat16)),
    (lambda x: x, turned_off),
    (lambda x: x, lambda: rounded("conv")),
    (lambda x: x, lambda: rounded("matmul")),
    (lambda x: x, lambda: FlopCounterMode(display=False)),
    (lambda x: x, lambda: torch.device("cpu")),
    (lambda x: x.double(), nullcontext),
    (lambda x: x.bfloat16(), nullcontext),
    (lambda x: x.to("meta"), nullcontext),
    (lambda x: x.as_subclass(Marked), nullcontext),
])  # fmt: skip
def test_what_is_not_convolved(change, around, taken) -> None:
    inputs = [change(x) for x in parts((256, 256), 256)]
    with around():
        want, got = linear(*inputs), affine(*inputs)
    assert (got.dtype, got.device, type(got)) == (want.dtype, want.device, type(want))
    assert not taken


@pytest.mark.parametrize("at", range(3))
def test_nor_where_something_learns(at: int, taken) -> None:
    """A convolution keeps tokens and matrix, whichever of them learns."""
    inputs = parts((256, 256), 256)
    inputs[at].requires_grad_()
    assert affine(*inputs).requires_grad
    assert not taken
    with torch.no_grad():
        affine(*inputs)
    assert taken


@pytest.mark.parametrize("at", range(3))
def test_nor_where_one_part_is_of_another_kind(at: int, taken) -> None:
    """torch's refusal stays torch's."""
    inputs = parts((256, 256), 256)
    inputs[at] = inputs[at].double()
    with pytest.raises(RuntimeError, match="same dtype"):
        affine(*inputs)
    assert not taken


@pytest.mark.untyped  # the types would refuse it first
@pytest.mark.parametrize(("weight", "bias"), [
    (drawn(256, 300), drawn(256)), (drawn(300), drawn(1)[0]), (drawn(256, 300), None),
])  # fmt: skip
def test_what_does_not_fit_is_refused_by_torchs_words(weight, bias, taken) -> None:
    said = []
    for compute in (linear, affine):
        with pytest.raises(RuntimeError) as caught:
            compute(drawn(256, 256), weight, bias)
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert not taken


@pytest.mark.untyped  # mapped tensors have shapes of their own
def test_nor_under_transforms(taken) -> None:
    x, weight, bias = parts((2, 256, 256), 256)
    mapped = vmap(lambda one: affine(one, weight, bias))(x)
    torch.testing.assert_close(mapped, linear(x, weight, bias))
    assert not taken


def test_nor_while_compiling(taken) -> None:
    """An exported layer keeps its name."""
    single, x = SelfAttention(256).requires_grad_(False), drawn(256, 256)
    exported = torch.export.export(single, (x,))
    torch.testing.assert_close(exported.module()(x), single(x))
    assert len(taken) == 3
    owners = [str(node.meta.get("nn_module_stack")) for node in exported.graph.nodes]
    for name in ("query_proj", "key_proj", "value_proj"):
        assert sum(name in owner for owner in owners) == 1


def test_whoever_replaces_torchs_function_is_asked(taken, monkeypatch) -> None:
    asked = []

    def other(*given: Any) -> Tensor:
        asked.append(given)
        return linear(*given)

    monkeypatch.setattr(nn.functional, "linear", other)
    affine(*parts((256, 256), 256))
    assert len(asked) == 1
    assert not taken


@pytest.mark.parametrize(("capability", "said", "narrow"), [
    ("AVX512", ZEN5, True),
    ("AVX512", {**ZEN5, "avx_vnni": False}, False),  # Zen 4
    ("AVX512", {"cpu_name": "AMD EPYC"}, False),
    ("AVX2", ZEN5, False),
    ("AVX512", {**ZEN5, "cpu_name": "Intel(R) Xeon(R) 6975P-C"}, False),
    ("DEFAULT", {"architecture": "aarch64"}, False),
])  # fmt: skip
@pytest.mark.parametrize("missing", [None, "mkl", "mkldnn"])
def test_on_which_processors(capability, said, narrow, missing, monkeypatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: said)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    for library in ("mkl", "mkldnn"):
        there = library != missing
        library = getattr(torch.backends, library)
        monkeypatch.setattr(library, "is_available", lambda there=there: there)
    processor.narrow_mkl.cache_clear()
    assert processor.narrow_mkl() is (narrow and missing is None)
    processor.narrow_mkl.cache_clear()


def hooked(register: str) -> Callable[[nn.Linear, list], Any]:
    return lambda layer, seen: getattr(layer, register)(lambda *_: seen.append(register))


def overwritten(layer: nn.Linear, seen: list) -> None:
    forward = layer.forward
    vars(layer)["forward"] = lambda x: seen.append("forward") or forward(x)


HEARD = [
    hooked("register_forward_hook"),
    hooked("register_forward_pre_hook"),
    overwritten,
    lambda layer, seen: register_module_forward_hook(
        lambda module, *_: seen.append("global") if module is layer else None
    ),
]


@torch.no_grad()
@pytest.mark.parametrize("listen", HEARD)
def test_who_listens_to_a_layer_hears_it(listen: Callable[..., Any], taken) -> None:
    attend, seen = multi_head(), []
    assert plain(attend.out_proj)
    handle = listen(attend.out_proj, seen)
    assert not plain(attend.out_proj)
    attend(drawn(2, 128, 256))
    assert len(seen) == 1
    assert taken == [256]  # the first product alone
    if handle is not None:
        handle.remove()


@pytest.mark.parametrize("register", [
    "register_full_backward_hook", "register_full_backward_pre_hook",
])  # fmt: skip
def test_a_hook_of_the_way_back_is_heard(register: str) -> None:
    attend, seen = multi_head(), []
    hooked(register)(attend.out_proj, seen)
    assert not plain(attend.out_proj)
    attend(drawn(2, 8, 256)).sum().backward()
    assert seen == [register]


def test_a_forward_of_all_layers_is_called(monkeypatch) -> None:
    layer, forward = nn.Linear(8, 8), nn.Linear.forward
    monkeypatch.setattr(nn.Linear, "forward", lambda self, x: 2 * forward(self, x))
    x = drawn(2, 8)
    torch.testing.assert_close(through(layer, x), 2 * forward(layer, x))


def test_where_it_does_not_pay_a_layer_is_called(monkeypatch) -> None:
    """Also on other processors: whoever replaces the call of all modules sees it."""
    layer, called, call = nn.Linear(8, 8), [], nn.Module.__call__

    def counted(self: nn.Module, *given: Any) -> Any:
        called.append(self)
        return call(self, *given)

    through(layer, drawn(2, 8))
    monkeypatch.setattr(nn.Module, "__call__", counted)
    assert not plain(layer)
    through(layer, drawn(2, 8))
    assert called == [layer]


def test_a_layer_of_another_class_is_called() -> None:
    class Doubled(nn.Linear):
        def forward(self, *given: Any) -> Tensor:
            return 2 * super().forward(*given)

    layer, x = Doubled(8, 8), drawn(2, 8)
    assert not plain(layer)
    torch.testing.assert_close(through(layer, x), 2 * linear(x, layer.weight, layer.bias))


def test_short_tokens_never_pay(taken) -> None:
    """So torch's call for short tokens is asked."""
    assert not pays(*parts((16, 64), 192))
