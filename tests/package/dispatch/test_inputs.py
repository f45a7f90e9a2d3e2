"""The quick look at query, key and value against the longer one, which says what is wrong."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from inputs import examples
from torch import Tensor

from attention.checks.inputs import explain, usual

SIZES = st.integers(0, 3)
OTHERS = st.lists(st.integers(0, 2), max_size=3, unique=True)  # query, key or value


@st.composite
def inputs(draw: st.DrawFn) -> list[Tensor]:
    """Three that fit, without groups, of which some may then be made to differ."""
    batch = draw(st.lists(SIZES, max_size=3))
    queries, keys, width, value_width = (draw(SIZES) for _ in range(4))
    shapes = [[*batch, queries, width], [*batch, keys, width], [*batch, keys, value_width]]
    dtypes, devices = [torch.float32] * 3, ["cpu"] * 3
    match draw(st.sampled_from(["nothing", "a size", "an axis", "all axes", "dtype", "device"])):
        case "a size":
            for which in draw(OTHERS):
                shapes[which][draw(st.integers(0, len(batch) + 1))] = draw(SIZES)
        case "an axis":
            for which in draw(OTHERS):
                shapes[which] = shapes[which][1:]
        case "all axes":
            shapes = [shape[-1:] for shape in shapes]
        case "dtype":
            dtype = draw(st.sampled_from([torch.float64, torch.int64]))
            other = draw(OTHERS)
            dtypes = [dtype if n in other else torch.float32 for n in range(3)]
        case "device":
            other = draw(OTHERS)
            devices = ["meta" if n in other else "cpu" for n in range(3)]
    return [
        torch.zeros(shape, dtype=dtype, device=device)
        for shape, dtype, device in zip(shapes, dtypes, devices, strict=True)
    ]


@examples(600)
@given(inputs())
def test_usual_is_exactly_what_fits(given: list[Tensor]) -> None:
    try:
        explain(*given)
        fits = True
    except (TypeError, ValueError):
        fits = False
    assert usual(*given) == usual(*given, whole=True) == fits


def test_groups_of_heads_are_those_of_one_batch() -> None:
    query, key, other = (torch.zeros(n, heads, 3, 8) for n, heads in ((2, 4), (2, 2), (3, 2)))
    for whole in (False, True):
        assert usual(query, key, key, whole)
        assert not usual(query, other, other, whole)
