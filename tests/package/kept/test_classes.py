"""What the class of a mask holds is compared too."""

from abc import ABC
from dataclasses import dataclass, field

import pytest
import torch

from attention import Mask, dot_product_attention
from attention.fingerprint import content

from .asked import attend, count


class Apart:
    """A class that is no mask."""

    @staticmethod
    def near(query, key):
        return abs(query - key) < 2


def test_what_is_made_of_a_mask_with_another_base_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class Near(Apart, Mask):
        def __call__(self, batch, head, query, key):
            return self.near(query, key)

    asked = count(monkeypatch)
    for _ in range(3):
        attend(Near())
    assert len(asked) == 1


class Steps:
    """A rule that is no function, and holds a number."""

    width = 1

    def __call__(self, batch, head, query, key):
        return abs(query - key) < self.width


def test_a_rule_that_is_an_object_is_asked_each_time() -> None:
    class Near(Mask):
        __call__ = Steps()

    for Near.__call__.width in (1, 3):
        want = attend(Near().to_tensor(6, 6))
        torch.testing.assert_close(attend(Near()), want, atol=0, rtol=0)


class Wide:
    """A descriptor that holds a number."""

    width = 1

    def __get__(self, mask, kind):
        return self.width


class Unhashed(property):
    __hash__ = None  # type: ignore


def test_what_a_descriptor_gives_is_asked_each_time() -> None:
    class Near(Mask):
        width = Wide()

        def __call__(self, batch, head, query, key):
            return abs(query - key) < self.width

    for Wide.width in (1, 3):
        want = attend(Near().to_tensor(6, 6))
        torch.testing.assert_close(attend(Near()), want, atol=0, rtol=0)


def test_a_property_that_cannot_be_told_from_others_is_asked_each_time() -> None:
    class Near(Mask):
        reach = Unhashed(lambda self: 2)

        def __call__(self, batch, head, query, key):
            return abs(query - key) < self.reach

    torch.testing.assert_close(attend(Near()), attend(Near().to_tensor(6, 6)), atol=0, rtol=0)


def test_what_a_class_holds_is_read_each_time() -> None:
    class Near(Mask):
        width = 1

        def __call__(self, batch, head, query, key):
            return abs(query - key) < self.width

    class Nearer(Near):
        more = 0

    for Near.width in (1, 3):
        for mask in (Near(), Nearer()):
            torch.testing.assert_close(attend(mask), attend(mask.to_tensor(6, 6)), atol=0, rtol=0)


def test_what_a_class_comes_to_hold_and_loses_is_read_too() -> None:
    class Near(Mask, ABC):
        def __call__(self, batch, head, query, key):
            return abs(query - key) < getattr(type(self), "width", 4)

    content(Near())  # it holds nothing yet, and that it is abstract is nothing
    for width in (1, 3, None):
        if width is None:
            del Near.width
        else:
            Near.width = width
        mask = Near()
        torch.testing.assert_close(attend(mask), attend(mask.to_tensor(6, 6)), atol=0, rtol=0)


def test_a_field_that_only_its_class_has_is_read_each_time() -> None:
    @dataclass
    class Wide(Mask):
        width: int = field(init=False, default=1)

        def __call__(self, batch, head, query, key):
            return abs(query - key) < self.width

    for Wide.width in (1, 3):
        mask = Wide()
        vars(mask).pop("width", None)
        torch.testing.assert_close(attend(mask), attend(mask.to_tensor(6, 6)), atol=0, rtol=0)


class Ahead(Mask):
    """What it holds, its class does."""

    width = 3

    @property
    def twice(self) -> int:
        return 2 * self.width

    def __call__(self, batch, head, query, key):
        return key - query < self.twice


def test_a_mask_whose_class_holds_a_number_is_asked_once(monkeypatch) -> None:
    asked = count(monkeypatch)
    x = torch.randn(1, 2, 37, 8)
    for _ in range(3):
        dot_product_attention(x, x, x, Ahead())
    assert len(asked) == 1
    assert content(Ahead())[-2:] == ("width", (int, 3, "3"))
