"""What a rule reads of the notebook that defines it is compared too."""

from typing import Any

import pytest
import torch

from attention import Causal, Mask, fingerprint
from attention.fingerprint import label

from .asked import attend


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
