"""Each bad mask, and the one sentence that it gets when it is made or combined."""

import numpy as np
import pytest
import torch

from attention import Causal, Documents, Mask, Padding, PrefixLM, SlidingWindow

from .bad_calls import nested

pytestmark = pytest.mark.untyped

NUMBERS = torch.tensor([3, 2])
MASKS = {
    "no width": (
        lambda: SlidingWindow(0),
        ValueError,
        "width is 0: expected a count of at least 1",
    ),
    "no end": (
        lambda: SlidingWindow(1 << 63),
        ValueError,
        "width is 9223372036854775808: expected a count below 2 ** 63",
    ),
    "half a width": (lambda: SlidingWindow(1.5), TypeError, "width is a float: expected an int"),
    "a yes": (lambda: SlidingWindow(True), TypeError, "width is a bool: expected an int"),
    "a yes of numpy": (
        lambda: SlidingWindow(np.bool_(True)),
        TypeError,
        "width is a numpy.bool: expected an int",
    ),
    "before": (lambda: PrefixLM(-1), ValueError, "length is -1: expected a count of at least 0"),
    "a tensor": (lambda: PrefixLM(NUMBERS), TypeError, "length is a Tensor: expected an int"),
    "a list": (
        lambda: Padding([3, 2]),
        TypeError,
        "lengths is a list: expected a torch.Tensor of integers",
    ),
    "lengths of several lengths": (
        lambda: Padding(nested(torch.strided).long()),
        TypeError,
        "lengths is a nested tensor: expected one tensor of all sequences, with Padding or "
        "Documents as the mask",
    ),
    "the padding itself": (
        lambda: Padding(torch.ones(2, 5, dtype=torch.bool)),
        ValueError,
        "lengths has shape (2, 5): expected (batch,), as attention_mask.sum(dim=-1)",
    ),
    "too many axes": (
        lambda: Padding(NUMBERS[None]),
        ValueError,
        "lengths has shape (1, 2): expected (batch,), as attention_mask.sum(dim=-1)",
    ),
    "sides": (
        lambda: Padding(NUMBERS, side=np.array(["left", "right"])),
        ValueError,
        "side is array([…], dtype='<U5'): expected 'left' or 'right'",
    ),
    "another side": (
        lambda: Padding(NUMBERS, side="top"),
        ValueError,
        "side is 'top': expected 'left' or 'right'",
    ),
    "the left side before the keys are known": (
        lambda: Padding(NUMBERS, side="left")(0, 0, 1, 1),
        ValueError,
        "padding on the left ends with the keys: first tell it, over(keys)",
    ),
    "one axis": (
        lambda: Documents(NUMBERS),
        ValueError,
        "ids has shape (2,): expected (batch, S)",
    ),
    "weights": (
        lambda: Documents(NUMBERS[None] / 2),
        TypeError,
        "ids has dtype torch.float32: expected integers, as in torch.int64",
    ),
    "another number of keys": (
        lambda: Documents(NUMBERS[None]).mask_mod(3, 3),
        ValueError,
        "Documents is made for 2 keys: got 3",
    ),
    "a negative count": (
        lambda: Causal().to_tensor(1, -1),
        ValueError,
        "keys is -1: expected a count of at least 0",
    ),
    "half a count": (
        lambda: Causal().to_tensor(2.0, 2),
        TypeError,
        "queries is a float: expected an int",
    ),
    "a mask and a tensor": (
        lambda: Causal() & torch.ones(2, 2, dtype=torch.bool),
        TypeError,
        "& got a Tensor: expected a Mask on both sides; "
        "a tensor combines with to_tensor(queries, keys)",
    ),
    "a mask and a class": (
        lambda: Causal() | Padding,
        TypeError,
        "| got the class Padding: expected an instance, Padding()",
    ),
    "a mask and nothing": (
        lambda: Causal() & None,
        TypeError,
        "& got None: expected a Mask on both sides; "
        "a tensor combines with to_tensor(queries, keys)",
    ),
    "two batches": (
        lambda: Padding(NUMBERS) & Padding(torch.tensor([1, 2, 3])),
        ValueError,
        "& got masks made for batch 2 and 3: expected one",
    ),
    "two lengths": (
        lambda: Documents(NUMBERS[None]) | Documents(NUMBERS[None, :1]),
        ValueError,
        "| got masks made for keys 2 and 1: expected one",
    ),
    "no rule": (
        lambda: Mask().to_tensor(1, 1),
        NotImplementedError,
        "Mask does not define __call__",
    ),
}


@pytest.mark.parametrize("name", MASKS)
def test_a_bad_mask_gets_one_sentence(name: str) -> None:
    make, error, message = MASKS[name]
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == message


def test_an_array_beside_a_mask_is_named_as_a_whole() -> None:
    for both in (lambda x: x & Causal(), lambda x: Causal() & x):
        with pytest.raises(TypeError, match="^& got an ndarray: expected a Mask on both sides"):
            both(torch.eye(2, dtype=torch.bool).numpy())


@pytest.mark.parametrize("name", ["batch", "heads", "keys", "relative"])
def test_what_a_mask_says_of_itself_is_a_property(name: str) -> None:
    """A method would be true, and no count."""
    with pytest.raises(TypeError, match=f"^Said has a method {name}: expected a property$"):
        type("Said", (Mask,), {name: lambda self: 2})
    assert getattr(type("Said", (Mask,), {name: property(lambda self: 2)})(), name) == 2
    assert getattr(type("Said", (Mask,), {name: 2})(), name) == 2
