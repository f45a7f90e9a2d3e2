"""Compiled and exported: the same function in one graph, and no warning."""

import shutil
import warnings

import pytest
import torch
from torch import Tensor

from attention import (
    Causal,
    MultiHeadAttention,
    Padding,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)
from attention.checks.masks import UNTRACEABLE

pytestmark = pytest.mark.usefixtures("no_warning")


@pytest.mark.slow
@pytest.mark.untyped  # beartype's checks are not to be traced
@pytest.mark.parametrize(
    ("name", "weights"), [("none", False), ("causal", False), ("window", True)]
)
def test_compiles_whole_for_any_length(name: str, weights: bool, device: str) -> None:
    """One graph, without a break, also when the second length makes sizes symbolic."""
    torch.compiler.reset()
    mask = {"none": None, "causal": Causal(), "window": Causal() & SlidingWindow(2)}[name]

    def attend(query: Tensor, key: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return dot_product_attention(query, key, key, mask, return_weights=weights)

    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
    for tokens in (3, 5, 8):
        query, key = torch.randn(2, 4, tokens, 4), torch.randn(2, 2, tokens, 4)
        query, key = query.to(device).requires_grad_(), key.to(device)
        torch.testing.assert_close(compiled(query, key), attend(query, key))


@pytest.mark.slow
@pytest.mark.untyped
def test_compiles_with_masks_made_inside(device: str) -> None:
    """An empty row too: the sequence of length 0."""
    torch.compiler.reset()

    def attend(x: Tensor, lengths: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, Causal() & Padding(lengths, side="left"))

    x = torch.randn(3, 2, 5, 4, device=device, requires_grad=True)
    lengths = torch.tensor([5, 0, 2], device=device)
    got = torch.compile(attend, fullgraph=True, backend="aot_eager")(x, lengths)
    torch.testing.assert_close(got, attend(x, lengths))
    (gradient,) = torch.autograd.grad(got.sum(), x)
    assert not got[1].any()
    assert not gradient[1].any()
    assert gradient.isfinite().all()


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("weights", [False, True])
def test_exports_for_any_length_and_a_scale_that_depends_on_it(weights: bool) -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
            scale = x.shape[-2] ** -0.5
            return dot_product_attention(x, x, x, Causal(), scale=scale, return_weights=weights)

    x = torch.randn(2, 5, 4)
    lengths = {"x": {1: torch.export.Dim("tokens", min=2, max=64)}}
    exported = torch.export.export(Attend(), (x,), dynamic_shapes=lengths).module()
    for tokens in (2, 9):
        x = torch.randn(2, tokens, 4)
        torch.testing.assert_close(exported(x), Attend()(x))


@pytest.mark.slow
@pytest.mark.untyped
def test_exports_a_softcap_for_any_length() -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return dot_product_attention(x, x, x, Causal(), softcap=3.0)

    lengths = {"x": {2: torch.export.Dim("tokens", min=2, max=64)}}
    exported = torch.export.export(
        Attend(), (torch.randn(2, 4, 5, 8),), dynamic_shapes=lengths
    ).module()
    x = torch.randn(2, 4, 9, 8)
    torch.testing.assert_close(exported(x), Attend()(x))


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("keys", [5, 7])
def test_exports_for_as_many_queries_as_keys_and_for_fewer(keys: int) -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> Tensor:
            return dot_product_attention(x, y, y)

    sizes = {name: {2: torch.export.Dim(name + "_tokens", min=2, max=64)} for name in ("x", "y")}
    given = torch.randn(2, 4, 5, 8), torch.randn(2, 4, keys, 8)
    exported = torch.export.export(Attend(), given, dynamic_shapes=sizes).module()
    for queries in (3, 9):
        x, y = torch.randn(2, 4, queries, 8), torch.randn(2, 4, 9, 8)
        torch.testing.assert_close(exported(x, y), Attend()(x, y))


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("call", [{}, {"return_weights": True}, {"backend": "eager"}])
def test_exports_a_causal_mask_for_any_two_lengths(call: dict, strict: bool) -> None:
    """Whether these are as many is asked of the sizes, and not of those of the example."""

    class Attend(torch.nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> Tensor | tuple[Tensor, Tensor]:
            return dot_product_attention(x, y, y, Causal(), **call)

    sizes = {name: {2: torch.export.Dim(name + "_tokens")} for name in ("x", "y")}
    given = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 7, 8)
    exported = torch.export.export(Attend(), given, dynamic_shapes=sizes, strict=strict).module()
    for queries in (3, 9):
        x, y = torch.randn(2, 4, queries, 8), torch.randn(2, 4, 9, 8)
        torch.testing.assert_close(exported(x, y), Attend()(x, y))


@pytest.mark.slow
@pytest.mark.untyped
def test_exports_as_many_queries_as_keys_without_a_mask_as_a_tensor() -> None:
    class Attend(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return dot_product_attention(x, x, x, Causal())

    lengths = {"x": {2: torch.export.Dim("tokens")}}
    exported = torch.export.export(Attend(), (torch.randn(2, 4, 5, 8),), dynamic_shapes=lengths)
    [attends] = [node for node in exported.graph.nodes if "attention" in node.name]
    assert attends.args[3:6] == (None, 0.0, True)  # attn_mask, dropout_p, is_causal


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("kind", ["self", "multi"])
def test_modules_compile_whole(kind: str, device: str) -> None:
    torch.compiler.reset()
    attend = {
        "self": SelfAttention(8, causal=True, dropout=0.1, device=device),
        "multi": MultiHeadAttention(8, 4, num_kv_heads=2, device=device),
    }[kind].eval()
    compiled = torch.compile(attend, fullgraph=True, backend="aot_eager")
    x = torch.randn(2, 5, 8, device=device)
    torch.testing.assert_close(compiled(x, mask=SlidingWindow(2)), attend(x, mask=SlidingWindow(2)))


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.skipif(not shutil.which("g++"), reason="inductor needs a C++ compiler")
@pytest.mark.filterwarnings("ignore")  # of inductor's own making
def test_inductor(device: str) -> None:
    warnings.simplefilter("ignore")
    torch.compiler.reset()

    mask = SlidingWindow(2) & ~Causal()  # its last row is empty

    def attend(x: Tensor) -> tuple[Tensor, Tensor]:
        return dot_product_attention(x, x, x, mask, return_weights=True)

    x = torch.randn(2, 5, 4, device=device)
    torch.testing.assert_close(torch.compile(attend, fullgraph=True)(x), attend(x))


@pytest.mark.untyped  # beartype's checks are not to be traced
@pytest.mark.skipif(UNTRACEABLE, reason="2.11 cannot trace what a data class holds")
def test_a_mask_on_another_device_is_named_while_compiling_too() -> None:
    mask = Padding(torch.tensor([3], device="meta"))
    attend = torch.compile(
        lambda x: dot_product_attention(x, x, x, mask), fullgraph=True, backend="eager"
    )
    with pytest.raises(Exception, match="Padding holds lengths on meta: expected cpu"):
        attend(torch.randn(1, 2, 5, 4))
