"""What the methods of a mask do is compared too."""

import functools
from typing import Any

import pytest
import torch

from attention import Mask, SlidingWindow
from attention.fingerprint import content

from .asked import attend


def decorated(method):
    @functools.wraps(method)
    def wrapper(*given):
        return method(*given)

    return wrapper


def width(number: int):
    return lambda self, query, key: abs(query - key) < number


def by_default(self, query, key, number=2):
    return abs(query - key) < number


@pytest.mark.parametrize(("before", "after"), [
    (width(1), width(3)),  # by a closure
    (by_default, lambda self, query, key, number=2: abs(query - key) < number + 1),
    (staticmethod(lambda query, key: query == key), staticmethod(lambda query, key: key <= query)),
    (classmethod(lambda cls, query, key: query == key), classmethod(width(2))),
    (decorated(width(1)), decorated(width(3))),
    (torch.no_grad()(width(1)), torch.no_grad()(width(3))),
])  # fmt: skip
def test_what_a_method_does_is_read_each_time(before: Any, after: Any) -> None:
    """As where a cell of a notebook defines it anew."""

    class Near(Mask):
        near = before

        def __call__(self, batch, head, query, key):
            return self.near(query, key)

    attend(Near())
    Near.near = after
    torch.testing.assert_close(attend(Near()), attend(Near().to_tensor(6, 6)), atol=0, rtol=0)


def test_so_is_what_changed_within_a_method() -> None:
    class Near(Mask):
        def __call__(self, batch, head, query, key, number=1):
            return abs(query - key) < number

        far = property(lambda self: False)

    def changed() -> None:
        want = attend(Near().to_tensor(6, 6))
        torch.testing.assert_close(attend(Near()), want, atol=0, rtol=0)

    changed()
    Near.__call__.__defaults__ = (3,)
    changed()
    Near.__call__.__code__ = (lambda self, batch, head, query, key, number=1: key <= query).__code__
    changed()
    Near.__call__ = lambda self, batch, head, query, key: (query == key) | self.far
    changed()
    Near.far = property(lambda self: True)
    changed()
    Near.far.fget.__code__ = (lambda self: False).__code__
    changed()
    Near.__call__ = lambda self, batch, head, query, key, *, number=1: abs(query - key) < number
    changed()
    Near.__call__.__kwdefaults__["number"] = 3
    changed()


def test_so_is_what_changed_within_a_static_method() -> None:
    class Near(Mask):
        near = staticmethod(lambda query, key: query == key)

        def __call__(self, batch, head, query, key):
            return self.near(query, key)

    attend(Near())
    Near.near.__code__ = (lambda query, key: key <= query).__code__
    torch.testing.assert_close(attend(Near()), attend(Near().to_tensor(6, 6)), atol=0, rtol=0)


def test_a_tensor_as_a_default_is_read_each_time() -> None:
    class Near(Mask):
        def __call__(self, batch, head, query, key, first=None, *, number=None):
            return abs(query - key) < first + number

    held = torch.tensor(1), torch.tensor(0)
    Near.__call__.__defaults__, Near.__call__.__kwdefaults__["number"] = held[:1], held[1]
    for changed in held:
        attend(Near())
        changed.add_(2)
        want = attend(Near().to_tensor(6, 6))
        torch.testing.assert_close(attend(Near()), want, atol=0, rtol=0)


def test_a_method_that_reads_a_variable_is_asked_each_time() -> None:
    number = [1]

    class Near(Mask):
        def __call__(self, batch, head, query, key):
            return abs(query - key) < number[0]

    with pytest.raises(TypeError, match="^__call__ reads variables, and may change unseen$"):
        content(Near())
    for number[0] in (1, 3):
        want = attend(Near().to_tensor(6, 6))
        torch.testing.assert_close(attend(Near()), want, atol=0, rtol=0)


@pytest.mark.untyped  # what checks a method reads variables
def test_a_method_that_calls_that_of_its_parent_is_kept() -> None:
    class Near(SlidingWindow):
        def __call__(self, batch, head, query, key):
            return super().__call__(batch, head, query, key)

    assert content(Near(2)) == content(Near(2))


def test_a_default_that_may_change_is_asked_each_time() -> None:

    class Near(Mask):
        def __call__(self, batch, head, query, key, number=(1,)):
            return abs(query - key) < number[0]

    width = [1]
    Near.__call__.__defaults__ = (width,)
    for width[0] in (1, 3):
        want = attend(Near().to_tensor(6, 6))
        torch.testing.assert_close(attend(Near()), want, atol=0, rtol=0)
