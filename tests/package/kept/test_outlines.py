"""What is fixed of a mask is found once, and goes with it."""

import gc
import weakref
from dataclasses import FrozenInstanceError

import pytest
import torch

from attention import Causal, Documents, Mask, PrefixLM, SlidingWindow, dot_product_attention
from attention.dispatch import route
from attention.fingerprint import content, label, outlines
from attention.kept import Kept

from .asked import Named, Told


def test_nothing_keeps_a_mask_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route, "kept", Kept(16))  # or an equal one, of before, would be found
    x, mask = torch.randn(1, 1, 8, 4), Named(back=2)
    for backend in ("tiled", "fused", "eager", "loops"):
        dot_product_attention(x, x, x, mask, backend=backend)
    seen = weakref.ref(mask)
    del mask
    gc.collect()
    assert seen() is None


def test_what_is_fixed_of_a_mask_is_found_once_and_goes_with_it(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(
        "attention.fingerprint.content", lambda part: asked.append(part) or content(part)
    )
    cuts = torch.tensor([[0, 0, 1]])
    mask = (Causal() & SlidingWindow(3)) | Documents(cuts)
    first = label(mask)
    assert len(asked) == 2  # a width and a tensor
    asked.clear()
    assert label(mask) == first
    assert len(asked) == 1
    assert asked[0] is cuts
    assert label((Causal() & SlidingWindow(3)) | Documents(cuts.clone())) == first
    assert label((SlidingWindow(3) & Causal()) | Documents(cuts)) != first
    cuts.numpy()[0, 1] = 1  # no version of the tensor says so
    assert label(mask) != first
    number = id(mask)
    assert number in outlines
    del mask
    gc.collect()
    assert number not in outlines


@pytest.mark.parametrize("mask", [Causal() & SlidingWindow(3), Causal() | Causal(), ~Causal()])
def test_a_mask_of_masks_is_frozen_too(mask: Mask) -> None:
    for name in ("over", "__class__"):
        with pytest.raises(FrozenInstanceError):
            setattr(mask, name, PrefixLM)


def test_a_tensor_that_holds_its_mask_goes_with_it() -> None:
    cuts = torch.tensor([[0, 0, 1]])
    cuts.mask = mask = Documents(cuts)
    label(mask)
    number = id(mask)
    del cuts, mask
    gc.collect()
    assert number not in outlines


def test_a_mask_that_holds_one_of_another_class_has_no_outline() -> None:
    for mask in (Told(3), Causal() & Told(3), ~(Told(3) | Causal())):
        assert label(mask) == content(mask)
        assert id(mask) not in outlines
