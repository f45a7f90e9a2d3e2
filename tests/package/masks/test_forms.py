"""One rule in every form: a tensor, FlexAttention's rule, and its block mask."""

import numpy as np
import pytest
import torch
from torch.nn.attention.flex_attention import create_mask
from torch.nn.functional import max_pool2d

from attention import Causal, Documents, Padding, SlidingWindow

from .kinds import IDS, MASKS


@pytest.mark.untyped  # FlexAttention counts a rule's parameters, which beartype hides
@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("queries", [2, 7])
def test_one_rule_in_every_form(name: str, queries: int, device: str) -> None:
    """Tensor, `mask_mod` under FlexAttention's vmap, block mask: the same."""
    mask = MASKS[name].to(device)
    dense = mask.to_tensor(queries, 5, device=device)
    batch = mask.batch or 1
    assert dense.shape == ((queries, 5) if mask.batch is None else (batch, 1, queries, 5))
    theirs = create_mask(mask.mask_mod(queries, 5), batch, 1, queries, 5, device=device)
    assert torch.equal(dense.expand(batch, 1, queries, 5), theirs)
    blocks = mask.block_mask(queries, 5, device=device, block_size=2)
    want = max_pool2d(dense.expand(batch, 1, queries, 5).float(), 2, ceil_mode=True)
    assert torch.equal(blocks.to_dense().float(), want)


def test_a_mask_is_a_mask_mod() -> None:
    """Called with single indices, as FlexAttention does, under vmap or not."""
    assert Causal()(0, 0, 3, 3)
    assert not Causal()(0, 0, 3, 4)
    assert (~Causal())(0, 0, 3, 4) is True
    assert Causal()(0, 0, torch.tensor(3), torch.tensor([3, 4])).tolist() == [True, False]
    assert not Documents(IDS)(1, 0, 3, 4)
    assert Documents(IDS)(1, 0, 3, 0)


def test_a_block_mask_is_made_where_its_mask_is() -> None:
    for mask in (Padding(torch.tensor([2])), Padding(torch.tensor([2]), side="left")):
        with pytest.raises(
            ValueError, match=r"^Padding holds lengths on cpu: expected meta, as ma"
        ):
            mask.block_mask(3, 3, device="meta")


@pytest.mark.untyped
@pytest.mark.parametrize("name", ["queries", "keys", "block_size"])
def test_a_block_mask_has_queries_keys_and_blocks(name: str) -> None:
    sizes = {"queries": 1, "keys": 1, "block_size": 1}
    assert Causal().block_mask(**sizes).to_dense().shape == (1, 1, 1, 1)
    with pytest.raises(ValueError, match=f"^{name} is 0: expected a count of at least 1$"):
        Causal().block_mask(**{**sizes, name: 0})


@pytest.mark.untyped  # FlexAttention counts a rule's parameters, which beartype hides
def test_blocks_may_have_more_queries_than_keys() -> None:
    blocks = Causal().block_mask(8, 8, block_size=(4, 2))
    assert blocks.BLOCK_SIZE == (4, 2)
    assert blocks.to_dense().shape == (1, 1, 2, 4)
    with pytest.raises(ValueError, match=r"^block_size is 0: expected a count of at least 1$"):
        Causal().block_mask(8, 8, block_size=(4, 0))
    for size in ((), (4, 2, 1)):
        with pytest.raises(ValueError, match=rf"^block_size has {len(size)} numbers: expected one"):
            Causal().block_mask(8, 8, block_size=size)


@pytest.mark.untyped  # they are no positions by the types
def test_positions_of_numpy_are_answered_by_a_mask_and_by_masks_together() -> None:
    mask, at = Causal() & SlidingWindow(4), np.arange(8)
    assert mask(0, 0, np.int64(5), np.int64(3))
    assert not (~mask)(0, 0, np.int64(5), np.int64(3))
    assert mask(0, 0, np.int64(5), at).tolist() == [2 <= key <= 5 for key in range(8)]
