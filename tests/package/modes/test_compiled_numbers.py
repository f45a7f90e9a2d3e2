"""Numbers of NumPy in what is compiled, where Dynamo takes them for arrays."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch._dynamo.exc import Unsupported

from attention import PrefixLM, SlidingWindow, dot_product_attention

WIDTH = np.int64(2)
pytestmark = pytest.mark.untyped  # compiled as a whole


@pytest.mark.parametrize("rule", [SlidingWindow, PrefixLM])
@pytest.mark.parametrize("given", [(), (np.int64(3),)], ids=["read", "given"])
def test_a_mask_is_made_of_an_integer_of_numpy(rule: Any, given: tuple[Any, ...]) -> None:
    def attend(x: Tensor, width: Any = None) -> Tensor:
        return dot_product_attention(x, x, x, rule(WIDTH if width is None else width))

    x = torch.randn(2, 5, 4)
    compiled = torch.compile(attend, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x, *given), attend(x, *given))


def test_a_mask_that_was_made_of_one_is_used() -> None:
    mask, x = SlidingWindow(WIDTH), torch.randn(2, 5, 4)  # type: ignore[arg-type]

    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, mask)

    compiled = torch.compile(attend, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x), attend(x))


@pytest.mark.parametrize(
    "width",
    [np.array([2, 3]), torch.tensor(2), 2.0, np.float64(2.5), np.array(2.5), np.bool_(True)],
    ids=["two", "tensor", "float", "float of NumPy", "array of one float", "truth value"],
)
def test_what_is_no_integer_is_refused_there_too(width: Any) -> None:
    def attend(x: Tensor) -> Tensor:
        return dot_product_attention(x, x, x, SlidingWindow(width))

    compiled = torch.compile(attend, fullgraph=True, backend="eager")
    with pytest.raises(Unsupported, match=r"width is an? \w+: expected an int"):
        compiled(torch.randn(2, 5, 4))
