"""Projections in one matrix: computed once, and loaded from parts."""

import re

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from attention import MultiHeadAttention, SelfAttention


def test_the_gradient_of_cross_attention_fills_one_matrix() -> None:
    """Three slices would each fill a whole one, and add them."""
    attend = MultiHeadAttention(12, 3)
    with torch.profiler.profile() as profile:
        attend(torch.randn(1, 2, 12), torch.randn(1, 4, 12)).sum().backward()
    names = {event.name for event in profile.events()}
    assert "aten::slice_backward" not in names
    assert any(name.startswith("SplitWithSizesBackward") for name in names)


def test_a_module_without_biases_packs_none() -> None:
    state = {f"{name}_proj.bias": torch.zeros(12) for name in ("query", "key", "value")}
    missed = MultiHeadAttention(12, 3, bias=False).load_state_dict(state, strict=False)
    assert missed.unexpected_keys == [*state]


def test_projections_that_come_apart_are_packed() -> None:
    """Also where the module is a part of another, and each where the other loads it."""
    ours, other = (MultiHeadAttention(12, 4, num_kv_heads=2) for _ in range(2))
    state = {"0.out_proj.weight": ours.out_proj.weight, "0.out_proj.bias": ours.out_proj.bias}
    for name in ("query_proj", "key_proj", "value_proj"):
        part = getattr(ours, name)
        state |= {f"0.{name}.weight": part.weight, f"0.{name}.bias": part.bias}
    before = dict(state)
    nn.Sequential(other).load_state_dict(state)
    assert state == before  # the caller's is as it was
    for name, weight in ours.state_dict().items():
        assert torch.equal(other.state_dict()[name], weight)


def test_biases_may_come_apart_where_weights_are_packed() -> None:
    ours, other = (MultiHeadAttention(12, 4, num_kv_heads=2) for _ in range(2))
    state = ours.state_dict()
    parts = ours.in_proj_bias.detach().split([12, 6, 6])
    del state["in_proj_bias"]
    for name, part in zip(("query", "key", "value"), parts, strict=True):
        state[f"{name}_proj.bias"] = part
    other.load_state_dict(state)
    assert torch.equal(other.in_proj_bias, ours.in_proj_bias)


def test_a_hook_may_rename_projections_that_come_apart() -> None:
    def rename(module: nn.Module, state: dict[str, Tensor], prefix: str, *_: object) -> None:
        for part, theirs in (("query", "q"), ("key", "k"), ("value", "v"), ("out", "o")):
            state[f"{prefix}{part}_proj.weight"] = state.pop(f"{prefix}{theirs}_proj.weight")

    attend = MultiHeadAttention(12, 4, bias=False)
    attend.register_load_state_dict_pre_hook(rename)
    given = {f"{name}_proj.weight": torch.randn(12, 12) for name in "qkvo"}
    for _ in range(2):
        attend.load_state_dict(given)
    assert torch.equal(attend.key_proj.weight, given["k_proj.weight"])
    assert len(attend._load_state_dict_pre_hooks) == 1  # ours was for the one call


class Counted(nn.Module):
    """A parametrization that counts how often a weight is asked for."""

    count = 0

    def forward(self, weight: Tensor) -> Tensor:
        self.count += 1
        return weight


def test_a_parametrized_weight_is_computed_once_a_call() -> None:
    x, other = torch.randn(2, 4, 12), torch.randn(2, 5, 12)
    many, one = MultiHeadAttention(12, 3), SelfAttention(12)
    counted, alone = Counted(), Counted()
    nn.utils.parametrize.register_parametrization(many, "in_proj_weight", counted)
    nn.utils.parametrize.register_parametrization(one.query_proj, "weight", alone)
    memory = many.remember(other)
    for call in (lambda: many(x), lambda: many(x, other), lambda: many(x, memory)):
        counted.count = 0
        call()
        assert counted.count == 1
    counted.count = 0
    many.remember(other)
    assert counted.count == 1
    alone.count = 0
    one(x)
    assert alone.count == 1


WRONG = {
    "as many rows in all": {"query_proj.weight": (6, 12), "key_proj.weight": (12, 12)},
    "another width": {"key_proj.weight": (6, 11)},
    "a vector": {"key_proj.weight": (6,)},
    "a number": {"key_proj.weight": ()},
}


@pytest.mark.parametrize("name", WRONG)
def test_parts_that_do_not_fit_are_left_to_torch(name: str) -> None:
    attend = MultiHeadAttention(12, 4, num_kv_heads=2, bias=False)
    before = attend.in_proj_weight.clone()
    state = {"query_proj.weight": (12, 12), "key_proj.weight": (6, 12)}
    state |= {"value_proj.weight": (6, 12), "out_proj.weight": (12, 12)} | WRONG[name]
    with pytest.raises(RuntimeError, match=r"Missing key.*in_proj_weight"):
        attend.load_state_dict({part: torch.ones(size) for part, size in state.items()})
    assert torch.equal(attend.in_proj_weight, before)


def test_parts_for_another_number_of_heads_are_named() -> None:
    attend = nn.Sequential(MultiHeadAttention(12, 4, bias=False))
    rows = {"query": 12, "key": 6, "value": 6, "out": 12}
    state = {f"0.{part}_proj.weight": torch.ones(count, 12) for part, count in rows.items()}
    said = r"\n\t0\.key_proj\.weight has 6 rows: expected 12, heads · head_dim\n"
    with pytest.raises(RuntimeError, match=said) as raised:
        attend.load_state_dict(state)
    assert "query_proj.weight has" not in str(raised.value)


def test_parts_of_two_kinds_are_left_to_torch() -> None:
    attend = MultiHeadAttention(12, 4, bias=False)
    state = {f"{part}_proj.weight": torch.ones(12, 12) for part in ("query", "key", "value", "out")}
    for other in (state["key_proj.weight"].double(), state["key_proj.weight"].to("meta"), None):
        with pytest.raises(RuntimeError, match=r"Missing key.*in_proj_weight"):
            attend.load_state_dict(state | {"key_proj.weight": other})
    packed = {"in_proj_weight": torch.zeros(36, 12)}
    with pytest.raises(RuntimeError, match="Unexpected key.*query_proj.weight"):
        attend.load_state_dict(state | packed)


@pytest.mark.parametrize("name", ["query_proj", "key_proj", "value_proj"])
def test_no_layer_takes_the_place_of_a_part(name: str) -> None:
    attend = MultiHeadAttention(12, 4)
    message = f"expected new numbers, as in {name}.weight.copy_(…) under torch.no_grad()"
    with pytest.raises(TypeError, match=f"^{name} is set to a Linear: {re.escape(message)}$"):
        setattr(attend, name, nn.Linear(12, 12))
    assert name not in attend.state_dict()


def test_parts_for_a_parametrized_matrix_are_named_as_the_state_names_them() -> None:
    attend = weight_norm(MultiHeadAttention(12, 3), "in_proj_weight")
    parts = {f"{part}_proj.weight": torch.zeros(12, 12) for part in ("query", "key", "value")}
    with pytest.raises(RuntimeError, match="Unexpected key.*query_proj.weight") as raised:
        attend.load_state_dict(parts)
    assert 'Unexpected key(s) in state_dict: "in_proj_weight"' not in str(raised.value)
    biases = {f"{part}_proj.bias": torch.full((12,), 2.0) for part in ("query", "key", "value")}
    attend.load_state_dict(biases, strict=False)  # those are packed
    assert torch.equal(attend.in_proj_bias, torch.full((36,), 2.0))
