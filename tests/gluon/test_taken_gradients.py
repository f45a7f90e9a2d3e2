"""Which calls the gradients for Hopper take from the portable ones."""

import pytest
import torch

from attention.backends.triton import hopper_backward, hopper_launch
from attention.backends.triton.rules import Rule

QUERY, KEY = (1, 2, 1100, 64), (1, 1, 1200, 64)
SHAPES = {"query": QUERY, "key": KEY, "value": KEY, "context": QUERY, "grad": QUERY}


def takes(monkeypatch, rule=None, there=True, apart=None, **shapes) -> bool:
    """Of tensors that lie nowhere, unless they are given."""
    monkeypatch.setattr(hopper_launch, "is_hopper", lambda device: there)
    tensors = {
        name: torch.empty(shape, dtype=torch.bfloat16, device="meta")
        for name, shape in (SHAPES | shapes).items()
    }
    return hopper_backward.takes(**tensors | (apart or {}), rule=rule or Rule())


def sizes(batch=1, heads=2, kv_heads=1, queries=1100, keys=1200, width=64):
    query, key = (batch, heads, queries, width), (batch, kv_heads, keys, width)
    return {"query": query, "key": key, "value": key, "context": query, "grad": query}


@pytest.mark.parametrize(
    "rule",
    [Rule(), Rule(right=0), Rule(left=1199), Rule(right=1099), Rule(left=1199, right=0)],
    ids=str,
)
@pytest.mark.parametrize("width", hopper_backward.OF_QUERIES)
def test_all_keys_or_those_up_to_the_query(monkeypatch, rule, width):
    assert takes(monkeypatch, rule, **sizes(width=width))


@pytest.mark.parametrize(
    "given",
    [
        {"there": False},
        {"rule": Rule(left=1198)},
        {"rule": Rule(right=1)},
        sizes(queries=1200, keys=1199) | {"rule": Rule(right=0)},  # the first query is idle
        {"rule": Rule(right=1098)},
        {"rule": Rule(spans=torch.tensor([[0, 1200]]))},
        sizes(width=256),
        sizes(batch=0),
    ],
    ids=str,
)
def test_left_to_the_portable_kernels(monkeypatch, given):
    assert not takes(monkeypatch, **given)


@pytest.mark.parametrize("name", ["queries", "keys"])
def test_as_many_queries_and_keys_as_were_measured(monkeypatch, name):
    for rule in (Rule(), Rule(right=0)):
        both = {"queries": 512, "keys": 512}
        assert takes(monkeypatch, rule, **sizes(**both))
        assert not takes(monkeypatch, rule, **sizes(**both | {name: 511}))


def test_no_more_queries_than_keys_under_a_causal_mask(monkeypatch):
    for keys, taken in ((1099, False), (1100, True), (1101, True)):
        assert takes(monkeypatch, **sizes(keys=keys))
        assert takes(monkeypatch, Rule(right=0), **sizes(keys=keys)) == taken


@pytest.mark.parametrize("name", SHAPES)
def test_rows_that_copies_reach(monkeypatch, name):
    *sizes, width = SHAPES[name]
    wide = torch.empty(*sizes, width + 8, dtype=torch.bfloat16)
    assert takes(monkeypatch, apart={name: wide[..., 8:]})
    assert not takes(monkeypatch, apart={name: wide[..., 4:-4]})  # begins between two
    assert not takes(monkeypatch, apart={name: wide[:, :, :1, :width].expand(*sizes, width)})
    narrow = torch.empty(*sizes, width + 4, dtype=torch.bfloat16)
    assert not takes(monkeypatch, apart={name: narrow[..., :width]})
    assert not takes(monkeypatch, apart={name: narrow[..., :width].mT.contiguous().mT})


MOST = 65_535


@pytest.mark.parametrize(
    ("few", "many"),
    [
        (sizes(batch=MOST - 1), sizes(batch=MOST)),
        (sizes(heads=MOST - 1), sizes(heads=MOST)),
        (sizes(keys=MOST * 128 - 1), sizes(keys=MOST * 128)),
    ],
    ids=["sequences", "heads", "keys"],
)
def test_as_many_programs_as_a_grid_has(monkeypatch, few, many):
    for rule in (Rule(), Rule(right=0)):
        assert takes(monkeypatch, rule, **few)
        assert not takes(monkeypatch, rule, **many)
    assert takes(monkeypatch, **sizes(queries=MOST * 128 - 1))
    assert not takes(monkeypatch, **sizes(queries=MOST * 128))


@pytest.mark.parametrize("causal", [False, True])
def test_the_longest_rows_that_are_taken_fit_a_grid(causal):
    """65,535 programs, its most in the second and third direction; of heads and sequences fewer."""
    grids = []
    own = torch.empty(2, 3, MOST * 128 - 1, 1, device="meta")
    for width in hopper_backward.OF_QUERIES:
        of_queries, of_keys = hopper_backward.OF_QUERIES[width], hopper_backward.OF_KEYS[width]
        grids.append(hopper_backward.grid(own, of_queries, of_queries.rows, causal))
        grids.append(hopper_backward.grid(own, of_keys, of_keys.columns, causal))
    for grid in grids:
        heads, blocks, sequences = grid if causal else (grid[1], grid[0], grid[2])
        assert (heads, sequences) == (3, 2)
        assert blocks <= MOST


@pytest.mark.parametrize("causal", [False, True])
def test_a_kernel_starts_with_its_config(causal):
    started = []

    class Kernel:
        def __getitem__(self, grid):
            return lambda *given, **options: started.append((grid, given, options))

    config = hopper_launch.Config(3, 64, 32, 5)
    grid = hopper_backward.grid(torch.empty(2, 4, 193, 1), config, 64, causal)
    hopper_launch.start(Kernel(), grid, causal, config, "given")
    options = {"CAUSAL": causal, "CONSUMERS": 3, "REGISTERS": 160, "ROWS": 64, "COLUMNS": 32}
    options |= {"STAGES": 5, "num_warps": 4, "maxnreg": 128}
    assert started == [((4, 2, 2) if causal else (2, 4, 2), ("given",), options)]
