"""Short self-attention by torch's own call: where it gives the same, and nowhere else."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook
from torch.utils.flop_counter import FlopCounterMode

from attention import ALiBi, Causal, KVCache, MultiHeadAttention, Rotary
from attention import fastpath as path


@pytest.fixture
def taken(monkeypatch) -> list[int]:
    """An entry for each call of torch's."""
    calls: list[int] = []
    native: Any = vars(torch)["_native_multi_head_attention"]

    def counted(*arguments: Any) -> Any:
        calls.append(len(arguments))
        return native(*arguments)

    monkeypatch.setattr(torch, "_native_multi_head_attention", counted)
    return calls


def made(**options: Any) -> MultiHeadAttention:
    torch.manual_seed(0)
    options = {"embed_dim": 12, "num_heads": 3, **options}
    attend = MultiHeadAttention(**options)
    for name, parameter in attend.named_parameters():
        if name.endswith("bias"):
            nn.init.normal_(parameter)
    return attend.eval()


def tokens(*shape: int, **options: Any) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(*(shape or (2, 5, 12)), generator=generator).to(**options)


def slow(attend: Any, *inputs: Any, **named: Any) -> Any:
    """What the module makes of the same by itself."""
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        return attend(*inputs, **named)
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


@torch.no_grad()
@pytest.mark.parametrize("x", [
    tokens(), tokens(1, 1, 12), tokens(7, 2, 12).mT.contiguous().mT, tokens(2, 5, 24)[..., ::2],
    tokens(5, 2, 12).transpose(0, 1), tokens(1, 5, 12).expand(3, 5, 12),
])  # fmt: skip
def test_short_tokens_take_one_call(x: Tensor, taken: list[int]) -> None:
    attend = made()
    want = slow(attend, x, return_weights=True)
    assert not taken
    got = attend(x, return_weights=True)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(attend(x), want[0])
    assert len(taken) == 2


@torch.no_grad()
def test_what_is_in_the_tokens_comes_out() -> None:
    """NaN and infinity reach the same outputs."""
    attend, x = made(), tokens()
    for odd in (torch.nan, torch.inf):
        x[0, 3, 2] = odd
        assert attend(x)[0].isnan().all()
        torch.testing.assert_close(attend(x), slow(attend, x), equal_nan=True)


@torch.no_grad()
def test_narrow_tokens_make_no_large_table(taken: list[int]) -> None:
    """2 · 90² scores of 180 numbers."""
    attend = made(embed_dim=2, num_heads=2)
    attend(tokens(1, 91, 2))
    assert not taken
    attend(tokens(1, 90, 2))
    assert taken


@pytest.mark.parametrize("weights", [False, True])
def test_the_most_that_is_short(weights: bool, taken: list[int], monkeypatch) -> None:
    monkeypatch.setattr(path, "SHORT", 48)
    monkeypatch.setattr(path, "SHORT_WITH_WEIGHTS", 75)
    attend, most = made(), 5 if weights else 4
    with torch.no_grad():
        attend(tokens(1, most, 12), return_weights=weights)
        assert len(taken) == 1
        attend(tokens(1, most + 1, 12), return_weights=weights)
        attend(tokens(2, 0, 12), return_weights=weights)
    assert len(taken) == 1


def adapted(attend: MultiHeadAttention) -> None:
    class Adapter(nn.Linear):
        pass

    attend.out_proj = Adapter(12, 12)


def parametrized(name: str) -> Callable[[MultiHeadAttention], None]:
    class Double(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return 2 * x

    def change(attend: MultiHeadAttention) -> None:
        held = attend.out_proj if name.startswith("out") else attend
        nn.utils.parametrize.register_parametrization(held, name.split(".")[-1], Double())

    return change


def scaled(attend: MultiHeadAttention) -> None:
    attend.scale = 0.25


def normed(attend: MultiHeadAttention) -> None:
    attend.key_norm = nn.RMSNorm(4)


def replaced(attend: MultiHeadAttention) -> None:
    attend.out_proj.forward = lambda x: -x


OTHERS: dict[str, Any] = {
    "no bias": {"bias": False},
    "fewer key heads": {"num_kv_heads": 1},
    "wider heads": {"head_dim": 6},
    "rotary": {"positions": Rotary()},
    "ALiBi": {"positions": ALiBi()},
    "norms": {"qk_norm": True},
    "a cap": {"softcap": 0.5},
    "a scale": {"scale": 0.1},
    "float64": {"dtype": torch.float64},
    "halves": {"dtype": torch.bfloat16},
}


def sparse(attend: MultiHeadAttention) -> None:
    attend.out_proj.weight = nn.Parameter(attend.out_proj.weight.detach().to_sparse())


CHANGES: dict[str, Callable[[MultiHeadAttention], None]] = {
    "an adapter": adapted,
    "a scale, later": scaled,
    "a norm of keys, later": normed,
    "another forward": replaced,
    "a sparse weight": sparse,
    "in_proj_weight made anew": parametrized("in_proj_weight"),
    "in_proj_bias made anew": parametrized("in_proj_bias"),
    "the output's weight made anew": parametrized("out_proj.weight"),
}


@torch.no_grad()
@pytest.mark.parametrize("name", [*OTHERS, *CHANGES])
def test_what_torchs_module_has_not_takes_calls_of_its_own(name: str, taken: list[int]) -> None:
    attend = made(**OTHERS.get(name, {}))
    CHANGES.get(name, lambda attend: None)(attend)
    x = tokens(dtype=attend.out_proj.weight.dtype)
    got = attend(x, return_weights=True)
    assert not taken
    torch.testing.assert_close(got, slow(attend, x, return_weights=True), rtol=0, atol=0)


@torch.no_grad()
def test_elsewhere_and_in_two_dtypes_it_takes_calls_of_its_own(taken: list[int]) -> None:
    assert made(device="meta")(tokens(device="meta")).is_meta
    attend = made()
    attend.out_proj.double()
    with pytest.raises(RuntimeError, match="dtype"):
        attend(tokens())
    assert not taken


@torch.no_grad()
def test_another_call_takes_calls_of_its_own(taken: list[int]) -> None:
    attend, x = made(), tokens()
    attend(x, x.clone())
    attend(x, x, x.clone())
    attend(x, mask=Causal())
    attend(x, bias=torch.zeros(5, 5))
    attend(x, cache=KVCache())
    attend(x[0])
    attend(tokens(1, 2, 5, 12))
    assert not taken


@torch.no_grad()
def test_the_same_tokens_three_times_are_self_attention(taken: list[int]) -> None:
    attend, x = made(), tokens()
    for call in (attend(x), attend(x, x), attend(x, x, x)):
        torch.testing.assert_close(call, attend(x), rtol=0, atol=0)
    assert len(taken) == 6


def test_what_learns_takes_calls_of_its_own(taken: list[int]) -> None:
    attend, x = made(), tokens()
    attend(x).sum().backward()
    assert attend.out_proj.bias.grad is not None
    attend.requires_grad_(False)
    attend(x.requires_grad_()).sum().backward()
    assert x.grad is not None
    assert not taken
    attend(x.detach())
    assert taken


@torch.no_grad()
def test_dropout_in_training_takes_calls_of_its_own(taken: list[int]) -> None:
    attend = made(dropout=0.5).train()
    attend(tokens())
    assert not taken
    attend.eval()(tokens())
    assert len(taken) == 1
    made().train()(tokens())
    assert len(taken) == 2


@torch.no_grad()
def test_hooks_of_the_output_are_called(taken: list[int]) -> None:
    attend, hooks = made(), []
    after = attend.out_proj.register_forward_hook(lambda *given: hooks.append("after"))
    attend(tokens())
    after.remove()
    attend.out_proj.register_forward_pre_hook(lambda *given: hooks.append("before"))
    attend(tokens())
    assert hooks == ["after", "before"]
    everywhere = register_module_forward_hook(lambda *given: hooks.append(type(given[0]).__name__))
    try:
        made()(tokens())
    finally:
        everywhere.remove()
    assert hooks[2:] == ["Linear", "MultiHeadAttention"]
    assert not taken


@torch.no_grad()
@pytest.mark.parametrize("inside", ["operations counted", "functions seen", "autocast", "off"])
def test_under_what_changes_calls_it_takes_its_own(inside: str, taken: list[int]) -> None:
    attend, x = made(), tokens()
    counter = FlopCounterMode(display=False)
    within: dict[str, AbstractContextManager[Any]] = {
        "operations counted": counter,
        "functions seen": torch.device("cpu"),
        "autocast": torch.autocast("cpu", torch.bfloat16),
        "off": nullcontext(),
    }
    with within[inside]:
        out = slow(attend, x) if inside == "off" else attend(x)
    assert not taken
    assert out.dtype is (torch.bfloat16 if inside == "autocast" else torch.float32)
    if inside == "operations counted":
        assert counter.get_total_flops() > 0


@torch.no_grad()
def test_transforms_take_calls_of_their_own(taken: list[int]) -> None:
    attend, x = made(), tokens()
    want = attend(x)
    assert len(taken) == 1
    torch.testing.assert_close(torch.func.vmap(attend)(x[None])[0], want)
    assert len(taken) == 1


@torch.no_grad()
def test_a_module_is_exported_for_any_length_without_a_mask() -> None:
    """No size of its own call ends up in the graph."""
    lengths = {"query": {1: torch.export.Dim("tokens", min=2)}}
    attend = made()
    exported = torch.export.export(attend, (tokens(),), dynamic_shapes=lengths).module()
    for x in (tokens(), tokens(2, 300, 12)):
        torch.testing.assert_close(exported(x), attend(x))


@pytest.mark.untyped
def test_weights_are_not_asked_for_by_what_is_true() -> None:
    attend = MultiHeadAttention(12, 3).requires_grad_(False)
    for true in (1, "yes"):
        with pytest.raises(TypeError, match="return_weights is an? .*: expected True or False"):
            attend(tokens(1, 4, 12), return_weights=true)


@torch.no_grad()
def test_tokens_that_are_a_parameter_take_it_too(taken: list[int]) -> None:
    attend, x = made(), nn.Parameter(tokens(), requires_grad=False)
    got = attend(x)
    assert len(taken) == 1
    torch.testing.assert_close(got, slow(attend, x))


@pytest.mark.untyped
@torch.no_grad()
def test_what_is_no_flag_is_told_before_anything_is_computed() -> None:
    attend = made()
    attend.in_proj_weight = nn.Parameter(torch.zeros(3, 12))  # no projection of its own
    with pytest.raises(TypeError, match="return_weights is a str"):
        attend(tokens(), return_weights="yes")
