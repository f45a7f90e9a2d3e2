"""Of what a page holds, what is the same after an attempt at an exercise, if not a copy of it."""

import torch

from literate.snapshot import Snapshot


def test_what_was_computed_with_a_gradient_still_has_it() -> None:
    """It stays the same tensor: a copy would not know what it was computed from."""
    weight = torch.ones(1, requires_grad=True)
    names = {"product": (product := 3 * weight)}
    before = Snapshot(names)
    names["product"] = torch.zeros(1)
    before.restore(names)
    assert names["product"] is product
    names["product"].backward()
    assert weight.grad == 3
