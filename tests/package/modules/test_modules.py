"""The modules against torch's own and against the projections written out."""

import copy
import pickle
import warnings

import pytest
import torch
from torch import nn

from attention import Causal, MultiHeadAttention, Padding, SelfAttention, dot_product_attention

from .pairs import LENGTHS, inputs, pair


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
