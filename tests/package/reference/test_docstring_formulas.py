"""Each formula of a docstring holds for what the package computes, and none that is nearly it."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from docstrings import Formula, docstrings, formulas, sections, typeset
from torch import Tensor

from attention import (
    ALiBi,
    Causal,
    Documents,
    Mask,
    MultiHeadAttention,
    Padding,
    PrefixLM,
    Rotary,
    SelfAttention,
    SlidingWindow,
    dot_product_attention,
    sinusoidal,
)
from attention.positions.alibi import slopes
from attention.positions.tables import cos_sin, frequencies

from .docstring_formulas import holds, neighbours, refused, same, tabled

Given = dict[str, Any]
PARTS = ("query", "key", "value")


class Case(NamedTuple):
    """Sizes and numbers: what is one of them by chance in the first case is not in the second."""

    T: int
    S: int
    D: int
    E: int
    H: int
    batch: int
    embed_dim: int
    window: int
    prefix: int
    lengths: list[int]
    heads: int  # of slopes
    width: int  # of rotations and waves
    base: float
    scale: float
    softcap: float

    @property
    def sizes(self) -> Given:
        return {
            **{name: getattr(self, name) for name in ("T", "S", "D", "E", "H", "batch")},
            **{"i": range(self.T), "j": range(self.S), "b": range(self.batch), "h": range(self.H)},
        }

    @property
    def turns(self) -> Given:
        return {
            "base": self.base,
            "width": self.width,
            "frequency": frequencies(self.width, self.base, torch.device("cpu")),
            "i": range(self.width // 2),
        }


CASES = (
    Case(4, 7, 3, 6, 2, 3, 8, 5, 5, [5, 2, 7], 4, 6, 50.0, 0.7, 1.3),
    Case(5, 13, 4, 3, 3, 2, 10, 7, 11, [9, 4], 8, 10, 20.0, 1.9, 0.6),
)


def table(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


def function(case: Case) -> Given:
    given = case.sizes | {"scale": case.scale, "dot_product_attention": dot_product_attention}
    given |= {"query": table(case.T, case.D), "key": table(case.S, case.D)}
    return given | {"value": table(case.S, case.E), "mask": Causal().to_tensor(case.T, case.S)}


def keep(case: Case, rule: Mask, remark: str = "(T, S)", **given: Any) -> Given:
    return case.sizes | {"keep": rule.to_tensor(case.T, case.S), "remark": remark} | given


def documents(case: Case) -> list[Given]:
    ids = torch.randint(3, (case.batch, case.S))
    return [keep(case, Documents(ids), "(batch, 1, T, S)", ids=ids)]


def padding(case: Case) -> list[Given]:
    lengths = torch.tensor(case.lengths)
    return [
        keep(case, Padding(lengths, side), remark, label=side, lengths=lengths)
        for side, remark in (("right", "(batch, 1, T, S)"), ("left", ""))
    ]


def multi_head(case: Case) -> list[Given]:
    """Of each head what the function gives, and of all what the module does."""
    embed_dim, heads = case.embed_dim, (case.H, case.D)
    attend = MultiHeadAttention(embed_dim, case.H, head_dim=case.D, bias=False).double()
    parts = {part: table(case.S, embed_dim) for part in PARTS}
    parts["query"] = table(case.T, embed_dim)
    contexts: list[Tensor] = []
    hook = attend.out_proj.register_forward_pre_hook(lambda _, args: contexts.append(args[0]))
    out = attend(**parts, mask=Causal())
    hook.remove()
    given = function(case) | parts | {"embed_dim": embed_dim, "out": out}
    for part in PARTS:
        given[f"W_{part[0]}"] = getattr(attend, f"{part}_proj").weight.unflatten(0, heads)
    given["head"] = contexts[0].unflatten(-1, heads).transpose(0, 1)
    given["W_o"] = attend.out_proj.weight
    return [given, given | {"remark": "(T, embed_dim)"}]


def self_attention(case: Case) -> list[Given]:
    """The three parts by the layers, and the context by the module."""
    attend = SelfAttention(case.embed_dim, case.E, causal=True).double()
    x = table(case.T, case.embed_dim)
    given = {"T": case.T, "head_dim": case.E, "x": x, "remark": "(T, head_dim)"}
    for part in PARTS:
        layer = getattr(attend, f"{part}_proj")
        given |= {part: layer(x), f"W_{part[0]}": layer.weight, f"b_{part[0]}": layer.bias}
    given |= {"mask": Causal().to_tensor(case.T, case.T), "context": attend(x)}
    return [given | {"dot_product_attention": dot_product_attention}] * 4


def memory(case: Case) -> list[Given]:
    attend = MultiHeadAttention(case.embed_dim, 2).double()
    given = {"attend": attend, "x": table(case.T, case.embed_dim)}
    given["encoded"] = table(case.S, case.embed_dim)
    given["memory"] = attend.remember(given["encoded"])
    return [given, given]


def waves(case: Case) -> list[Given]:
    at = torch.tensor([2, 0, 7, 1])
    wave = sinusoidal(at, case.width, base=case.base, dtype=torch.float64)
    given = case.turns | {"wave": wave, "at": at.double(), "p": range(4)}
    return [given | {"remark": "(…, width)"}, given]


def rotary(case: Case) -> list[Given]:
    """The second pair of four numbers, at position 3."""
    a, b, at = case.scale, -case.softcap, torch.tensor([3])
    turn = Rotary(base=case.base).rotate
    cos, sin = turn(torch.tensor([[0, 1, 0, 0]], dtype=torch.float64), at)[0, 1::2]
    new_a, new_b = turn(torch.tensor([[0.3, a, 0.7, b]], dtype=torch.float64), at)[0, 1::2]
    return [{"a": a, "b": b, "angle": torch.atan2(sin, cos), "a_new": new_a, "b_new": new_b}]


def angles(case: Case) -> list[Given]:
    at = torch.tensor([2, 0, 3, 1])  # below half a turn
    cos, sin = cos_sin(at, case.turns["frequency"], torch.float64)
    angle = torch.atan2(sin, cos)
    return [case.turns | {"angle": angle, "at": at, "p": range(4), "remark": "(…, width / 2)"}]


def falling(case: Case) -> list[Given]:
    bias = ALiBi().bias(table(case.H, case.T, case.D), case.S)
    return [case.sizes | {"bias": bias, "slope": slopes(case.H), "remark": "(H, T, S)"}]


GIVEN: dict[str, Callable[[Case], list[Given]]] = {
    "cache.memory.Memory": memory,
    "masks.causal.Causal": lambda case: [keep(case, Causal())],
    "masks.documents.Documents": documents,
    "masks.padding.Padding": padding,
    "masks.prefix.PrefixLM": lambda case: [keep(case, PrefixLM(case.prefix), length=case.prefix)],
    "masks.window.SlidingWindow": lambda case: [
        keep(case, SlidingWindow(case.window), width=case.window)
    ],
    "multi_head.MultiHeadAttention": multi_head,
    "positions.alibi.ALiBi": falling,
    "positions.alibi.slopes": lambda case: [
        {"slope": slopes(case.heads), "heads": case.heads, "h": range(case.heads)}
    ],
    "positions.rotary.Rotary": rotary,
    "positions.sinusoidal.sinusoidal": waves,
    "positions.tables.cos_sin": angles,
    "positions.tables.frequencies": lambda case: [case.turns | {"remark": "(width / 2,)"}],
    "self_attention.SelfAttention": self_attention,
}
FUNCTION = "functional.dot_product_attention"
# What stands apart in these is a table, or a course of events; so many lines.
WORDS = {
    "backends.triton.hopper_kernel": 3,
    "backends.triton.hopper_keys": 4,
    "backends.triton.tiles": 1,
    "cache.base.Cache": 1,
    "cache.growing.KVCache": 1,
    "cache.rolling.RollingKVCache": 1,
    "dispatch.choice.auto": 10,
    "graph.AttentionGraph": 1,
    "loading": 24,
    "loading.from_bart": 1,
    "loading.from_bloom": 2,
    "loading.from_llama": 2,
    "loading.from_modernbert": 2,
    "table.AttentionTable": 1,
}
# What the letters of formulas mean.
LEGENDS = {
    FUNCTION: (
        "With `T` queries, `S` keys, head width `D` and value width `E`, in each head:",
        "With `H` query heads and `K` key heads, query head `h` reads key head `h // (H // K)`.",
    ),
    "multi_head.MultiHeadAttention": (
        "With `H` heads of width `D`, each of which finds a context of shape `(T, D)`:",
        "each product plus its bias.",
    ),
    "self_attention.SelfAttention": (
        "With tokens `x` of width `embed_dim`, and a matrix and a bias for each part:",
    ),
    "positions.alibi.slopes": ("where the number of heads is a power of 2.",),
}
SAID = docstrings()


def said(name: str) -> list[Formula]:
    return [one for line in typeset(SAID[name]) for one in formulas(line)]


def test_no_formula_is_left_out() -> None:
    lines = {name: len(typeset(text)) for name, text in SAID.items() if typeset(text)}
    assert lines.keys() == {*GIVEN, FUNCTION, *WORDS}
    assert {name: lines[name] for name in WORDS} == WORDS
    late = [line for text in SAID.values() for line in sections(text)]
    assert not [line for line in late if re.search(r"\w\[.+?\]\s+(=|where|becomes)\s", line)]


@pytest.mark.parametrize("name", LEGENDS)
def test_what_the_letters_mean(name: str) -> None:
    words = " ".join(SAID[name].split())
    assert all(legend in words for legend in LEGENDS[name])


@pytest.mark.filterwarnings("ignore:The use of `x.T`")  # of a neighbour
@pytest.mark.parametrize("name", GIVEN)
def test_formulas(name: str) -> None:
    for formula, *cases in zip(said(name), *map(GIVEN[name], CASES), strict=True):
        for given in cases:
            assert holds(formula, given), formula
        for near in neighbours(formula, cases[0]):
            assert any(refused(near, given) for given in cases), f"{near} holds too"


def program(lines: list[Formula], given: Given) -> list[Tensor]:
    """What the lines of the function compute, one after the other; some only if it is given."""
    missing = {"softcap", "bias"} - given.keys()
    for line in lines:
        if line.remark != "if given" or missing.isdisjoint(re.findall(r"\w+", line.right)):
            given = given | {line.left.partition("[")[0]: tabled(line, given)}
    return [given["context"], given["weights"]]


def test_function() -> None:
    lines, cases = said(FUNCTION), []
    assert [line.remark for line in lines] == ["(T, S)", "if given", "if given", "", "(T, E)"]
    for case in CASES:
        plain, more = function(case), {"softcap": case.softcap, "bias": table(case.T, case.S)}
        for left_out in ((), ("softcap",), ("bias",), ("softcap", "bias")):
            given = plain | {name: one for name, one in more.items() if name not in left_out}
            options = {name: given.get(name) for name in ("mask", "bias", "scale", "softcap")}
            asked = [given[part] for part in PARTS]
            cases.append((given, dot_product_attention(*asked, **options, return_weights=True)))
    assert all(all(map(same, program(lines, given), right)) for given, right in cases)
    for place, line in enumerate(lines):
        for near in neighbours(line, cases[0][0]):
            changed = [*lines[:place], near, *lines[place + 1 :]]
            assert not all(agrees(changed, *each) for each in cases), f"{near} would do too"


def agrees(lines: list[Formula], given: Given, right: tuple[Tensor, Tensor]) -> bool:
    try:
        return all(map(same, program(lines, given), right))
    except Exception:  # as in refused
        return False
