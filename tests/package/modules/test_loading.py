"""What is no state of somebody's attention, and the one sentence that it gets."""

import re

import pytest
import torch

from attention.loading import from_bloom, from_llama, from_modernbert

pytestmark = pytest.mark.untyped
CASES = [
    (from_llama, ([],), TypeError, "theirs is a list: expected a state_dict"),
    (
        from_llama,
        ({"q_proj.weight": 1},),
        TypeError,
        "theirs has an int at 'q_proj.weight': expected torch.Tensors",
    ),
    (
        from_llama,
        ({"rope": torch.ones(2)},),
        ValueError,
        "theirs has 'rope': expected names as q_proj.weight or q_proj.bias, of one layer",
    ),
    (
        from_llama,
        ({"q_proj.bias": torch.tensor(1.0)},),
        ValueError,
        "theirs has a number at 'q_proj.bias': expected a matrix or a vector",
    ),
    (
        from_bloom,
        ({"query_key_value.bias": torch.ones(9)}, 2),
        ValueError,
        "query_key_value.bias has shape (9,): expected rows in a multiple of 3 · num_heads, 6",
    ),
    (from_bloom, ({}, 0), ValueError, "num_heads is 0: expected a count of at least 1"),
    (
        from_modernbert,
        ({"Wqkv.weight": torch.ones(5, 2)},),
        ValueError,
        "Wqkv.weight has shape (5, 2): expected rows in a multiple of 3",
    ),
]


@pytest.mark.parametrize("load", [from_modernbert, lambda theirs: from_bloom(theirs, 1)])
def test_a_name_that_is_not_known_stays_for_load_state_dict_to_name(load) -> None:
    """It would stand in the place of the output projection."""
    assert set(load({"norm.weight": torch.ones(2)})) == {"norm.weight"}


@pytest.mark.parametrize(("load", "given", "kind", "message"), CASES)
def test_a_bad_state_gets_one_sentence(load, given: tuple, kind: type, message: str) -> None:
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        load(*given)


def test_a_bias_that_is_missing_is_zero_for_each_row() -> None:
    """As Qwen2 has it: biases of queries, keys and values, and none at the end."""
    theirs = {f"{part}_proj.weight": torch.ones(6, 4) for part in "qkv"}
    theirs |= {f"{part}_proj.bias": torch.ones(6) for part in "qkv"}
    ours = from_llama({**theirs, "o_proj.weight": torch.ones(4, 6)})
    assert torch.equal(ours["out_proj.bias"], torch.zeros(4))
