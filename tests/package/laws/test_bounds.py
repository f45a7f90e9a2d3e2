"""Just on this side of a bound, and just on the other."""

import pytest
import torch

from attention import (
    AttentionTable,
    MultiHeadAttention,
    Padding,
    RollingKVCache,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
)
from attention.masks import Mask


class Keys(Mask):
    """A mask made for a number of keys."""

    def __init__(self, count: int) -> None:
        self.count = count

    @property
    def keys(self) -> int:
        return self.count

    def __call__(self, batch, head, query, key):
        return key <= query


@pytest.mark.untyped  # an integer where the signature has a float
def test_numbers_that_float32_just_holds() -> None:
    x, info = torch.zeros(2, 3, 4), torch.finfo(torch.float32)
    for call in ({"softcap": info.tiny}, {"scale": int(info.max)}, {"scale": info.max}):
        assert torch.equal(dot_product_attention(x, x, x, **call), x)
    with pytest.raises(ValueError, match="softcap is 5.88e-39: expected a number above 0"):
        dot_product_attention(x, x, x, softcap=info.tiny / 2)
    with pytest.raises(ValueError, match="scale is 6.81e[+]38: expected a finite number"):
        dot_product_attention(x, x, x, scale=2 * int(info.max))


def test_a_notebook_shows_masks_of_up_to_64_keys_as_pictures() -> None:
    assert "<svg" in str(Keys(64)._repr_html_())
    assert Keys(65)._repr_html_() is None
    assert Padding(torch.ones(1, dtype=torch.int64, device="meta"))._repr_html_() is None
    assert SlidingWindow(2)._repr_html_() == SlidingWindow(2).svg(8, 8)


def numbers(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32).view(1, 1, -1, 1)


def test_a_rolling_cache_may_go_back_by_nothing() -> None:
    cache = RollingKVCache(2)
    cache.update(numbers(1, 2, 3, 4, 5), numbers(1, 2, 3, 4, 5))
    cache.crop(5)
    assert cache.length == 5
    with pytest.raises(ValueError, match="cannot go back from 5 to 4"):
        cache.crop(4)


def test_a_rolling_cache_of_one_head_keeps_several_tokens() -> None:
    cache = RollingKVCache(3)
    cache.update(numbers(1, 2, 3, 4), numbers(5, 6, 7, 8))
    assert cache.key is not None
    assert cache.value is not None
    assert cache.key.flatten().tolist() == [2, 3, 4]
    assert cache.value.flatten().tolist() == [6, 7, 8]
    key, value = cache.update(numbers(9), numbers(10))
    assert key.flatten().tolist() == [3, 4, 9]
    assert value.flatten().tolist() == [7, 8, 10]


@pytest.mark.parametrize("module", [SelfAttention(4), MultiHeadAttention(4, 2)])
def test_autocast_mixes_all_dtypes_but_float64(module: torch.nn.Module) -> None:
    x = torch.ones(2, 3, 4)
    with torch.autocast("cpu", torch.bfloat16):
        assert module(x.bfloat16()).dtype == torch.bfloat16
        with pytest.raises(TypeError, match="has dtype torch.float64 but the module has"):
            module(x.double())
        with pytest.raises(TypeError, match="but the module has torch.float64"):
            module.double()(x)
    module.float()


def test_a_weight_below_zero_is_found_in_its_row_and_head() -> None:
    weights = torch.eye(3).repeat(2, 1, 1)
    weights[1, 0] = torch.tensor([1.5, 0.0, -0.5])
    with pytest.raises(ValueError, match="weights has -0.5 in row 0 of head 1: expected 0 or more"):
        AttentionTable(weights, ["a", "b", "c"])


def test_a_head_has_a_width() -> None:
    with pytest.raises(ValueError, match="head_dim is 0: expected a count of at least 1"):
        MultiHeadAttention(4, 2, head_dim=0)
