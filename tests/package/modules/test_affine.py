"""A linear layer as a convolution: the same to within rounding, where it is sooner and unseen."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import vmap
from torch.nn.functional import conv2d, linear
from torch.nn.modules.module import register_module_forward_hook
from torch.utils.flop_counter import FlopCounterMode

from attention import MultiHeadAttention, SelfAttention, processor
from attention import affine as path
from attention.affine import affine, pays, rounded_up
from attention.layers import plain, through

ZEN5 = {"cpu_name": "AMD EPYC", "avx_vnni": True}


@pytest.fixture
def taken(monkeypatch) -> list[int]:
    """As on a processor where MKL is narrow; how many rows each convolution has."""
    rows: list[int] = []

    def counted(pictures: Tensor, *others: Any) -> Tensor:
        rows.append(len(pictures) * pictures.shape[2])
        return conv2d(pictures, *others)

    monkeypatch.setattr(processor, "narrow_mkl", lambda: True)
    monkeypatch.setattr(path.functional, "conv2d", counted)
    return rows


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def parts(shape: tuple[int, ...], width: int) -> list[Tensor]:
    """Tokens, a matrix and a bias."""
    return [drawn(*shape), drawn(width, shape[-1], seed=1), drawn(width, seed=2)]


def whole(shape: tuple[int, ...], width: int) -> list[Tensor]:
    """The same of small whole numbers, whose sums nothing rounds."""
    return [(4 * part).round() for part in parts(shape, width)]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("shape", "width"), [
    ((256, 256), 256), ((4, 64, 384), 192), ((2, 3, 50, 400), 150), ((777, 150), 333),
    ((300, 1024), 64), ((256, 4096), 16),
])  # fmt: skip
def test_as_exact_as_a_sum_in_order(shape, width, bias, taken) -> None:
    """At most five times as far as MKL is, which cuts long sums; 1.5 times at a width of 400."""
    x, weight, shift = parts(shape, width)
    given = (x, weight, shift if bias else None)
    exact = linear(*(None if part is None else part.double() for part in given))
    far, torch_far = (
        (compute(*given) - exact).square().mean().sqrt() for compute in (affine, linear)
    )
    assert len(taken) == 1
    assert far <= (5 if shape[-1] > 400 else 1.5) * torch_far


@pytest.mark.parametrize("rows", [*range(256, 520, 3), 1000, 1024, 1025, 3001, 8192])
def test_any_number_of_rows(rows: int, taken) -> None:
    """Filled up by at most a quarter, to a whole number of 16 pictures."""
    assert rows <= rounded_up(rows) < 1.25 * rows
    assert rounded_up(rows) % 16 == 0
    inputs = whole((rows, 256), 256)
    assert torch.equal(affine(*inputs), linear(*inputs))
    assert taken == [rounded_up(rows)]


def test_of_few_sizes() -> None:
    found = {rounded_up(rows) for rows in range(256, 8193)}
    assert found == {part << k for part in (4, 5, 6, 7) for k in range(6, 11)} | {8192}


def test_a_result_is_laid_out_as_torchs_and_is_no_view(taken) -> None:
    for shape in ((2, 128, 256), (300, 256), (2, 2, 75, 256)):
        inputs = parts(shape, 256)
        for bias in (inputs[2], None):
            made = affine(*inputs[:2], bias)
            assert made.stride() == linear(*inputs).stride()
            assert not made._is_view()
    assert len(taken) == 6


def test_a_result_may_be_changed_in_place(taken) -> None:
    """Also where gradients are recorded again."""
    learnt, attend = torch.ones(256, requires_grad=True), multi_head(bias=False)
    for tokens in (256, 300):
        with torch.no_grad():
            made = attend(drawn(1, tokens, 256))
        made += learnt
        made.sum().backward()
    assert learnt.grad is not None
    assert learnt.grad.tolist() == [556.0] * 256
    assert taken


@pytest.mark.parametrize("turn", [
    lambda x, weight: (x.mT.contiguous().mT, weight),
    lambda x, weight: (x.repeat_interleave(2, -1)[..., ::2], weight),
    lambda x, weight: (x[:1].expand_as(x), weight),
    lambda x, weight: (x, weight.mT.contiguous().mT),
    lambda x, weight: (x, torch.cat([weight, weight])[64:320]),
])  # fmt: skip
def test_any_layout(turn: Callable[..., tuple[Tensor, Tensor]], taken) -> None:
    x, weight, bias = whole((2, 128, 256), 256)
    x, weight = turn(x, weight)
    made = affine(x, weight, bias)
    assert torch.equal(made, linear(x, weight, bias))
    assert made.is_contiguous()
    assert len(taken) == 1


@pytest.mark.parametrize(("rows", "in_width", "width", "many"), [
    (256, 256, 256, True), (256, 256, 255, False), (255, 300, 300, False),
    (4096, 256, 16, True), (5000, 256, 15, False), (0, 256, 256, False),
    (256, 2048, 2048, True), (256, 2048, 2049, False),
])  # fmt: skip
def test_from_how_many_on(rows: int, in_width: int, width: int, many: bool, taken) -> None:
    """256 rows, 2²⁴ products, 16 outputs, and at most 2¹⁴ numbers of the matrix to a row."""
    inputs = whole((rows, in_width), width)
    assert torch.equal(affine(*inputs), linear(*inputs))
    assert bool(taken) is many


@contextmanager
def rounded(kind: str, precision: str = "bf16") -> Iterator[None]:
    """Where products, or convolutions, may round their inputs to bfloat16."""
    of = getattr(torch.backends.mkldnn, kind)
    before, of.fp32_precision = of.fp32_precision, precision
    yield
    of.fp32_precision = before


@pytest.mark.parametrize(("shape", "width", "many"), [
    ((5, 50, 300), 300, False), ((8, 32, 300), 300, True),
    ((2, 128, 2048), 2048, True), ((2, 128, 2048), 2049, False),
])  # fmt: skip
def test_rows_are_those_of_all_texts(shape, width: int, many: bool, taken) -> None:
    inputs = whole(shape, width)
    assert torch.equal(affine(*inputs), linear(*inputs))
    assert bool(taken) is many


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


@pytest.mark.untyped  # of other shapes
def test_a_bias_that_broadcasts(taken) -> None:
    x, weight, _ = parts((256, 256), 256)
    for bias in (torch.ones(1), torch.ones(()), torch.ones(256, 256)):
        torch.testing.assert_close(affine(x, weight, bias), linear(x, weight) + 1)
    assert not taken
    torch.testing.assert_close(affine(drawn(3, 0), drawn(4, 0), None), torch.zeros(3, 4))


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


def multi_head(**options: Any) -> MultiHeadAttention:
    torch.manual_seed(0)
    return MultiHeadAttention(256, 4, **options)


@torch.no_grad()
@pytest.mark.parametrize("weights", [False, True])
def test_a_module_gives_the_same(weights: bool, taken, monkeypatch) -> None:
    attend, x = multi_head(), drawn(2, 320, 256)  # too long for torch's call for short texts
    got = attend(x, return_weights=weights)
    assert taken == [640, 640]  # queries, keys and values; the outputs
    monkeypatch.setattr(path, "MIN_ROWS", 1 << 40)
    torch.testing.assert_close(got, attend(x, return_weights=weights))
    assert len(taken) == 2


@torch.no_grad()
def test_so_does_cross_attention_and_one_head(taken, monkeypatch) -> None:
    attend, single = multi_head(), SelfAttention(256)
    x, encoded = drawn(2, 128, 256), drawn(2, 140, 256, seed=1)
    got = attend(x, encoded), single(x)
    assert taken == [256, 320, 320, 256, 256, 256, 256]
    monkeypatch.setattr(path, "MIN_ROWS", 1 << 40)
    torch.testing.assert_close(got, (attend(x, encoded), single(x)))


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
