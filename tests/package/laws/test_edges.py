"""Inputs at the edge, in every backend that takes them."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from attention import (
    Causal,
    Documents,
    Mask,
    MultiHeadAttention,
    Padding,
    SelfAttention,
    dot_product_attention,
)
from attention.backends import sdpa


@pytest.mark.slow
@pytest.mark.untyped
@pytest.mark.parametrize("axes", [3, 4])
def test_one_graph_for_any_size(axes: int) -> None:
    torch._dynamo.reset()
    attend = torch.compile(
        lambda x: dot_product_attention(x, x, x), fullgraph=True, dynamic=True, backend="eager"
    )
    for sizes in ((2, 4, 5, 8), (3, 2, 6, 8)):
        x = torch.randn(sizes[-axes:], requires_grad=True)
        torch.testing.assert_close(attend(x), dot_product_attention(x, x, x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [(1, 9), (9, 1), (1, 1), (4, 9, 1), (2, 1, 1, 9), (2, 1, 9, 1)])
@pytest.mark.parametrize("backend", ["auto", "fused"])
def test_one_row_or_column_for_all(backend: str, size: tuple, dtype: torch.dtype, draw) -> None:
    """Torch's kernels for a GPU read beyond a column."""
    inputs = [draw(2, 4, 9, 16, dtype=dtype, grad=False) for _ in range(3)]
    bias = draw(*size, dtype=dtype, grad=False)
    for given in ({"bias": bias}, {"mask": bias > -1}, {"mask": bias > -1, "bias": bias}):
        got, want = (
            dot_product_attention(*inputs, **given, backend=by) for by in (backend, "eager")
        )
        far = 1e-5 if dtype is torch.float32 else 8 * torch.finfo(dtype).eps
        torch.testing.assert_close(got, want, atol=far, rtol=far)


class OnGpu(torch.Tensor):
    """As if it were."""

    is_cuda = property(lambda self: True)


@pytest.mark.untyped
def test_torchs_kernels_get_a_number_for_each_key(monkeypatch) -> None:
    given = []

    def kernel(query, key, value, over, *rest, **named):
        given.append(tuple(over.shape))
        over = over.as_subclass(torch.Tensor)
        return scaled_dot_product_attention(query, key, value, over, *rest, **named)

    monkeypatch.setattr(sdpa, "scaled_dot_product_attention", kernel)
    x = torch.randn(2, 4, 9, 16)
    for y, size in ((x, (9, 1)), (x, (2, 1, 1, 9)), (x[0], (9, 1))):
        sdpa.sdpa(y, y, y, torch.randn(size).as_subclass(OnGpu), 0.25, 0.0)
    assert given == [(1, 1, 9, 9), (2, 1, 1, 9), (1, 1, 9, 9)]


def test_rows_have_a_number_for_each_key() -> None:
    column, row = torch.tensor([[[[1.0], [2.0]]]]), torch.ones(1, 1, 1, 3)
    assert sdpa.for_each_key(column, 3).tolist() == [[[[1.0] * 3, [2.0] * 3]]]
    assert sdpa.for_each_key(column, 3).is_contiguous()
    assert sdpa.for_each_key(row, 3) is row


@pytest.mark.parametrize("backend", ["auto", "eager", "fused", "loops"])
@pytest.mark.parametrize("scale", [-1.0, 0.0, 1e-30])
def test_a_scale_that_turns_scores_round(backend: str, scale: float, device: str) -> None:
    """Causal, where torch's kernel multiplies its own −∞ by the scale."""
    query, key, value = torch.randn(3, 2, 5, 4, device=device)
    scores = scale * query @ key.mT
    keep = torch.ones(5, 5, dtype=torch.bool, device=device).tril()
    want = scores.masked_fill(~keep, float("-inf")).softmax(dim=-1) @ value
    got = dot_product_attention(query, key, value, Causal(), scale=scale, backend=backend)
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("backend", ["auto", "eager", "fused", "loops"])
def test_one_query_sees_all_keys(backend: str, device: str, monkeypatch) -> None:
    """In every backend, and without a mask being made: decoding would copy its cache."""
    query, key = torch.randn(2, 1, 4, device=device), torch.randn(2, 7, 4, device=device)
    monkeypatch.setattr(Causal, "tile", None)
    causal = dot_product_attention(query, key, key, Causal(), backend=backend)
    assert torch.equal(causal, dot_product_attention(query, key, key, backend=backend))


@pytest.mark.untyped  # FlexAttention counts the parameters of a rule, which beartype hides
@pytest.mark.parametrize("side", ["left", "right"])
def test_one_length_stands_for_all_sequences(side: str) -> None:
    one, three = Padding(torch.tensor([3]), side=side), Padding(torch.tensor([1, 2, 3]), side=side)
    both = (one & three).to_tensor(2, 4)
    assert torch.equal(both, one.to_tensor(2, 4) & three.to_tensor(2, 4))
    same = Padding(torch.tensor([3, 3, 3]), side=side)
    blocks = one.block_mask(4, 4).to_dense(), same.block_mask(4, 4).to_dense()
    assert torch.equal(blocks[0].expand_as(blocks[1]), blocks[1])


@pytest.mark.untyped  # jaxtyping's Int leaves out the unsigned
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int64])
def test_short_integers_do_not_wrap(dtype: torch.dtype) -> None:
    for length, keys in ((10, 300), (7, 5)):
        lengths = torch.tensor([length], dtype=dtype)
        for side in ("left", "right"):
            assert Padding(lengths, side=side).to_tensor(1, keys).sum() == min(length, keys)


def test_masks_of_nothing() -> None:
    assert Documents(torch.zeros(0, 4, dtype=torch.int64)).to_tensor(2, 4).shape == (0, 1, 2, 4)
    assert "svg" in Documents(torch.zeros(1, 0, dtype=torch.int64))._repr_html_()


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("mask", "says"),
    [
        (torch.ones(5, dtype=torch.bool), "mask has shape (5,): expected (…, T, S)"),
        (torch.ones(6, 6, dtype=torch.bool), "mask has shape (6, 6): expected (…, T, S)"),
        (torch.ones((), dtype=torch.bool), "mask has shape (): expected (…, T, S)"),
    ],
)
@pytest.mark.parametrize("causal", [False, True])
def test_a_causal_module_checks_its_mask(mask: torch.Tensor, says: str, causal: bool) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  the message is compared below
        SelfAttention(8, causal=causal)(torch.randn(2, 5, 8), mask)
    assert str(raised.value).startswith(says)


@pytest.mark.untyped
def test_what_cannot_be_asked_is_refused() -> None:
    x = torch.randn(2, 3, 4)
    with pytest.raises(TypeError, match="a mask is neither true nor false: combine masks with &"):
        Causal() and Causal()
    with pytest.raises(ValueError, match="softcap is 1e-50: expected a number above 0"):
        dot_product_attention(x, x, x, softcap=1e-50)
    attend = MultiHeadAttention(8, 2)
    with (
        torch.autocast("cpu", torch.bfloat16),
        pytest.raises(TypeError, match="query has dtype torch.float64 but the module has"),
    ):
        attend(torch.randn(2, 3, 8, dtype=torch.float64))


@pytest.mark.parametrize("backend", ["auto", "eager", "fused", "loops", "tiled"])
@pytest.mark.parametrize(("queries", "keys"), [(0, 0), (0, 1), (2, 0), (2, 3)])
def test_vectors_of_no_width_weigh_all_alike(backend: str, queries: int, keys: int) -> None:
    value = torch.arange(2.0 * keys).view(keys, 2)
    context = dot_product_attention(
        torch.ones(queries, 0), torch.ones(keys, 0), value, backend=backend
    )
    mean = value.mean(dim=0) if keys else torch.zeros(2)
    torch.testing.assert_close(context, mean.expand(queries, 2))


@pytest.mark.parametrize("kv_heads", [1, 2])
def test_a_width_of_one_needs_no_scale(kv_heads: int) -> None:
    query = torch.randn(1, 2, 5, 1)
    key, value = torch.randn(2, 1, kv_heads, 5, 1)
    keep = torch.ones(5, 5, dtype=torch.bool).tril()
    want = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, keep, enable_gqa=True
    )
    torch.testing.assert_close(dot_product_attention(query, key, value, keep), want)


def test_one_query_of_heads_that_see_other_keys() -> None:
    """Two heads read one, each under a mask of its own."""
    query, key = torch.randn(1, 2, 1, 4), torch.randn(1, 1, 5, 4)
    keep = torch.tensor([[[1, 1, 0, 0, 1]], [[0, 1, 1, 0, 0]]], dtype=torch.bool)
    want = dot_product_attention(query, key, key, keep, backend="loops")
    torch.testing.assert_close(dot_product_attention(query, key, key, keep), want)


def test_dropout_in_torch_s_kernel_has_a_second_derivative() -> None:
    """On a CPU torch takes another way then, which has one."""
    x = torch.randn(1, 2, 5, 4, requires_grad=True)
    context = dot_product_attention(x, x, x, dropout_p=0.5, backend="fused")
    (grad,) = torch.autograd.grad(context.square().sum(), x, create_graph=True)
    assert torch.autograd.grad(grad.square().sum(), x)[0].isfinite().all()


def test_spans_of_vectors_of_no_width() -> None:
    x = torch.ones(2, 3, 0)
    assert dot_product_attention(x, x, x, Causal(), backend="spans").shape == (2, 3, 0)


@pytest.mark.parametrize("backend", ["auto", "eager", "loops", "spans", "tiled"])
@pytest.mark.parametrize(
    "mask",
    [
        Padding(torch.zeros(0, dtype=torch.int64)),
        Padding(torch.zeros(0, dtype=torch.int64)) & Padding(torch.tensor([2])),
        Documents(torch.tensor([[0, 0, 1]])) & Documents(torch.zeros(0, 3, dtype=torch.int64)),
    ],
)
def test_a_batch_of_none(backend: str, mask) -> None:
    """Also where a mask of one sequence, which stands for any number, is combined with it."""
    x = torch.randn(0, 2, 3, 4, requires_grad=True)
    context = dot_product_attention(x, x, x, mask, backend=backend)
    assert context.shape == (0, 2, 3, 4)
    assert torch.autograd.grad(context.sum(), x)[0].shape == x.shape


class Early(Mask):
    """The last of five tokens sees two keys, the others three; it says so of stretches too."""

    def __call__(self, batch, head, query, key):
        return (key < 2) | ((key < 3) & (query < 4))

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return 0, 3

    def full(self, first: int, last: int, start: int, stop: int) -> bool:
        return stop <= 2 or (stop <= 3 and last < 4)


def test_the_last_query_may_see_less_than_those_before(draw) -> None:
    query, key, value = draw(1, 1, 2, 4), draw(1, 1, 5, 4), draw(1, 1, 5, 4)
    for backend in ("auto", "eager", "fused", "tiled"):
        context = dot_product_attention(query, key, value, Early(), backend=backend)
        want = dot_product_attention(query, key, value, Early(), backend="loops")
        torch.testing.assert_close(context, want)


@pytest.mark.parametrize("keys", [5, 20])
@pytest.mark.parametrize("scale", [1e-46, -1e-46, 1e-40, 0.0])
def test_a_scale_that_single_precision_does_not_hold(scale: float, keys: int) -> None:
    """In torch's kernel it would be 0, and 0 times the −∞ of a causal mask is NaN."""
    query, key, value = torch.randn(3, 1, 2, keys, 8)
    context = dot_product_attention(query, key, value, Causal(), scale=scale)
    means = value.cumsum(dim=-2) / torch.arange(1, keys + 1)[:, None]
    torch.testing.assert_close(context, means)
