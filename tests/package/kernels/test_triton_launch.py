"""What our GPU kernels are started with, and where."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from interpreter import DEVICE
from torch._subclasses.fake_tensor import FakeTensorMode
from triton import knobs

from attention import Causal, Mask
from attention.backends.triton import configs, launch, rows, rules, triton
from attention.dispatch import kernels

from .halves import SHORT, halves

COMPILED = json.loads((Path(__file__).parents[3] / "benchmarks/gpu_offline.json").read_text())


@pytest.mark.parametrize("queries", [40, 1])
@pytest.mark.parametrize("mask", [None, Causal() & SHORT])
def test_shapes(queries: int, mask: Mask | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but the kernels themselves."""
    started = []
    monkeypatch.setattr(
        launch, "start", lambda kernel, *rest, early=False: started.append(kernel.__name__)
    )
    monkeypatch.setattr(launch.hopper, "takes", lambda *_: False)
    shape = {"dtype": torch.float16, "device": DEVICE, "requires_grad": True}
    query = torch.randn(3, 4, queries, 64, **shape)
    key, value = (torch.randn(3, 2, 50, 64, **shape) for _ in range(2))
    rule = None if mask is None else rules.ruled(mask.to(DEVICE), 50)
    context, weights = triton(query, key, value, rule, None, 0.125, None, 0.0)
    context.sum().backward()
    assert context.shape == query.shape
    assert weights is None
    assert [x.grad.shape for x in (query, key, value)] == [query.shape, key.shape, key.shape]
    ahead = "part" if queries == 1 else "forward"  # of 50 keys, one part
    assert started == [ahead, "of_queries", "of_keys"]


@pytest.mark.parametrize(
    ("queries", "heads", "names"),
    [
        (0, 4, ["forward"]),
        (1, 2, ["part", "merge"]),
        (8, 4, ["part", "merge"]),  # of two heads, as many as a tile has rows
        (9, 4, ["forward"]),
    ],
)
def test_few_queries_share_the_keys_of_a_head_out(
    queries: int, heads: int, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each key head among as many programs as are left for it, which find in single precision."""
    started = {}
    monkeypatch.setattr(
        launch, "start", lambda kernel, *rest, early=False: started.update({kernel: rest})
    )
    monkeypatch.setattr(launch.hopper, "takes", lambda *_: False)
    monkeypatch.setattr(configs, "PROGRAMS", 24)
    query, key = halves(3, heads, queries), halves(3, 2, 1000)
    _, sums = launch.contexts(query, key, key, rules.Rule(), 0.125)
    assert sums.shape == query.shape[:-1]
    assert [kernel.__name__ for kernel in started] == names
    for kernel, (programs, _, *given) in started.items():
        if kernel.__name__ == "part":
            assert programs == 4 * 2 * 3
            found, logs = given[3:5]
            assert found.shape == (3, 2, 4, 16, 64)
            assert found.dtype == logs.dtype == torch.float32


@pytest.mark.parametrize(("keys", "warps"), [(8192, 2), (1024, 1)])
@pytest.mark.parametrize("there", [True, False])
def test_parts_are_merged_by_few_warps_and_early_on_hopper(
    there: bool, keys: int, warps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """64 numbers a thread: 64 parts of 64 numbers take two warps, and 8 parts one."""
    started = {}

    def start(kernel, _, config, *given, early=False):
        started[kernel.__name__] = config.warps, given[-1], early

    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(launch, "is_hopper", lambda device: there)
    key = halves(1, 1, keys)
    launch.contexts(halves(1, 2, 1), key, key, rules.Rule(), 0.125)
    assert started == {"part": (4, there, False), "merge": (warps, there, there)}


@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_merged_where_keys_are_in_one_part(
    there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel writes the result, and no other waits for it: none may start early."""
    started = []

    def start(kernel, programs, _, *given, early=False):
        started.append((kernel.__name__, programs, given[3:5], given[-2:], early))

    monkeypatch.setattr(launch, "start", start)
    monkeypatch.setattr(launch, "is_hopper", lambda device: there)
    key = halves(64, 8, 300)
    context, sums = launch.contexts(halves(64, 16, 1), key, key, rules.Rule(), 0.125)
    assert started == [("part", 64 * 8, (None, None), (1, False), False)]
    assert context.shape == (64, 16, 1, 64)
    assert sums.shape == (64, 16, 1)


@pytest.mark.untyped  # what stands for the kernel gives no tensors
@pytest.mark.parametrize("right", [0, rules.FAR])
def test_the_forward_for_hopper_is_taken_where_it_can(
    right: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    query, key = halves(3, 2, 20), halves(3, 2, 30)
    monkeypatch.setattr(launch.hopper, "takes", lambda *_: True)
    monkeypatch.setattr(launch.hopper, "forward", lambda *given: given[3:])
    assert launch.contexts(query, key, key, rules.Rule(right=right), 0.125) == (0.125, right == 0)


@pytest.mark.untyped  # what stands for the kernels gives no tensors
@pytest.mark.parametrize("right", [0, rules.FAR])
@pytest.mark.parametrize("there", [True, False])
def test_the_gradients_for_hopper_are_taken_where_they_can(
    there: bool, right: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    query, key = halves(3, 2, 20), halves(3, 2, 30)
    sums, rule = torch.zeros(3, 2, 20), rules.Rule(right=right)
    given = query, key, key + 1, query + 1, sums, query + 2
    asked = []
    monkeypatch.setattr(launch.hopper_backward, "takes", lambda *of: asked.append(of) or there)
    monkeypatch.setattr(launch.hopper_backward, "gradients", lambda *of: of)
    monkeypatch.setattr(launch, "portable_gradients", lambda *of: of)
    found = launch.gradients(*given, rule, 0.125)
    expected = (*given, 0.125, right == 0) if there else (*given, rule, 0.125)
    assert len(found) == len(expected)
    assert all(one is other for one, other in zip(found, expected, strict=True))
    (of,) = asked
    tensors = query, key, given[2], given[3], given[5]
    assert all(one is other for one, other in zip(of, (*tensors, rule), strict=True))


def test_a_kernel_starts_with_what_its_table_says() -> None:
    started = []

    class Kernel:
        def __getitem__(self, grid):
            return lambda *given, **options: started.append((grid, given, options))

    launch.start(Kernel(), 0, configs.Config(1, 2, 3, 4), "given")
    assert started == []
    launch.start(Kernel(), 5, configs.Config(1, 2, 3, 4), "given")
    assert started == [((5,), ("given",), {"num_warps": 3, "num_stages": 4, "launch_pdl": False})]


def test_rows_in_one_piece_are_not_copied() -> None:
    wide = torch.zeros(2, 5, 3, 64, device=DEVICE).transpose(1, 2)
    assert rows(wide).data_ptr() == wide.data_ptr()
    assert rows(wide.mT.contiguous().mT).stride(-1) == 1


def test_each_table_has_each_width() -> None:
    for sizes in (configs.FORWARD, configs.OF_QUERIES, configs.OF_KEYS, configs.DECODE):
        for table in sizes:
            assert tuple(table) == configs.WIDTHS == (64, 128, 256)


@pytest.mark.parametrize("width", [64, 128, 256])
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
def test_the_tables_are_those_that_were_compiled(gpu: str, width: int) -> None:
    made = COMPILED["kernels"][f"{gpu} bfloat16 {width}"]
    tables = {
        "forward": configs.FORWARD, "of_queries": configs.OF_QUERIES,
        "of_keys": configs.OF_KEYS, "part": configs.DECODE,
    }  # fmt: skip
    for kernel, sizes in tables.items():
        config = (sizes.hopper if gpu == "sm_90" else sizes.every)[width]
        assert config._asdict() == {name: made[kernel][name] for name in config._fields}


def test_hopper_has_tiles_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    here, gpu = torch.device("cpu"), torch.device("cuda", 0)
    for capability in ((8, 0), (9, 0), (10, 0)):
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device, c=capability: c)
        assert configs.FORWARD.on(here) is configs.FORWARD.every
        table = configs.FORWARD.hopper if capability == (9, 0) else configs.FORWARD.every
        assert configs.FORWARD.on(gpu) is table


@pytest.mark.parametrize(
    ("heads", "group", "numbers", "together"),
    [
        (32, 1, 1 << 20, 8),  # keys and values of 2 bytes: 4 MiB a head
        (32, 4, 1 << 20, 32),  # of four heads
        (32, 2, 1 << 20, 16),
        (3, 1, 1 << 20, 3),
        (3, 1, 1 << 24, 1),
        (0, 1, 0, 1),
    ],
)
def test_heads_whose_keys_fit_the_cache_go_together(
    heads: int, group: int, numbers: int, together: int
) -> None:
    assert launch.together(heads, group, numbers) == together


@pytest.mark.parametrize(
    ("heads", "tiles", "splits"),
    [(1, 1000, 64), (8, 1000, 32), (8, 9, 16), (8, 1, 1), (300, 1000, 1), (1, 0, 1), (0, 9, 16)],
)
def test_keys_are_split_into_a_power_of_two(heads: int, tiles: int, splits: int) -> None:
    assert configs.splits(heads, tiles) == splits


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (9, 0)])
def test_the_gpus_that_can(capability: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    with FakeTensorMode():
        query = torch.empty(1, 64, dtype=torch.float16, device="cuda")
        why = "is for NVIDIA GPUs of compute capability 8.0 or higher"
        assert kernels.obstacle(query) == (why if capability < (8, 0) else None)


@pytest.fixture
def asked_anew() -> Iterator[None]:
    kernels.compilable.cache_clear()
    yield
    kernels.compilable.cache_clear()


@pytest.mark.usefixtures("asked_anew")
@pytest.mark.parametrize("there", ["CC", "gcc", "clang", "impl", "CC that is gone", None])
def test_without_a_c_compiler_no_kernel_begins(there, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 0))
    monkeypatch.setattr(kernels, "which", lambda name: name if name == there else None)
    monkeypatch.setattr(knobs.build, "impl", print if there == "impl" else None)
    monkeypatch.delenv("CC", raising=False)
    if there and there.startswith("CC"):
        monkeypatch.setenv("CC", "CC")
    with FakeTensorMode():
        query = torch.empty(1, 64, dtype=torch.float16, device="cuda")
        why = "needs a C compiler, which Triton finds as gcc or clang, or by CC"
        able = there in ("CC", "gcc", "clang", "impl")
        assert kernels.obstacle(query) == (None if able else why)


@pytest.mark.parametrize(
    ("sizes", "steps", "copied"),
    [
        ((2, 3, 5, 64), (960, 320, 64, 1), False),
        ((2, 3, 5, 64), (960, 64, 192, 1), False),  # heads side by side
        ((2, 3, 5, 64), (960, 320, 0, 1), False),  # one row, many times
        ((2, 1, 5, 64), (640, 1, 128, 1), False),  # one head: its step is never taken
        ((2, 3, 5, 64), (960, 320, 32, 1), False),  # rows that overlap
        ((2, 3, 5, 64), (960, 320, 63, 1), False),
        ((1, 1, 2, 64), (128, 128, 32, 1), False),
        ((1, 3, 5, 64), (960, 32, 192, 1), False),  # from head to head
        ((3, 1, 5, 64), (32, 320, 192, 1), False),  # from sequence to sequence
        ((2, 3, 5, 64), (960, 320, 1, 1), True),  # as far to the next row as to the next number
        ((2, 1, 20, 64), (64, 1, 0, 1), True),  # one row, many times, and a head of one
        ((2, 3, 5, 64), (1920, 640, 128, 2), True),  # numbers that lie apart
    ],
)
def test_what_the_kernels_cannot_read_is_copied(
    sizes: tuple[int, ...], steps: tuple[int, ...], copied: bool
) -> None:
    tensor = torch.arange(5000.0).as_strided(sizes, steps)
    found = rows(tensor)
    assert (found is not tensor) == copied
    assert torch.equal(found, tensor)
    assert torch.empty_like(found).stride(-1) == 1
