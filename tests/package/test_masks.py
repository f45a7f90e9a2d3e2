import pytest
import torch

from attention import Causal, Mask


def test_causal_by_hand() -> None:
    assert Causal().to_tensor(2, 4).int().tolist() == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert Causal().to_tensor(3, 1).int().tolist() == [[0], [0], [1]]
    assert Causal().to_tensor(0, 3).shape == (0, 3)


def test_causal_is_a_mask_mod() -> None:
    """Called with single indices, as FlexAttention does, under vmap or not."""
    assert Causal()(0, 0, 3, 3)
    assert not Causal()(0, 0, 3, 4)
    assert Causal()(0, 0, torch.tensor(3), torch.tensor([3, 4])).tolist() == [True, False]


def test_causal_is_a_value() -> None:
    assert Causal() == Causal()
    assert hash(Causal()) == hash(Causal())
    assert repr(Causal()) == "Causal()"


def test_a_mask_of_ones_own() -> None:
    class Everything(Mask):
        def __call__(self, batch, head, query, key):
            return True

    assert Everything().to_tensor(2, 3).tolist() == [[True] * 3] * 2
    assert Everything().to_tensor(2, 3).device.type == "cpu"


@pytest.mark.untyped
def test_a_mask_without_a_rule_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Mask does not define __call__"):
        Mask().to_tensor(1, 1)


@pytest.mark.untyped
def test_counts_are_not_negative() -> None:
    with pytest.raises(ValueError, match="^keys is -1: expected a count of at least 0$"):
        Causal().to_tensor(1, -1)
