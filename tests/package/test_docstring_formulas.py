"""Each formula of a docstring holds for what the package computes, and none that is nearly it."""

from typing import Any

import pytest
import torch
from docstring_formulas import holds, neighbours, refused, same, tabled
from docstrings import Formula, docstrings, formulas, typeset
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

Given = dict[str, Any]
T, S, D, E, H = 4, 7, 3, 6, 2  # all different: no shape below is another by chance
SIZES = {"T": T, "S": S, "D": D, "E": E, "H": H, "i": range(T), "j": range(S)}
PARTS = ("query", "key", "value")


def table(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


def mask(rule: Mask, **given: Any) -> Given:
    return SIZES | {"keep": rule.to_tensor(T, S), "b": range(2), "batch": 2} | given


def multi_head() -> list[Given]:
    """Of each head what the function gives, and of all what the module does."""
    attend = MultiHeadAttention(8, H, head_dim=D, bias=False).double()
    parts, rule = {"query": table(T, 8), "key": table(S, 8), "value": table(S, 8)}, Causal()
    weights = {f"W_{part[0]}": getattr(attend, f"{part}_proj").weight for part in PARTS}
    weights = {name: weight.unflatten(0, (H, D)) for name, weight in weights.items()}
    given = SIZES | parts | weights | {"mask": rule.to_tensor(T, S), "embed_dim": 8, "h": range(H)}
    given["dot_product_attention"] = dot_product_attention
    contexts: list[Tensor] = []
    hook = attend.out_proj.register_forward_pre_hook(lambda _, args: contexts.append(args[0]))
    out = attend(**parts, mask=rule)
    hook.remove()
    given["head"] = contexts[0].unflatten(-1, (H, D)).transpose(0, 1)
    return [given, given | {"out": out, "W_o": attend.out_proj.weight}]


def self_attention() -> list[Given]:
    """The three parts by the layers, and the context by the module."""
    attend = SelfAttention(8, 6, causal=True).double()
    x = table(T, 8)
    layers = {part[0]: getattr(attend, f"{part}_proj") for part in PARTS}
    given = {f"W_{letter}": layer.weight for letter, layer in layers.items()}
    given |= {f"b_{letter}": layer.bias for letter, layer in layers.items()}
    given |= {part: layers[part[0]](x) for part in PARTS} | {"T": T, "head_dim": 6, "x": x}
    given |= {"mask": Causal().to_tensor(T, T), "context": attend(x)}
    return [given | {"dot_product_attention": dot_product_attention}] * 4


def memory() -> list[Given]:
    attend = MultiHeadAttention(8, H).double()
    given = {"attend": attend, "x": table(T, 8), "encoded": table(S, 8)}
    given["memory"] = attend.remember(given["encoded"])
    return [given, given]


def waves() -> list[Given]:
    at = torch.tensor([2, 0, 7, 1])
    wave = sinusoidal(at, 6, base=50.0, dtype=torch.float64)
    given = TURNS | {"wave": wave, "at": at.double(), "p": range(4)}
    return [given, given]


def rotary() -> list[Given]:
    """The second pair of four numbers, at position 3."""
    a, b = 0.4, -1.1
    unit = torch.tensor([[0, 1, 0, 0]], dtype=torch.float64)
    cos, sin = Rotary(base=50.0).rotate(unit, torch.tensor([3]))[0, 1::2]
    x = torch.tensor([[0.3, a, 0.7, b]], dtype=torch.float64)
    turned_a, turned_b = Rotary(base=50.0).rotate(x, torch.tensor([3]))[0, 1::2]
    return [{"a": a, "b": b, "angle": torch.atan2(sin, cos), "a_new": turned_a, "b_new": turned_b}]


IDS = torch.tensor([[1, 2, 1, 0, 0, 2, 1], [3, 3, 1, 1, 1, 0, 0]])
LENGTHS = torch.tensor([5, 2])
FREQUENCY = frequencies(6, 50.0, torch.device("cpu"))
TURNS = {"base": 50.0, "width": 6, "frequency": FREQUENCY, "i": range(3)}


def angles() -> list[Given]:
    at = torch.tensor([2, 0, 3, 1])  # below half a turn
    cos, sin = cos_sin(at, FREQUENCY, torch.float64)
    return [TURNS | {"angle": torch.atan2(sin, cos), "at": at, "p": range(4)}]


def apart() -> list[Given]:
    bias = ALiBi().bias(table(2, T, D), S)
    return [SIZES | {"bias": bias, "slope": torch.tensor(slopes(2)), "h": range(2)}]


APART = {
    "cache.memory.Memory": memory,
    "masks.causal.Causal": lambda: [mask(Causal())],
    "masks.documents.Documents": lambda: [mask(Documents(IDS), ids=IDS)],
    "masks.padding.Padding": lambda: [
        mask(Padding(LENGTHS, side), lengths=LENGTHS) for side in ("right", "left")
    ],
    "masks.prefix.PrefixLM": lambda: [mask(PrefixLM(5), length=5)],
    "masks.window.SlidingWindow": lambda: [mask(SlidingWindow(2), width=2)],
    "multi_head.MultiHeadAttention": multi_head,
    "positions.alibi.ALiBi": apart,
    "positions.alibi.slopes": lambda: [
        {"slope": slopes(4), "heads": 4, "h": range(4)},
    ],
    "positions.rotary.Rotary": rotary,
    "positions.sinusoidal.sinusoidal": waves,
    "positions.tables.cos_sin": angles,
    "positions.tables.frequencies": lambda: [TURNS],
    "self_attention.SelfAttention": self_attention,
}
# What stands apart in these is a table, or a course of events.
NO_FORMULAS = {
    "backends.triton.hopper_kernel",
    "backends.triton.hopper_keys",
    "backends.triton.tiles",
    "cache.base.Cache",
    "cache.growing.KVCache",
    "cache.rolling.RollingKVCache",
    "dispatch.choice.auto",
    "graph.AttentionGraph",
    "loading",
    "loading.from_bart",
    "loading.from_bloom",
    "loading.from_llama",
    "loading.from_modernbert",
    "table.AttentionTable",
}
FUNCTION = "functional.dot_product_attention"
SAID = dict(docstrings())


def said(name: str) -> list[Formula]:
    return [one for line in typeset(SAID[name]) for one in formulas(line)]


def test_no_formula_is_left_out() -> None:
    typed = {name for name, docstring in SAID.items() if typeset(docstring)}
    assert typed == {*APART, FUNCTION} | NO_FORMULAS


@pytest.mark.filterwarnings("ignore:The use of `x.T`")  # of a neighbour
@pytest.mark.parametrize("name", APART)
def test_formulas(name: str) -> None:
    for formula, given in zip(said(name), APART[name](), strict=True):
        assert holds(formula, given), formula
        for near in neighbours(formula):
            assert refused(near, given), f"{near} holds too"


def program(lines: list[Formula], given: Given) -> tuple[Tensor, Tensor]:
    """What the lines of the function compute, one after the other."""
    for line in lines:
        given = given | {line.left.partition("[")[0]: tabled(line, given)}
    return given["context"], given["weights"]


@pytest.mark.parametrize("softcap", [None, 1.3])
@pytest.mark.parametrize("biased", [False, True])
def test_function(softcap: float | None, biased: bool) -> None:
    given = SIZES | {"query": table(T, D), "key": table(S, D), "value": table(S, E)}
    given |= {"mask": Causal().to_tensor(T, S), "scale": 0.7}
    given |= {"bias": table(T, S)} if biased else {}
    given |= {"softcap": softcap} if softcap else {}
    options = {name: given.get(name) for name in ("mask", "bias", "scale", "softcap")}
    expected = dot_product_attention(
        *(given[part] for part in PARTS), **options, return_weights=True
    )
    missing = {"softcap", "bias"} - {*given}
    lines = [line for line in said(FUNCTION) if not any(one in line.right for one in missing)]
    assert len(lines) == 5 - len(missing)
    assert all(map(same, program(lines, given), expected))
    for place, line in enumerate(lines):
        for near in neighbours(line):
            changed = [*lines[:place], near, *lines[place + 1 :]]
            try:
                found = program(changed, given)
            except Exception:
                continue
            assert not all(map(same, found, expected)), f"{near} would do too"
