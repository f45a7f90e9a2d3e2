"""What is kept of a mask is for an equal one alone, and for any call with it."""

import collections
import functools
import gc
import weakref
from abc import ABC
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import pytest
import torch
from torch import Tensor

from attention import (
    Causal,
    Documents,
    Mask,
    Padding,
    PrefixLM,
    SlidingWindow,
    blocks,
    dot_product_attention,
    fingerprint,
)
from attention.blocks import cached
from attention.blocks.rectangles import STRIP
from attention.dispatch import dense, route
from attention.fingerprint import MAX_BYTES, content, label, outlines
from attention.kept import Kept


@dataclass(frozen=True, slots=True)
class Slots(Mask):
    """What it holds lies beside its `vars`."""

    width: int

    def __call__(self, batch, head, query, key):
        return (query - key < self.width) & (key <= query)


@dataclass(frozen=True)
class Told(Mask):
    """A data class: Python writes its `__init__`, and what compares and shows it."""

    width: int

    def __call__(self, batch, head, query, key):
        return (query - key < self.width) & (key <= query)


class Named(Mask):
    """It holds what it was given, under any name."""

    def __init__(self, **held: object) -> None:
        vars(self).update(held)

    def __call__(self, batch, head, query, key):
        held = vars(self)
        back, ahead = held.get("back", 0), held.get("ahead", 0)
        back = 3 if back is True or str(back) == "-0.0" else back
        return (query - key <= back) & (key - query <= ahead)


class Reach:
    """Equal to itself alone, whatever its number becomes."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __rsub__(self, other: Tensor) -> Tensor:
        return other - self.width

    def __ge__(self, other: Tensor) -> Tensor:
        return other <= self.width


PAIRS = {
    "slots": (Slots(1), Slots(3)),
    "data": (Told(1), Told(3)),
    "names": (Named(back=2), Named(ahead=2)),
    "more names": (Named(back=2), Named(back=2, ahead=1)),
    "a number and a truth": (Named(back=1), Named(back=True)),
    "two zeros": (Named(back=0.0), Named(back=-0.0)),
    "a tensor of bfloat16": [Named(back=torch.tensor(n, dtype=torch.bfloat16)) for n in (1, 3)],
    "a tensor that learns": [Named(back=torch.tensor(n, requires_grad=True)) for n in (1.0, 3.0)],
}


def attend(mask: Mask | Tensor) -> Tensor:
    x = torch.linspace(-1, 1, 96).reshape(2, 6, 8)
    return dot_product_attention(x, x, x, mask)


@pytest.mark.parametrize("name", PAIRS)
def test_a_mask_is_not_taken_for_another(name: str) -> None:
    for mask in PAIRS[name]:
        keep = mask.to_tensor(6, 6).detach()
        torch.testing.assert_close(attend(mask), attend(keep), atol=0, rtol=0)


def test_what_is_made_of_a_data_class_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = count(monkeypatch)
    for _ in range(3):
        attend(Told(2))
    assert len(asked) == 1


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


def test_what_may_change_unseen_is_asked_each_time() -> None:
    reach = Reach(0)
    mask = Named(back=reach)
    for reach.width in (1, 3):
        want = attend((Causal() & SlidingWindow(reach.width + 1)).to_tensor(6, 6))
        torch.testing.assert_close(attend(mask), want, atol=0, rtol=0)


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


def notebook(source: str, **names: object) -> dict[str, Any]:
    """The variables of a notebook after this cell."""
    cells = {"__name__": "notebook", "Mask": Mask, "Causal": Causal, "torch": torch, **names}
    exec(source, cells)
    return cells


NOTEBOOK = """
from math import floor
from torch.nn.functional import pad

def near(query, key):
    return abs(query - key) < floor(width()) if key is not None else pad(query, (0, 0))

def width():
    return (lambda: WIDTH)()

class Near(Mask):
    def __call__(self, batch, head, query, key):
        return near(query, key) | (query == key) if Causal else near
"""


@pytest.mark.parametrize("cell", [
    "WIDTH = 3",
    "WIDTH = torch.tensor(3.0)",
    "def width(): return 3",
    "def near(query, key): return key <= query",
    "width.__code__ = (lambda: 2).__code__",
])  # fmt: skip
def test_what_a_rule_reads_of_its_notebook_is_read_each_time(cell: str) -> None:
    cells = notebook(NOTEBOOK, WIDTH=1)
    rule = cells["Near"]()
    before = attend(rule)
    assert label(rule) is not None  # it is kept, as long as nothing changes
    assert label(rule) == label(cells["Near"]())
    exec(cell, cells)
    want = attend(rule.to_tensor(6, 6))
    assert not torch.equal(want, before)
    torch.testing.assert_close(attend(rule), want, atol=0, rtol=0)


def test_a_name_that_goes_from_one_function_that_was_read_to_another() -> None:
    cells = notebook(
        "def near(query, key):\n"
        "    return query == key\n"
        "def far(query, key):\n"
        "    return key <= query\n"
        "class Other(Mask):\n"
        "    def __call__(self, batch, head, query, key):\n"
        "        near, far\n"
        "        return taken(query, key)\n"
        "taken = near\n",
    )
    rule = cells["Other"]()
    attend(rule)
    cells["taken"] = cells["far"]
    torch.testing.assert_close(attend(rule), attend(rule.to_tensor(6, 6)), atol=0, rtol=0)


def test_a_rule_that_reads_a_list_is_asked_each_time() -> None:
    cells = notebook(NOTEBOOK.replace(": WIDTH", ": WIDTH[0]"), WIDTH=[1])
    rule = cells["Near"]()
    assert label(rule) is None
    attend(rule)
    cells["WIDTH"][0] = 3
    torch.testing.assert_close(attend(rule), attend(rule.to_tensor(6, 6)), atol=0, rtol=0)


@pytest.mark.parametrize("reads", ["Config.WIDTH", "Config.width()"])
def test_a_rule_that_reads_a_class_of_its_notebook_is_asked_each_time(reads: str) -> None:
    config = "class Config:\n    WIDTH = 1\n    width = staticmethod(lambda: 1)\n"
    cells = notebook(config + NOTEBOOK.replace("WIDTH)()", f"{reads})()"))
    rule = cells["Near"]()
    attend(rule)
    exec("Config.WIDTH = 3\nConfig.width = staticmethod(lambda: 3)", cells)
    torch.testing.assert_close(attend(rule), attend(rule.to_tensor(6, 6)), atol=0, rtol=0)


def test_functions_that_call_each_other_are_looked_at_once(monkeypatch) -> None:
    cells = notebook(NOTEBOOK.replace("return (lambda", "near, width\n    return (lambda"), WIDTH=1)
    seen = []
    body = fingerprint.body
    monkeypatch.setattr(
        fingerprint, "body", lambda method, *more: seen.append(method) or body(method, *more)
    )
    assert label(cells["Near"]()) is not None
    assert [method.__name__ for method in seen] == ["__call__", "near", "width"]


@pytest.mark.parametrize("cell", [
    "near = torch.no_grad()(near)",
    "near.width = 3",
    "near = [3].index",
    "Causal = type('Slots', (Mask,), {'__slots__': 'held'})",
    "Causal = [1]",
    "Causal = 10 ** 5000",
])  # fmt: skip
def test_what_may_change_without_a_trace_is_not_kept(cell: str) -> None:
    cells = notebook(NOTEBOOK, WIDTH=1)
    assert label(cells["Near"]()) is not None
    exec(cell, cells)
    assert label(cells["Near"]()) is None


def test_what_a_rule_asks_an_object_for_is_no_variable() -> None:
    cells = notebook(
        "class Not(Mask):\n"
        "    def __init__(self, mask):\n"
        "        self.mask = mask\n"
        "    def __call__(self, *where):\n"
        "        return self.mask(*where) == False\n"
        "mask = Not(Causal())\n",
    )
    before = label(cells["mask"])
    assert before is not None
    cells["mask"] = [1]
    assert label(cells["Not"](Causal())) == before


@pytest.mark.parametrize("cell", ["Near.width = 3", "Near.reach = lambda self: 3", "WIDTH = 3"])
def test_a_rule_that_names_its_class(cell: str) -> None:
    cells = notebook(
        "class Near(Mask):\n"
        "    width = 1\n"
        "    def reach(self):\n"
        "        return WIDTH\n"
        "class Same(Mask):\n"
        "    def __call__(self, batch, head, query, key):\n"
        "        assert Same\n"
        "        return abs(query - key) < Near.width * Near().reach()\n",
        WIDTH=1,
    )
    rule = cells["Same"]()
    before = label(rule)
    assert before == label(cells["Same"]()) is not None
    exec(cell, cells)
    assert label(rule) != before
    torch.testing.assert_close(attend(rule), attend(rule.to_tensor(6, 6)), atol=0, rtol=0)


def test_a_rule_that_reads_one_of_its_own_kind() -> None:
    cells = notebook(
        "class Deep(Mask):\n"
        "    def __init__(self, depth):\n"
        "        self.depth = depth\n"
        "    def __call__(self, *where):\n"
        "        return (where[2] == where[3]) | (self.depth < inner.depth)\n"
        "inner = Deep(0)\n",
    )
    rule = cells["Deep"](1)
    assert not attend(rule).isnan().any()
    before = label(rule)
    assert before is not None
    cells["inner"].depth = 2
    assert label(rule) != before
    torch.testing.assert_close(attend(rule), attend(rule.to_tensor(6, 6)), atol=0, rtol=0)


def test_a_mask_with_what_cannot_be_looked_up_is_asked_each_time() -> None:
    class Width:
        __hash__ = None

        def __get__(self, mask, owner):
            return 2

    class Near(Mask):
        width = Width()

        def __call__(self, batch, head, query, key):
            return abs(query - key) < self.width

    torch.testing.assert_close(attend(Near()), attend(Near().to_tensor(6, 6)), atol=0, rtol=0)


def test_a_number_of_a_class_that_holds_more_is_asked_each_time() -> None:
    class Wide(int):
        more = 0

    mask = Named(back=Wide(1))
    with pytest.raises(TypeError, match="Wide may change unseen"):
        content(mask)


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


@pytest.mark.parametrize("holder", [list, collections.deque])
def test_a_mask_that_is_a_list_is_not_taken_for_another(holder: type) -> None:
    class Bands(Mask, holder):
        def __call__(self, batch, head, query, key):
            return sum(abs(query - key) == distance for distance in self) > 0

    for mask in (Bands([1, 2]), Bands([3])):
        torch.testing.assert_close(attend(mask), attend(mask.to_tensor(6, 6)), atol=0, rtol=0)


def test_a_mask_that_is_a_number_is_not_taken_for_another() -> None:
    class Width(int, Mask):
        def __call__(self, batch, head, query, key):
            return abs(query - key) < int(self) + getattr(self, "more", 0)

    wider = Width(1)
    wider.more = 2
    for mask in (Width(1), Width(2), wider):
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


@pytest.mark.parametrize("tokens", [6, 150])
def test_after_a_call_in_inference_mode_others_learn(tokens: int) -> None:
    """Queries that see nothing lie in a block of others: they are masked, and the mask is saved."""
    mask = SlidingWindow(5) & Padding(torch.tensor([tokens - 50]).clamp(min=1))
    query = torch.randn(1, 2, tokens, 8)
    with torch.inference_mode():
        want = dot_product_attention(query, query, query, mask, backend="spans")
    query.requires_grad_()
    got = dot_product_attention(query, query, query, mask, backend="spans")
    got.sum().backward()
    torch.testing.assert_close(got.detach(), want.clone())


@pytest.mark.parametrize("call", [{"backend": "tiled"}, {"softcap": 5.0}])
def test_an_equal_mask_is_not_the_one_that_changed_since(call, monkeypatch) -> None:
    monkeypatch.setattr("attention.dispatch.choice.LARGE", 0)  # a softcap by tiles
    x, first = torch.randn(2, 1, 4, 8), torch.tensor([4, 2])
    dot_product_attention(x, x, x, Padding(first), **call)
    first.fill_(1)
    mask = Padding(torch.tensor([4, 2]))
    want = dot_product_attention(x, x, x, mask.to_tensor(4, 4), **call)
    torch.testing.assert_close(dot_product_attention(x, x, x, mask, **call), want)


def test_a_large_mask_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers would have to be compared in each call, and be held after it."""
    monkeypatch.setattr(route, "kept", Kept(16))
    x = torch.randn(1, 1, 8, 4)
    kept, large = Named(back=2), Named(back=2, more=torch.zeros(MAX_BYTES + 1, dtype=torch.uint8))
    one = Named(back=2, more=torch.zeros(MAX_BYTES, dtype=torch.uint8))
    for mask, count in ((large, 0), (kept, 1), (one, 2)):
        dot_product_attention(x, x, x, mask, backend="fused")
        assert len(route.kept.made) == count


def test_plans_are_kept_up_to_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    masks = [PrefixLM(length) & SlidingWindow(64) for length in (300, 310, 320)]
    sizes = [plan.nbytes for mask in masks if (plan := blocks.plan(mask, 512, 512))]
    kept = Kept(32, sizes[0] + sizes[1], cached.kept.nbytes)
    monkeypatch.setattr(cached, "kept", kept)
    for mask, count in zip(masks, (1, 2, 2), strict=True):
        blocks.plan(mask, 512, 512)
        assert len(kept.made) == count
    kept.most_bytes = sizes[0] - 1
    blocks.plan(masks[0], 512, 512)  # one too large is made anew each time, and throws none out
    assert len(kept.made) == 2


def test_the_tensors_that_it_is_kept_by_take_bytes_too() -> None:
    kept: Kept[int] = Kept(16, 2 * 64 + 3, nbytes=lambda made: made)
    for place in range(4):
        made = kept.get(Documents(torch.full((1, 8), place)), "beside", lambda: 1)
        assert made == 1
        assert len(kept.made) == min(place + 1, 2)
    assert kept.get(Documents(torch.zeros(1, 17).long()), "beside", lambda: 1) == 1
    assert kept.total() == 2 * (64 + 1)  # that one was too large
    just: Kept[int] = Kept(16, 64 + 1, nbytes=lambda made: made)
    just.get(Documents(torch.zeros(1, 8).long()), "beside", lambda: 1)
    assert len(just.made) == 1


def test_the_bytes_of_a_plan_are_those_of_its_tables() -> None:
    plan = blocks.plan(Causal(), 512, 512)
    assert plan
    # Strips of two triangles, which are equal: a truth value and a number for each score.
    assert plan.nbytes == (1 + 4) * 64 * (64 + 128 + 192 + 256)


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


def test_a_mask_that_has_the_number_of_another_is_not_taken_for_it() -> None:
    gone, mask = SlidingWindow(5), SlidingWindow(3)
    label(gone)
    outlines[id(mask)] = outlines[id(gone)]
    assert label(mask) == label(SlidingWindow(3)) != label(gone)


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


class Held(Mask):
    """Its rule gives what it holds, not a copy."""

    def __init__(self, seen: Tensor) -> None:
        self.seen = seen

    def __call__(self, batch, head, query, key):
        return self.seen


def test_what_is_kept_does_not_change_with_the_mask() -> None:
    x, seen = torch.randn(1, 4, 8), torch.eye(4, dtype=torch.bool)
    for backend in ("eager", "fused"):
        dot_product_attention(x, x, x, Held(first := seen.clone()), backend=backend)
        first.fill_(True)
        got = dot_product_attention(x, x, x, Held(seen), backend=backend)
        torch.testing.assert_close(got, x)  # each token sees itself alone


@pytest.mark.parametrize("learns", [True, False])
def test_a_plan_is_for_gradients_only_where_they_are_asked_for(learns, monkeypatch) -> None:
    for module in (route, cached):
        monkeypatch.setattr(module, "kept", Kept(2))
    x = torch.randn(1, 8, 512, 4, requires_grad=True)
    mask = Causal() & SlidingWindow(32)
    with torch.set_grad_enabled(learns):
        dot_product_attention(x, x, x, mask)
    assert blocks.plan(mask, 512, 512, learns)
    assert len(cached.kept.made) == 1
    assert [key[1][2] for key in cached.kept.made] == [STRIP["backward" if learns else "forward"]]


def count(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often a mask is asked from now on, with nothing kept."""
    asked, tile = [], Mask.tile
    monkeypatch.setattr(Mask, "tile", lambda *x: asked.append(1) or tile(*x))
    for module in (route, dense):
        monkeypatch.setattr(module, "kept", Kept(2))
    return asked


@pytest.mark.parametrize("call", [{"softcap": 5.0}, {"backend": "eager"}, {"return_weights": True}])
def test_a_causal_mask_is_asked_once_where_torch_needs_a_tensor(call, monkeypatch) -> None:
    asked = count(monkeypatch)
    x = torch.randn(1, 2, 37, 8)
    for _ in range(3):
        dot_product_attention(x, x, x, Causal(), **call)
    assert len(asked) == 1


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


def test_batches_of_any_size_share_a_table(monkeypatch) -> None:
    asked = count(monkeypatch)
    for batch in range(1, 40):
        x = torch.randn(batch, 1, 38, 4)
        dot_product_attention(x, x, x, Causal() & SlidingWindow(9))
    assert len(asked) == 1


def test_a_count_of_keys_that_is_wrong_is_named_before_a_shape() -> None:
    x, ids = torch.randn(3, 1, 5, 4), torch.zeros(2, 6, dtype=torch.int64)
    with pytest.raises(ValueError, match="Documents is made for 6 keys: got 5"):
        dot_product_attention(x, x, x, Documents(ids))


@pytest.mark.parametrize(
    "other",
    [
        {"bias": torch.linspace(-1, 1, 512)[None]},
        {"softcap": 0.1},
        {"dropout_p": 0.5},
        {"value": torch.linspace(-1, 1, 8 * 512 * 2).sin().view(1, 8, 512, 2)},
        {"return_weights": True},
    ],
)
def test_another_call_under_the_same_mask_finds_its_own_way(other, monkeypatch) -> None:
    x = torch.linspace(-1, 1, 8 * 512 * 4).sin().view(1, 8, 512, 4)
    mask = Causal() & SlidingWindow(64)
    monkeypatch.setattr(route, "kept", Kept(8))
    calls = [{"value": x, **given} for given in ({}, other)]
    found = []
    for call in (*calls, *reversed(calls)):
        torch.manual_seed(0)
        found.append(dot_product_attention(x, x, mask=mask, **call))
    assert len(route.kept.made) == 2
    for one, again in zip(found[:2], found[:1:-1], strict=True):
        torch.testing.assert_close(one, again, rtol=0, atol=0)
    for call, got in zip(calls, found[:2], strict=True):
        if "dropout_p" not in call:
            want = dot_product_attention(x, x, mask=mask, **call, backend="eager")
            torch.testing.assert_close(got, want)
        else:
            assert (got - found[0]).abs().max() > 0.01


@pytest.mark.parametrize(("length", "numbers"), [(512, True), (513, False), (1024, False)])
def test_a_mask_is_kept_in_a_mebibyte(length: int, numbers: bool, monkeypatch) -> None:
    """And what is added to the scores beside it, four times as much, if that takes no more."""
    asked = count(monkeypatch)
    x = torch.randn(1, 1, length, 4)
    for _ in range(3):
        dot_product_attention(x, x, x, ~SlidingWindow(3) | Causal())
    [made] = [found for found, _ in dense.kept.made.values()]
    assert len(asked) == 1
    assert made.keep.shape == (length, length)
    assert made.keep.nbytes <= 1 << 20
    assert (made.added is not None) is numbers
    if numbers:
        assert made.added.shape == (1, 1, length, length)
        assert made.added.nbytes <= 1 << 20
        assert torch.equal(made.added == 0, made.keep[None, None])


@pytest.mark.parametrize(
    ("start", "stop", "keys", "wide"),
    [(0, 0, 9, (0, 0)), (3, 19, 40, (3, 19)), (3, 18, 40, (3, 19)), (3, 20, 40, (3, 35))]
    + [(30, 39, 40, (24, 40)), (2, 7, 9, (0, 9)), (20, 37, 40, (8, 40)), (0, 40, 40, (0, 40))],
)
def test_keys_fill_registers(start: int, stop: int, keys: int, wide: tuple[int, int]) -> None:
    assert dense.to_registers(start, stop, keys) == wide


@pytest.mark.parametrize(("padded", "first"), [(False, 896), (True, 888)])
def test_only_what_tells_sequences_apart_takes_hidden_keys(padded: bool, first: int) -> None:
    """Of other masks each key that is left is seen: so torch's kernel takes all as it is."""
    mask = Causal() & SlidingWindow(100)
    if padded:
        mask &= Padding(torch.tensor([1000, 990]))
    made = dense.make(mask, 5, 1000, torch.device("cpu"), True, torch.float32)
    assert made.columns == slice(first, 1000)
    assert made.whole is not padded


@pytest.mark.parametrize("shape", [(2, 3, 40, 8), (2, 3, 1200, 8)])
def test_a_row_for_all_queries_is_one_row(shape: tuple[int, ...]) -> None:
    """Where a rule asks no query, on the processor; what it gives is the same."""
    x, mask = torch.randn(*shape), Padding(torch.tensor([30, 17]))
    made = dense.dense(mask, shape[2], shape[2], x.device, True, x.dtype)
    assert made.keep is not None
    assert made.keep.shape == (2, 1, 1, 32)  # thirty keys, and two that fill the register
    assert (made.added is not None) is (shape[2] == 40)
    whole = mask.to_tensor(*shape[2:3] * 2)
    for bias in (None, torch.randn(3, shape[2], 1)):
        found = [
            dot_product_attention(x, x, x, keep, bias=bias, backend=name)
            for keep, name in ((mask, "fused"), (mask, "auto"), (whole, "eager"))
        ]
        for got in found[:2]:
            torch.testing.assert_close(got, found[2])
