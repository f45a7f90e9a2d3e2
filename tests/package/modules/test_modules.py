"""The modules against torch's own and against the projections written out."""

import copy
import pickle
import re
import warnings

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from attention import (
    ALiBi,
    Causal,
    KVCache,
    MultiHeadAttention,
    Padding,
    RollingKVCache,
    Rotary,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)

LENGTHS = torch.tensor([5, 3])


def pair(device: str, dtype: torch.dtype = torch.float64, **options):
    """The same weights in torch's module and in ours."""
    torch.manual_seed(0)
    options = {"batch_first": True, "device": device, "dtype": dtype, **options}
    theirs = nn.MultiheadAttention(12, 3, **options)
    if theirs.in_proj_bias is not None:  # which torch begins at zero
        nn.init.normal_(theirs.in_proj_bias)
        nn.init.normal_(theirs.out_proj.bias)
    return MultiHeadAttention.from_torch(theirs), theirs


def inputs(device: str, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(1)
    shapes = (2, 4, 12), (2, 5, 12), (2, 5, 12)
    made = [torch.randn(shape, device=device, dtype=dtype, requires_grad=True) for shape in shapes]
    return made[0], made[1], made[2]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_multi_head_agrees_with_torch(bias: bool, training: bool, device: str) -> None:
    """Output, weights of each head and every gradient; self, cross, masked, unbatched."""
    ours, theirs = (module.train(training) for module in pair(device, bias=bias))
    query, key, value = inputs(device)
    one, other = query[0], key[0]
    keep = Padding(LENGTHS).to(device).to_tensor(4, 5, device=device)[:, 0, 0]  # (batch, S)
    causal = Causal().to_tensor(4, 4, device=device)
    cases = [
        ((query,), {"mask": Causal()}, (query, query, query), {"attn_mask": ~causal}),
        ((query,), {}, (query, query, query), {}),
        ((query, key), {}, (query, key, key), {}),
        ((query, key, value), {}, (query, key, value), {}),
        ((query, key, value), {"mask": Padding(LENGTHS).to(device)}, (query, key, value),
         {"key_padding_mask": ~keep}),
        ((one, other), {}, (one, other, other), {}),
    ]  # fmt: skip
    for mine, masked, their, their_mask in cases:
        want, want_weights = theirs(*their, **their_mask, average_attn_weights=False)
        got, weights = ours(*mine, **masked, return_weights=True)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(weights, want_weights)
        torch.testing.assert_close(ours(*mine, **masked), want)  # the other backend
        wanted = torch.autograd.grad(want.square().sum(), (*mine, theirs.in_proj_weight))
        gotten = torch.autograd.grad(got.square().sum(), (*mine, ours.in_proj_weight))
        torch.testing.assert_close(gotten, wanted)


def test_a_bias_is_a_float_mask_of_torchs_module(device: str) -> None:
    """Also one for each head and sequence, with −∞, beside a mask; and its gradient."""
    ours, theirs = pair(device)
    query, key, _ = inputs(device)
    kinds = {"device": device, "dtype": torch.float64}
    same, each = torch.randn(4, 4, **kinds), torch.randn(2 * 3, 4, 5, requires_grad=True, **kinds)
    same[0, 2:] = -torch.inf
    known = torch.zeros(2, 5, **kinds)
    known[1, 3:] = -torch.inf
    apart = each.unflatten(0, (2, 3))
    for mine, told, their, asked in (
        ((query,), {"bias": same}, (query, query, query), {"attn_mask": same}),
        ((query[0],), {"bias": same}, (query[0],) * 3, {"attn_mask": same}),
        ((query, key), {"bias": apart}, (query, key, key), {"attn_mask": each}),
        ((query, key), {"bias": apart, "mask": Padding(LENGTHS).to(device)}, (query, key, key),
         {"attn_mask": each, "key_padding_mask": known}),
        ((query, key), {"bias": apart + known[:, None, None]}, (query, key, key),
         {"attn_mask": each, "key_padding_mask": known}),
    ):  # fmt: skip
        want, want_weights = theirs(*their, **asked, average_attn_weights=False)
        got, weights = ours(*mine, **told, return_weights=True)
        torch.testing.assert_close(got, want)
        torch.testing.assert_close(weights, want_weights)
        torch.testing.assert_close(ours(*mine, **told), want)
        if len(mine) == 2:
            wanted, gotten = (torch.autograd.grad(x.square().sum(), each) for x in (want, got))
            torch.testing.assert_close(gotten, wanted)


@pytest.mark.parametrize("kind", [KVCache, lambda: RollingKVCache(3)])
@pytest.mark.parametrize("positions", [None, Rotary(), ALiBi()], ids=repr)
def test_a_bias_is_added_to_that_of_positions(positions, kind, device: str) -> None:
    """With a cache it is about the keys that are held and those that come."""
    options = {"positions": positions, "device": device, "dtype": torch.float64}
    attend = MultiHeadAttention(12, 3, **options).requires_grad_(False)
    x, bias = torch.randn(2, 6, 12).to(attend.in_proj_weight), torch.randn(3, 6, 6).to(device)
    bias, mask, cache = bias.double(), Causal() & SlidingWindow(3), kind()
    whole = attend(x, mask=mask, bias=bias)
    first = attend(x[:, :4], mask=mask, bias=bias[:, :4, :4], cache=cache)
    rest = []
    for i in (4, 5):
        seen = bias[:, i : i + 1, i - cache.beside() : i + 1]
        rest.append(attend(x[:, i : i + 1], mask=mask, bias=seen, cache=cache))
    torch.testing.assert_close(torch.cat([first, *rest], dim=1), whole)
    assert not torch.allclose(whole, attend(x, mask=mask))
    if isinstance(positions, ALiBi):
        both = bias + positions.bias(torch.empty(3, 6, 4).to(bias), 6)
        attend.positions = None
        torch.testing.assert_close(attend(x, mask=mask, bias=both), whole)


def test_a_bias_that_learns_is_not_overwritten_by_a_cache(device: str) -> None:
    attend = MultiHeadAttention(12, 3, device=device).requires_grad_(False)
    x, cache = torch.randn(2, 6, 12, device=device), KVCache(6)
    bias = torch.zeros(1, 6, device=device, requires_grad=True)
    outs = [attend(x[:, i : i + 1], bias=bias[:, : i + 1], cache=cache) for i in range(6)]
    torch.cat(outs, dim=1).sum().backward()
    assert bias.grad.abs().sum() > 0


def test_a_bias_beside_that_of_positions_has_the_dtype_of_the_queries(device: str) -> None:
    attend = MultiHeadAttention(12, 3, positions=ALiBi(), device=device)
    x, bias = torch.randn(2, 5, 12, device=device), torch.randn(5, 5, device=device).half()
    with pytest.raises(TypeError, match=r"^bias has dtype torch\.float16 but query has"):
        attend(x, bias=bias)
    with torch.autocast(device, torch.bfloat16):  # which gives them one
        torch.testing.assert_close(attend(x, bias=bias), attend(x, bias=bias.bfloat16()))


def test_a_bias_of_one_head(device: str) -> None:
    attend = SelfAttention(12, 4, causal=True, device=device)
    x, bias = torch.randn(2, 5, 12, device=device), torch.randn(2, 1, 5, 5, device=device)
    rows = (layer(x) for layer in (attend.query_proj, attend.key_proj, attend.value_proj))
    want = dot_product_attention(*(row[:, None] for row in rows), Causal(), bias=bias)
    torch.testing.assert_close(attend(x, bias=bias), want[:, 0])


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


@pytest.mark.parametrize(("kv_heads", "head_dim"), [(4, None), (2, None), (1, 5), (4, 2)])
def test_heads_written_out(kv_heads: int, head_dim: int | None, draw) -> None:
    """Head by head, with the rows of each projection that are its own."""
    x, memory = draw(2, 4, 12), draw(2, 5, 12)
    attend = MultiHeadAttention(12, 4, num_kv_heads=kv_heads, head_dim=head_dim, bias=False)
    attend = attend.to(x.device, torch.float64)
    width = attend.head_dim
    assert width == (head_dim or 3)
    heads = []
    for h in range(4):
        own = slice(h * width, (h + 1) * width)
        shared = h // (4 // kv_heads)
        read = slice(shared * width, (shared + 1) * width)
        query = x @ attend.query_proj.weight[own].T
        key = memory @ attend.key_proj.weight[read].T
        value = memory @ attend.value_proj.weight[read].T
        heads.append((query @ key.mT / width**0.5).softmax(-1) @ value)
    want = torch.cat(heads, dim=-1) @ attend.out_proj.weight.T
    torch.testing.assert_close(attend(x, memory), want)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_self_attention_written_out(causal: bool, batch: tuple[int, ...], draw) -> None:
    x = draw(*batch, 5, 6)
    attend = SelfAttention(6, 4, causal=causal).to(x.device, torch.float64)
    keep = torch.tensor([True, True, False, True, True], device=x.device).expand(5, 5)
    for mask in (None, keep, ~Causal() | Causal()):
        parts = attend.query_proj(x), attend.key_proj(x), attend.value_proj(x)
        scores = parts[0] @ parts[1].mT / 2
        seen = torch.ones(5, 5, dtype=torch.bool, device=x.device)
        seen = seen.tril() if causal else seen
        seen = seen & keep if mask is keep else seen
        want = scores.masked_fill(~seen, -torch.inf).softmax(-1)
        got, weights = attend(x, mask, return_weights=True)
        torch.testing.assert_close(weights, want)
        torch.testing.assert_close(got, want @ parts[2])
        torch.testing.assert_close(attend(x, mask), got)


def test_self_attention_with_padding(draw) -> None:
    x = draw(2, 5, 6)
    attend = SelfAttention(6, causal=True).to(x.device, torch.float64)
    mask = Padding(LENGTHS, side="left").to(x.device)
    _, weights = attend(x, mask, return_weights=True)
    assert weights.shape == (2, 5, 5)
    assert not weights[1, :2].any()  # padding before the first token sees nothing
    assert not weights[1, :, :2].any()
    torch.testing.assert_close(weights[1, 2:].sum(-1), torch.ones_like(weights[1, 2:, 0]))


@pytest.mark.parametrize("kind", ["self", "multi"])
def test_dropout_is_on_the_weights_and_only_in_training(kind: str, device: str) -> None:
    options = {"dropout": 0.5, "device": device}
    attend = SelfAttention(8, **options) if kind == "self" else MultiHeadAttention(8, 2, **options)
    x = torch.randn(4, 64, 8, device=device)
    torch.testing.assert_close(attend.eval()(x), attend(x))
    _, sure = attend(x, return_weights=True)
    out, weights = attend.train()(x, return_weights=True)
    dropped = weights == 0
    # Half of 16384 or more weights: four standard deviations are less than 0.016.
    assert abs(dropped.double().mean().item() - 0.5) < 0.016
    torch.testing.assert_close(weights[~dropped], 2 * sure[~dropped])
    assert not torch.equal(attend(x), attend(x))
    if kind == "self":  # the weights that are returned are those that were used
        torch.testing.assert_close(weights @ attend.value_proj(x), out)


MODULES = {
    "self": lambda **options: SelfAttention(8, 4, causal=True, **options),
    "multi": lambda **options: MultiHeadAttention(8, 4, num_kv_heads=2, **options),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_travels(name: str, device: str, tmp_path) -> None:
    """Copied, pickled, saved and loaded, moved and cast: the same function."""
    make = MODULES[name]
    attend = make(device=device).eval()
    x = torch.randn(2, 5, 8, device=device)
    want = attend(x)
    torch.save(attend.state_dict(), tmp_path / "weights.pt")
    fresh = make(device="meta").to_empty(device=device)
    fresh.load_state_dict(torch.load(tmp_path / "weights.pt"))
    for other in (copy.deepcopy(attend), pickle.loads(pickle.dumps(attend)), fresh):
        assert torch.equal(other(x), want)
    half = copy.deepcopy(attend).to(torch.bfloat16)
    assert half(x.bfloat16()).dtype == torch.bfloat16
    double = copy.deepcopy(attend).to("cpu", torch.float64)
    torch.testing.assert_close(double(x.cpu().double()).float(), want.cpu())
    assert make(device="meta")(torch.empty(2, 5, 8, device="meta")).shape == want.shape
    assert {parameter.dtype for parameter in make(dtype=torch.float64).parameters()} == {
        torch.float64
    }


@pytest.mark.parametrize("name", MODULES)
def test_a_module_under_autocast(name: str, device: str) -> None:
    attend = MODULES[name](device=device)
    x = torch.randn(2, 5, 8, device=device)
    mask = torch.ones(5, 5, dtype=torch.bool, device=device).tril(-1)
    with torch.autocast(device, torch.bfloat16):
        got = attend(x, mask=mask)
        _, weights = attend(x, mask=mask, return_weights=True)
    assert got.dtype == torch.bfloat16
    assert not weights[..., 0, :].any()
    want = attend(x, mask=mask)
    # bfloat16 keeps 8 bits, and the output is a sum of three rounded products of size 1.
    torch.testing.assert_close(got.float(), want, atol=0.03, rtol=0)
    got.sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in attend.parameters())


def test_what_a_module_prints() -> None:
    capped = repr(MultiHeadAttention(8, 2, softcap=50.0, scale=0.25))
    assert "dropout=0.0, softcap=50.0, scale=0.25" in capped
    assert "causal=True, dropout=0.1" in repr(SelfAttention(8, causal=True, dropout=0.1))
    assert "num_heads=4, num_kv_heads=1, head_dim=2" in repr(
        MultiHeadAttention(8, 4, num_kv_heads=1)
    )


def test_a_module_trains(device: str) -> None:
    """It learns to look one token back, which only attention to positions can do."""
    torch.manual_seed(0)
    attend = MultiHeadAttention(8, 2, device=device)
    x = torch.eye(8, device=device)[None]
    optimizer = torch.optim.Adam(attend.parameters(), lr=0.05)
    for _ in range(100):
        loss = (attend(x, mask=Causal())[:, 1:] - x[:, :-1]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.01


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


def test_a_module_is_the_function(device: str) -> None:
    """With weights that change nothing, a module is dot_product_attention."""
    attend = SelfAttention(4, device=device)
    for linear in (attend.query_proj, attend.key_proj, attend.value_proj):
        nn.init.eye_(linear.weight)
        nn.init.zeros_(linear.bias)
    x = torch.randn(3, 4, device=device)
    torch.testing.assert_close(attend(x), dot_product_attention(x, x, x))


def test_a_norm_is_computed_in_its_own_dtype_under_autocast(draw) -> None:
    """Torch would warn that it has no kernel for two dtypes."""
    attend, x = MultiHeadAttention(8, 2, qk_norm=True), draw(3, 8, dtype=torch.float32)
    with warnings.catch_warnings(), torch.autocast(x.device.type, torch.bfloat16):
        warnings.simplefilter("error")
        assert attend.to(x.device)(x).dtype == torch.bfloat16


@pytest.mark.untyped  # a norm of another class
def test_a_norm_may_learn_nothing(draw) -> None:
    """Without a weight, or none at all under its name."""
    attend, x = MultiHeadAttention(8, 2, qk_norm=True, dtype=torch.float64), draw(3, 8)
    attend = attend.to(x.device)
    want = attend(x)
    attend.query_norm = nn.RMSNorm(4, eps=1e-6, elementwise_affine=False)
    torch.testing.assert_close(attend(x), want)
    attend.query_norm = attend.key_norm = nn.Identity()
    bare = MultiHeadAttention(8, 2, dtype=torch.float64).to(x.device)
    bare.load_state_dict(attend.state_dict())
    torch.testing.assert_close(attend(x), bare(x))


def test_parts_for_a_parametrized_matrix_are_named_as_the_state_names_them() -> None:
    attend = weight_norm(MultiHeadAttention(12, 3), "in_proj_weight")
    parts = {f"{part}_proj.weight": torch.zeros(12, 12) for part in ("query", "key", "value")}
    with pytest.raises(RuntimeError, match="Unexpected key.*query_proj.weight") as raised:
        attend.load_state_dict(parts)
    assert 'Unexpected key(s) in state_dict: "in_proj_weight"' not in str(raised.value)
    biases = {f"{part}_proj.bias": torch.full((12,), 2.0) for part in ("query", "key", "value")}
    attend.load_state_dict(biases, strict=False)  # those are packed
    assert torch.equal(attend.in_proj_bias, torch.full((36,), 2.0))
