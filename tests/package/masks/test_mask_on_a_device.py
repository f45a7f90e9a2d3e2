"""Where a mask is to be: on a device, and in no other dtype."""

from typing import Any

import pytest
import torch

from attention import Causal, Mask, Padding

LENGTHS = torch.tensor([3, 2])


@pytest.mark.untyped
@pytest.mark.parametrize("mask", [Causal(), Padding(LENGTHS)], ids=["holds none", "holds counts"])
@pytest.mark.parametrize(
    ("device", "said"),
    [
        (torch.float16, "a dtype"),
        (torch.ones(2), "a Tensor"),
        (None, "None"),
        (1.5, "a float"),
        (True, "a bool"),
    ],
)
def test_what_is_no_device_is_refused(mask: Mask, device: Any, said: str) -> None:
    words = f"^device is {said}: expected a torch.device or its name$"
    with pytest.raises(TypeError, match=words):
        mask.to(device)


@pytest.mark.parametrize("device", ["meta", torch.device("meta")], ids=["name", "device"])
def test_a_device_or_its_name_is_taken(device: Any) -> None:
    moved: Any = Padding(LENGTHS).to(device)
    assert moved.lengths.is_meta
    assert moved.lengths.dtype == torch.int64
