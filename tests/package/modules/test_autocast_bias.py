"""A bias of a call, beside the one of positions, under autocast."""

import pytest
import torch

from attention import ALiBi, MultiHeadAttention

WITHOUT, BESIDE = MultiHeadAttention(8, 2), MultiHeadAttention(8, 2, positions=ALiBi())
X = torch.ones(1, 3, 8)


@pytest.mark.untyped
@pytest.mark.parametrize("attend", [WITHOUT, BESIDE], ids=["alone", "beside positions"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.complex64], ids=["integers", "complex"])
def test_what_autocast_does_not_lower_is_refused(
    attend: MultiHeadAttention, dtype: torch.dtype
) -> None:
    with (
        torch.autocast("cpu"),
        pytest.raises(TypeError, match=f"^bias has dtype {dtype} but query has torch.bfloat"),
    ):
        attend(X, bias=torch.ones(3, 3, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_what_autocast_lowers_is_added(dtype: torch.dtype) -> None:
    x, bias = torch.randn(1, 3, 8), torch.randn(3, 3).to(dtype)
    expected = BESIDE(x, bias=bias.float())
    with torch.autocast("cpu"):
        found = BESIDE(x, bias=bias)
    torch.testing.assert_close(found.float(), expected, rtol=0.02, atol=0.02)


def test_float64_is_left_as_it_is_and_wants_its_like() -> None:
    attend, x = MultiHeadAttention(8, 2, positions=ALiBi(), dtype=torch.float64), X.double()
    with torch.autocast("cpu"):
        torch.testing.assert_close(attend(x, bias=torch.ones(3, 3).double()), attend(x))
        with pytest.raises(TypeError, match=r"^bias has dtype torch.float32 but query has torch.f"):
            attend(x, bias=torch.ones(3, 3))
