"""How the weights of a module begin, and how they go to torch's module and back."""

import pytest
import torch
from torch import nn

from attention import MultiHeadAttention, SelfAttention

from .pairs import pair


@pytest.mark.parametrize("bias", [True, False])
def test_weights_go_to_torch_and_back(bias: bool, device: str) -> None:
    ours, theirs = pair(device, bias=bias, dropout=0.2, dtype=torch.float32)
    again = ours.eval().to_torch()
    assert (again.batch_first, again.dropout, again.training) == (True, 0.2, False)
    for name, weight in theirs.state_dict().items():
        assert torch.equal(again.state_dict()[name], weight)
    assert not again.in_proj_weight.is_set_to(theirs.in_proj_weight)
    assert MultiHeadAttention.from_torch(theirs.eval()).training is False


def test_to_go_to_torch_and_back_draws_nothing() -> None:
    attend = MultiHeadAttention(12, 3)
    before = torch.get_rng_state()
    again = MultiHeadAttention.from_torch(attend.to_torch())
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(x, attend.state_dict()[name]) for name, x in again.state_dict().items())
    meta = MultiHeadAttention.from_torch(
        nn.MultiheadAttention(12, 3, batch_first=True, device="meta")
    )
    assert meta.in_proj_weight.is_meta


def test_what_learns_goes_to_torch_and_back() -> None:
    ours = MultiHeadAttention(12, 3)
    ours.in_proj_weight.requires_grad_(False)
    ours.out_proj.bias.requires_grad_(False)
    for other in (theirs := ours.to_torch(), MultiHeadAttention.from_torch(theirs)):
        assert {name for name, part in other.named_parameters() if part.requires_grad} == {
            "in_proj_bias",
            "out_proj.weight",
        }


@pytest.mark.untyped  # the weight of such a layer is a method
@pytest.mark.filterwarnings("ignore:.*quant.*")  # torch means to give it up
@pytest.mark.parametrize("attend", [SelfAttention(8), MultiHeadAttention(8, 2)])
def test_layers_may_be_made_ones_of_8_bits(attend: nn.Module) -> None:
    x = torch.randn(1, 5, 8)
    small = torch.ao.quantization.quantize_dynamic(attend, {nn.Linear})
    torch.testing.assert_close(small(x), attend(x), atol=0.05, rtol=0.05)


def test_a_layer_may_be_wrapped() -> None:
    attend, x = SelfAttention(8), torch.randn(5, 8)
    want = attend(x)
    attend.query_proj = nn.Sequential(attend.query_proj)
    torch.testing.assert_close(attend(x), want, rtol=0, atol=0)


@pytest.mark.untyped  # tokens are numbers of floating point, but here a layer makes them so
def test_a_layer_of_ones_own_may_take_other_numbers() -> None:
    class Scaled(nn.Sequential):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x / 8)

    attend, x = SelfAttention(8), torch.randint(-8, 8, (5, 8))
    want = attend(x / 8)
    for name in ("query_proj", "key_proj", "value_proj"):
        setattr(attend, name, Scaled(getattr(attend, name)))
    torch.testing.assert_close(attend(x), want, rtol=0, atol=0)


@pytest.mark.parametrize("bias", [True, False])
def test_what_a_module_begins_with_is_drawn_as_layers_are(bias: bool) -> None:
    torch.manual_seed(0)
    attend = MultiHeadAttention(12, 3, num_kv_heads=1, bias=bias)
    torch.manual_seed(0)
    for name, rows in (("query", 12), ("key", 4), ("value", 4), ("out", 12)):
        layer, part = nn.Linear(12, rows, bias=bias), getattr(attend, f"{name}_proj")
        assert part.weight.equal(layer.weight)
        assert part.bias.equal(layer.bias) if bias else part.bias is None


@pytest.mark.parametrize("bias", [True, False])
def test_parameters_are_drawn_anew(bias: bool) -> None:
    """As whoever fills a module that was made without memory asks each part of it."""
    attend = MultiHeadAttention(16, 4, num_kv_heads=2, bias=bias, device="meta").to_empty(
        device="cpu"
    )
    own = attend.in_proj_weight, attend.in_proj_bias
    for parameter in attend.parameters():
        nn.init.constant_(parameter, 7.0)
    for module in attend.modules():
        getattr(module, "reset_parameters", bool)()
    assert (attend.in_proj_weight, attend.in_proj_bias) == own
    for parameter in attend.parameters():
        assert parameter.abs().max() <= 0.25  # 1 / sqrt(16), as of nn.Linear
        assert parameter.unique().numel() > 0.9 * parameter.numel()
        assert parameter.min() < -0.1
        assert parameter.max() > 0.1
