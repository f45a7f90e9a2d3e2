"""Which calls the kernel for Hopper takes from the portable one."""

import pytest
import torch

from attention.backends.triton import configs, hopper, hopper_launch
from attention.backends.triton.rules import FAR, Rule


def takes(
    monkeypatch, rule=None, there=True, least=(1, 1), apart=None, device="cpu", **shapes
) -> bool:
    monkeypatch.setattr(hopper_launch, "is_hopper", lambda device: there)
    monkeypatch.setitem(hopper.LEAST, 64, hopper.Least(*least))
    names = {"query": (1, 2, 5, 64), "key": (1, 1, 7, 64), "value": (1, 1, 7, 64)} | shapes
    tensors = {
        name: torch.empty(shape, dtype=torch.bfloat16, device=device)
        for name, shape in names.items()
    }
    return hopper.takes(**tensors | (apart or {}), rule=rule or Rule())


@pytest.mark.parametrize(
    "rule", [Rule(), Rule(right=0), Rule(left=6), Rule(right=4), Rule(left=6, right=0)], ids=str
)
def test_all_keys_or_those_up_to_the_query(monkeypatch, rule):
    assert takes(monkeypatch, rule)


@pytest.mark.parametrize(
    "given",
    [
        {"there": False},
        {"least": (6, 1)},
        {"rule": Rule(right=0), "least": (1, 6)},
        {"rule": Rule(left=5)},
        {"rule": Rule(right=3)},
        {"rule": Rule(right=1)},
        {"rule": Rule(spans=torch.tensor([[0, 7]]))},
        dict.fromkeys(("query", "key", "value"), (1, 1, 5, 256)),
        dict.fromkeys(("query", "key", "value"), (65_536, 1, 1, 64)),
        {"key": (1, 1, 0, 64), "value": (1, 1, 0, 64)},
        {"query": (1, 2, 0, 64)},
        {"apart": {"key": torch.zeros(1, 1, 1, 64, dtype=torch.bfloat16).expand(1, 1, 7, 64)}},
        {"apart": {"value": torch.zeros(1, 1, 7, 65, dtype=torch.bfloat16)[..., 1:]}},
        {"apart": {"query": torch.zeros(1, 2, 5, 68, dtype=torch.bfloat16)[..., :64]}},
    ],
    ids=str,
)
def test_left_to_the_portable_kernel(monkeypatch, given):
    assert not takes(monkeypatch, **given)


def test_rows_apart_by_whole_copies(monkeypatch):
    wide = torch.zeros(1, 2, 5, 72, dtype=torch.bfloat16)
    assert takes(monkeypatch, apart={"query": wide[..., :64]})
    assert takes(monkeypatch, apart={"query": wide[..., 8:]})
    assert not takes(monkeypatch, apart={"query": wide[..., 4:68]})  # begins between two


def test_as_many_queries_and_keys_as_pay(monkeypatch):
    few = {"key": (1, 1, 4, 64), "value": (1, 1, 4, 64)}
    assert takes(monkeypatch, least=(5, 6))
    assert takes(monkeypatch, Rule(right=0), least=(6, 5))
    assert takes(monkeypatch, least=(4, 6), **few)
    assert not takes(monkeypatch, least=(5, 1), **few)


def test_as_many_programs_as_a_grid_has(monkeypatch):
    monkeypatch.setattr(hopper_launch, "copyable", lambda x: True)  # nothing lies anywhere
    for queries, taken in ((65_535 * 192, True), (65_535 * 192 + 1, False)):
        shape = {"query": (1, 1, queries, 64), "device": "meta"}
        assert takes(monkeypatch, Rule(right=0), **shape) == taken
    assert takes(monkeypatch, query=(1, 65_536, 5, 64), device="meta")


def test_in_the_interpreter_there_is_no_hopper(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 0))
    for interpret in (True, False):
        monkeypatch.setattr(configs.knobs.runtime, "interpret", interpret)
        assert configs.is_hopper(torch.device("cuda", 0)) != interpret


def test_nothing_is_hidden_from_a_far_key():
    assert Rule().left == Rule().right == FAR
